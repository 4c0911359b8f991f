"""Signing and transport: what the spec leaves open, and what is assumed."""

from __future__ import annotations

from .row import Gap

AREA = "Signing and transport"
_ROWS = (
    (
        "signing.empty-query",
        "query line of the canonical request when there is no query",
        "left out, as the spec says. A public copy says to include every part even if it is "
        "blank, so there is a dialect switch, `omit` or `blank`; the simulator takes `omit`, and "
        "its error says so when only `blank` would have matched",
        "spec, public",
    ),
    (
        "signing.header-order",
        "order of the names in `SignedHeaders=`",
        "alphabetical, the same line as in the canonical request. A verifier sorts "
        "what it is given, so the sample order of the spec (x-date before "
        "x-content-sha256) verifies too",
        "chosen",
    ),
    (
        "signing.key-encoding",
        "how the secret becomes HMAC key bytes",
        "UTF-8 bytes of the secret as issued",
        "chosen",
    ),
    (
        "signing.body-hash",
        "form of X-Content-SHA256 and of line 6",
        "lowercase hex; no body hashes as zero bytes",
        "public",
    ),
    (
        "signing.path",
        "path as signed",
        "the path exactly as sent on the request line, percent-encoding included, "
        "without the query",
        "chosen",
    ),
    (
        "signing.nonce-absent",
        "X-Nonce is only recommended",
        "sent by us always; a request without it is valid when it is not in SignedHeaders",
        "spec",
    ),
    (
        "signing.date-form",
        "X-Date",
        "`2026-01-31T09:30:00.123Z`. The simulator is strict: UTC with `Z`, `T` and "
        "milliseconds, anything else is 401 and says so, so that a signer that passes here "
        "passes elsewhere. A reader of other people's headers says what is wrong rather "
        "than crash",
        "spec, public",
    ),
    (
        "request.content-type",
        "a body without `Content-Type: application/json` (parameters allowed)",
        "415 with an error text",
        "spec, chosen",
    ),
    (
        "signing.errors",
        "answers to missing, wrong, stale signature and to a reused nonce",
        "401, error text naming which",
        "chosen",
    ),
    (
        "signing.tolerance",
        "clock tolerance",
        "300 s either way; nonces remembered as long",
        "chosen",
    ),
    (
        "errors.body",
        "general shape of an error body",
        '`{"error": "<text>"}` as in the pagination case, plus `"errors": [{"field", '
        '"message"}]` listing every problem of a 400 at once. A reader must take any '
        "shape: string, object, list, HTML, nothing",
        "chosen",
    ),
    (
        "errors.server",
        "rate limits, 5xx",
        "none by themselves; 429 carries `Retry-After` (seconds)",
        "chosen",
    ),
    (
        "ids",
        "form of identifiers",
        "opaque strings. The simulator's: `ind_`, `fa_`, `img_`, `qt_`, `tr_`, `ca_`, "
        "`conv_`, `dep_`, `wh_` + 26 characters. Public samples disagree on prefixes: "
        "never parse one",
        "chosen",
    ),
    (
        "currency.case",
        "letter case of currencies",
        "accepted in any case; answered in upper case in REST bodies except "
        "`deposit_instructions.currency` and a conversion account's `source_currency` "
        "(spec: `mxn`, `php`), and in webhook events, which are lower case; compared "
        "without case everywhere",
        "spec",
    ),
)
SIGNING = tuple(Gap(*row, area=AREA) for row in _ROWS)
