#!/usr/bin/env bash
# Makes the golden cases with bash's printf and openssl alone; each step of a case is one file.
# Usage: make.sh [DIRECTORY]      (without one: the directory this script is in)
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")}"

KEY='key_sandbox_4f2a'
SECRET='sk_sandbox_Zm9yIHRlc3RzIG9ubHk='
HOST='api.sandbox.example'
DATE='2026-01-31T09:30:00.123Z'
NONCE='1769851800123004217'
SORTED='host;x-api-key;x-content-sha256;x-date;x-nonce'
SAMPLE='host;x-api-key;x-date;x-content-sha256;x-nonce'

# The hex text of a digest of stdin; more arguments go to openssl.
digest() {
  local line
  line=$(openssl dgst -sha256 -r "$@")
  printf '%s' "${line%% *}"
}

# golden CASE METHOD PATH QUERY BODY NONCE [NAMES]
golden() {
  local method=$2 path=$3 query=$4 body=$5 nonce=$6
  local names=$SORTED hash target=$path canonical payload signature
  [ -n "$nonce" ] || names=${SORTED%;x-nonce}
  mkdir -p "$1"
  printf '%s' "$body" > "$1/body"
  hash=$(digest < "$1/body")

  canonical=$method$'\n'$path
  if [ -n "$query" ]; then
    canonical+=$'\n'$query
    target+='?'$query
  fi
  canonical+=$'\n'"host:$HOST"$'\n'"x-api-key:$KEY"$'\n'"x-content-sha256:$hash"$'\n'"x-date:$DATE"
  [ -z "$nonce" ] || canonical+=$'\n'"x-nonce:$nonce"
  canonical+=$'\n'$names$'\n'$hash
  printf '%s' "$canonical" > "$1/canonical"

  payload=HMAC-SHA256$'\n'$DATE$'\n'$(digest < "$1/canonical")
  printf '%s' "$payload" > "$1/payload"

  signature=$(digest -hmac "$SECRET" < "$1/payload" | openssl base64 -A)
  printf 'HMAC-SHA256 Credential=%s,SignedHeaders=%s,Signature=%s' \
    "$KEY" "${7:-$names}" "$signature" > "$1/authorization"

  printf '%s %s\nHost: %s\nX-API-Key: %s\nX-Date: %s\nX-Content-SHA256: %s\n' \
    "$method" "$target" "$HOST" "$KEY" "$DATE" "$hash" > "$1/request"
  [ -z "$nonce" ] || printf 'X-Nonce: %s\n' "$nonce" >> "$1/request"
}

PERSON='{"given_name":"María","family_name":"González Hernández","country":"MX"}'
TRANSFER='{"source_amount":"100.25","source_currency":"usd","destination_currency":"mxn"}'
PAGE='product_type=off_ramp&limit=100&cursor=eyJpZCI6InRyX2EifQ'

golden no-query           GET    /v1/individuals/ind_8M0RE4 '' '' "$NONCE"
golden several-parameters GET    /v1/transfers "$PAGE" '' "$NONCE"
golden percent-encoded    GET    '/v1/individuals/a%2Fb%20%C3%A1' 'name=Jos%C3%A9+Mar%c3%ada&e=%2B%3D' '' "$NONCE"
golden empty-body         DELETE /v1/webhook_subscriptions/wh_0A1B '' '' "$NONCE"
golden utf-8-body         POST   /v1/individuals '' "$PERSON" "$NONCE"
golden no-nonce           GET    /v1/conversions limit=20 '' ''
golden sample-order       POST   /v1/transfers '' "$TRANSFER" "$NONCE" "$SAMPLE"
