#!/bin/sh
# Prints the signatures of GOLDEN in test_signature.py, computed by openssl alone.
set -eu

KEY=9c1185a5c5e9fc54612808977ee8f548b2258d31ddadaf8f0ee1c2b51d8b2c11
DATE=2026-01-31T09:30:00.123Z
NAMES='host;x-api-key;x-content-sha256;x-date;x-nonce'

hex() { openssl dgst -sha256 "$@" -hex | sed 's/.*= *//'; }

golden() { # METHOD PATH QUERY-LINES BODY KEY-OPTION
    body=$(printf '%s' "$4" | hex)
    headers=$(printf 'host:api.example.com\nx-api-key:independent-key\nx-content-sha256:%s\nx-date:%s\nx-nonce:1769851800123004217' "$body" "$DATE")
    # QUERY-LINES is a printf format: empty, '\n' for a blank line, or 'text\n'.
    request=$(printf "%s\n%s\n$3%s\n%s\n%s" "$1" "$2" "$headers" "$NAMES" "$body" | hex)
    mac=$(printf 'HMAC-SHA256\n%s\n%s' "$DATE" "$request" | hex -mac HMAC -macopt "$5")
    printf '%s' "$mac" | openssl base64 -A
    echo
}

BASE64=$(printf %s "$KEY" | openssl base64 -d -A | od -An -tx1 | tr -d ' \n')
golden GET /v1/transfers 'limit=3\n' '' "key:$KEY"
golden GET /v1/transfers '' '' "key:$KEY"
golden GET /v1/transfers '\n' '' "key:$KEY"
golden POST /v1/financial_accounts '' '{"individual_id":"1","type":"upi","details":{"upi_id":"ana@ñ"}}' "key:$KEY"
golden GET '/v1/transfers/a%20b' 'cursor=a%%3D%%3D&limit=3\n' '' "key:$KEY"
golden GET /v1/transfers '' '' "hexkey:$KEY"
golden GET /v1/transfers '' '' "hexkey:$BASE64"
