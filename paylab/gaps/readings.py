"""Precise readings: places where two careful people would read the other rows differently."""

from __future__ import annotations

from .row import Gap

AREA = "Precise readings"
_ROWS = (
    (
        "clock.signing",
        "over HTTP, X-Date and nonces are judged by the wall clock (an outside client "
        "cannot know another); in process, by the shared clock",
    ),
    (
        "clock.frozen",
        "a frozen world starts at one fixed instant, whenever it is launched",
    ),
    (
        "clock.advance",
        "steps that fall due run in order, each at its own due time, before the answer is sent",
    ),
    (
        "signing.host",
        "signed as sent, port included",
    ),
    (
        "signing.query",
        "exactly as on the request line: not sorted, decoded or encoded again",
    ),
    (
        "signing.hex",
        "the HMAC's hex text is lower case; upper case does not verify",
    ),
    (
        "signing.required",
        "host, x-api-key, x-date, x-content-sha256 must be among the signed headers, "
        "and x-nonce when it is sent",
    ),
    (
        "signing.nonce-use",
        "only a request whose signature is valid uses up its nonce",
    ),
    (
        "check.order",
        "401, then 403 outside the sandbox, then 404, 400, 422",
    ),
    (
        "field.names",
        "problems name nested fields with dots: `document.number`, "
        "`financial_accounts.0.details.clabe`",
    ),
    (
        "field.optional",
        '"required in response" means present when known, otherwise omitted',
    ),
    (
        "field.country",
        "country and address.country, when both are sent, must be equal (400)",
    ),
    (
        "field.empty",
        "empty text, blanks alone, or an empty list of event types is refused (400)",
    ),
    (
        "timestamp.form",
        "a date and a time with T between them; a date alone is refused (400)",
    ),
    (
        "corridor.rails",
        "a country's bank accounts are reached only over the rails that are named for it: "
        "`ach_co` for COP, `spei` for MXN; `ach`, `bitso`, `local` and others are refused (400)",
    ),
    (
        "document.number",
        "optional on input, checked against its country's format when present",
    ),
    (
        "check-digits",
        "the simulator checks the formats the spec names, not check digits (CLABE, "
        "CPF, IBAN mod 97); forms warn about them where a maintained library or the "
        "public algorithm gives one (python-stdnum has no CLABE, PH TIN, UPI; the "
        "CLABE digit is weights 3, 7, 1)",
    ),
    (
        "account.country",
        "an account type that the individual's country does not use is 400; "
        "crypto_wallet is allowed everywhere",
    ),
    (
        "account.update",
        "details replaces the whole object",
    ),
    (
        "account.iban",
        "upper case, no spaces",
    ),
    (
        "images.bounds",
        "10 KB is 10,240 bytes and 15 MB is 15,728,640 bytes, both inclusive",
    ),
    (
        "images.content",
        "the first bytes are of the declared type; the data URI is in lower case and "
        "without parameters, its Base64 without line breaks",
    ),
    (
        "images.repeat",
        "a side that comes twice in one request: the last one wins",
    ),
    (
        "images.answer",
        "all stored images, one a side",
    ),
    (
        "images.leave",
        "action_required is left only when every side that is needed is stored; until "
        "then status_details lists what is still needed",
    ),
    (
        "images.token-individual",
        "someone who verifies by token and posts images gets 400, and the other way round",
    ),
    (
        "kyc.names",
        "the family name is compared whole and without case",
    ),
    (
        "quote.unknown",
        "404",
    ),
    (
        "transfer.product",
        "a stablecoin source makes an off_ramp transfer, anything else global_payouts; "
        "the on_ramp filter is empty, since on-ramp payments are conversions",
    ),
    (
        "transfer.answer",
        "a prefunded POST answers awaiting_funds and is funded one step later; "
        "scenario:expired and scenario:cancelled happen one step later too",
    ),
    (
        "transfer.deposit-source",
        "source_type deposit only with a stablecoin source, otherwise 400",
    ),
    (
        "transfer.individual",
        "422 when the recipient is not active or does not have the product",
    ),
    (
        "transfer.nulls",
        "REST transfers carry null keys as events do; deposit_instructions is omitted "
        "when there is none, in both",
    ),
    (
        "transfer.completed-in",
        "whole seconds from started to completed",
    ),
    (
        "amount.form",
        "text; a JSON number is 400; more decimals than the minor unit is 400; answers "
        "are padded to the minor unit; the amount that was given is echoed exactly",
    ),
    (
        "amount.derived",
        "the smallest source whose net at the rate is at least the wanted destination",
    ),
    (
        "page.limit",
        "outside 1 to 100, or not an integer, or empty: 400",
    ),
    (
        "page.filter",
        "the filter is sent again with every cursor; an unknown product_type is 400; a "
        "bad cursor of conversions gets the same body as one of transfers",
    ),
    (
        "ca.product",
        "422 when the individual is active without on_ramp",
    ),
    (
        "ca.slow",
        "`scenario:slow` answers 202 for MX too",
    ),
    (
        "conversion.fee",
        "in the source currency; no minimum fee on conversions",
    ),
    (
        "instructions.template",
        "tag 27 `com.p2pqrpay`",
    ),
    (
        "idempotency.same",
        "the same body means the same bytes; keys are scoped by method and path",
    ),
    (
        "idempotency.race",
        "identical requests at the same time wait and replay: one is carried out",
    ),
    (
        "webhook.url",
        "http only to loopback, https elsewhere; the query is kept; a redirect is a failure",
    ),
    (
        "webhook.time",
        "the 10 s limit is real time; the delays between attempts are simulator time, "
        "counted from the failure before",
    ),
    (
        "webhook.order",
        "events of one resource arrive in order unless a fault says otherwise",
    ),
    (
        "webhook.active",
        "is_active is true and read-only",
    ),
    (
        "data.restart",
        "`--seed` and `--transfers` fill only an empty file; ids never repeat; the "
        "clock goes on from the file",
    ),
)
READINGS = tuple(Gap(key, "", reading, "chosen", AREA) for key, reading in _ROWS)
