"""The open points of the area 'Signing and transport'."""

from __future__ import annotations

from .assumption import Assumption

AREA = "Signing and transport"

ROWS = (
    Assumption(
        "signing.empty-query",
        question="query line of the canonical request when there is no query",
        assumed="left out, as the spec says. A public copy says to include every part even "
        "if it is blank, so there is a dialect switch, `omit` or `blank`; the "
        "simulator takes `omit`, and its error says so when only `blank` would have"
        " matched",
        origin="spec, public",
    ),
    Assumption(
        "signing.header-order",
        question="order of the names in `SignedHeaders=`",
        assumed="alphabetical, the same line as in the canonical request. A verifier sorts "
        "what it is given, so the sample order of the spec (x-date before "
        "x-content-sha256) verifies too",
    ),
    Assumption(
        "signing.key-encoding",
        question="how the secret becomes HMAC key bytes",
        assumed="UTF-8 bytes of the secret as issued",
    ),
    Assumption(
        "signing.body-hash",
        question="form of X-Content-SHA256 and of line 6",
        assumed="lowercase hex; no body hashes as zero bytes. The spec shows neither, so "
        "Base64 and an empty value for no body can be set",
        origin="public",
    ),
    Assumption(
        "signing.path",
        question="path as signed",
        assumed="the path exactly as sent on the request line, percent-encoding included, "
        "without the query",
    ),
    Assumption(
        "signing.base",
        question="whether a path of the base address is signed",
        assumed="it is: the path is signed from its first slash on, as on the request line",
    ),
    Assumption(
        "signing.nonce-absent",
        question="X-Nonce is only recommended",
        assumed="sent by us always; a request without it is valid when it is not in SignedHeaders",
        origin="spec",
    ),
    Assumption(
        "signing.date-form",
        question="X-Date",
        assumed="`2026-01-31T09:30:00.123Z`. The simulator is strict: UTC with `Z`, `T` and"
        " milliseconds, anything else is 401 and says so, so that a signer that "
        "passes here passes elsewhere. A reader of other people's headers says what"
        " is wrong rather than crash",
        origin="spec, public",
    ),
    Assumption(
        "request.content-type",
        question="a body without `Content-Type: application/json` (parameters allowed)",
        assumed="415 with an error text",
        origin="spec, chosen",
        keyless="paylab always sends this Content-Type.",
    ),
    Assumption(
        "request.extra",
        question="fields of requests that the spec does not name",
        assumed="none; those of a service are constants per operation, in its own names",
    ),
    Assumption(
        "object.envelope",
        question="whether an answer holds a single object under a key",
        assumed="it is the object; readers also take one under `data`",
        origin="spec",
    ),
    Assumption(
        "object.missing",
        question="fields without a value in answers",
        assumed=(
            "left out of individuals, as the spec says; null in transfers, conversions and quotes"
        ),
        origin="spec",
    ),
    Assumption(
        "paths.shown",
        question="paths that the spec shows",
        assumed="as it shows them; a service that moved them is followed all the same",
        origin="spec",
    ),
    Assumption(
        "signing.errors",
        question="answers to missing, wrong, stale signature and to a reused nonce",
        assumed="401, error text naming which",
    ),
    Assumption(
        "signing.tolerance",
        question="clock tolerance",
        assumed="300 s either way; nonces remembered as long",
    ),
    Assumption(
        "errors.body",
        question="general shape of an error body",
        assumed='`{"error": "<text>"}` as in the pagination case, plus `"errors": '
        '[{"field", "message"}]` listing every problem of a 400 at once. A reader '
        "must take any shape: string, object, list, HTML, nothing",
    ),
    Assumption(
        "errors.server",
        question="rate limits, 5xx",
        assumed="none by themselves; 429 carries `Retry-After` (seconds)",
    ),
    Assumption(
        "ids",
        question="form of identifiers",
        assumed="opaque strings. The simulator's: `ind_`, `fa_`, `img_`, `qt_`, `tr_`, "
        "`ca_`, `conv_`, `dep_`, `wh_` + 26 characters. Public samples disagree on "
        "prefixes: never parse one",
        keyless="paylab never reads anything into an id.",
    ),
    Assumption(
        "currency.case",
        question="letter case of currencies",
        assumed="accepted in any case; answered in upper case in REST bodies except "
        "`deposit_instructions.currency` and a conversion account's "
        "`source_currency` (spec: `mxn`, `php`), and in webhook events, which are "
        "lower case; compared without case everywhere",
        origin="spec",
    ),
)
