"""The open points of the area 'Precise readings'."""

from __future__ import annotations

from .assumption import Assumption

AREA = "Precise readings"

ROWS = (
    Assumption(
        "clock.signing",
        assumed="over HTTP, X-Date and nonces are judged by the wall clock (an outside "
        "client cannot know another); in process, by the shared clock",
        keyless="It concerns the simulator's clock.",
    ),
    Assumption(
        "clock.frozen",
        assumed="a frozen world starts at one fixed instant, whenever it is launched",
        keyless="It concerns the simulator's clock.",
    ),
    Assumption(
        "clock.advance",
        assumed="steps that fall due run in order, each at its own due time, before the "
        "answer is sent",
        keyless="It concerns the simulator's clock.",
    ),
    Assumption(
        "signing.host",
        assumed="signed as sent, port included",
    ),
    Assumption(
        "signing.query",
        assumed="exactly as on the request line: not sorted, decoded or encoded again",
    ),
    Assumption(
        "signing.hex",
        assumed="Base64 of the HMAC's hex text, which is lower case; upper case does not verify",
        origin="spec",
    ),
    Assumption(
        "signing.required",
        assumed="host, x-api-key, x-date, x-content-sha256 must be among the signed "
        "headers, and x-nonce when it is sent",
        keyless="paylab always signs all five headers.",
    ),
    Assumption(
        "signing.nonce-use",
        assumed="only a request whose signature is valid uses up its nonce",
        keyless="paylab never sends a nonce twice.",
    ),
    Assumption(
        "check.order",
        assumed="401, then 403 outside the sandbox, then 404, 400, 422",
        keyless="A request with one fault gets the same answer in any order.",
    ),
    Assumption(
        "request.unknown",
        assumed="fields that are not known are ignored in a request; of details they are "
        "stored, of an address and a document dropped",
    ),
    Assumption(
        "request.size",
        assumed="a body of more than 256 MiB is refused (413), and one that nests deeper "
        "than 64 levels (400)",
        keyless="paylab sends no such body.",
    ),
    Assumption(
        "check.several",
        assumed="a 400 lists every problem of a body; a 422 is only looked for in a body "
        "without one",
        keyless="A request with one fault gets the same answer in any order.",
    ),
    Assumption(
        "errors.extra",
        assumed="the simulator's error bodies also have `reason` and `mistake` (401) and "
        "`legal` (422 of a control); a path with another method is 405 with Allow",
        keyless="paylab reads an error body of any shape.",
    ),
    Assumption(
        "field.names",
        assumed="problems name nested fields with dots: `document.number`, "
        "`financial_accounts.0.details.clabe`",
    ),
    Assumption(
        "field.optional",
        assumed='"required in response" means present when known, otherwise omitted',
        keyless="paylab reads null and absent alike.",
    ),
    Assumption(
        "field.country",
        assumed="country and address.country, when both are sent, must be equal (400)",
        keyless="paylab fills both fields with the same country.",
    ),
    Assumption(
        "field.empty",
        assumed="empty text, blanks alone, or an empty list of event types is refused (400)",
        keyless="A form leaves empty fields out; other callers get a warning.",
    ),
    Assumption(
        "field.contact",
        assumed="the form of email and phone is not checked, except that of a phone in IN",
        keyless="Callers get a warning; the service decides.",
    ),
    Assumption(
        "timestamp.form",
        assumed="a date and a time with T between them; a date alone is refused (400)",
        keyless="paylab sends a full timestamp, which every reading accepts.",
    ),
    Assumption(
        "corridor.rails",
        assumed="a country's bank accounts are reached only over the rails that are named "
        "for it: `ach_co` for COP, `spei` for MXN; `ach`, `bitso`, `local` and "
        "others are refused (400)",
    ),
    Assumption(
        "corridor.products",
        assumed="individuals of every country but IN can have on_ramp; conversion accounts "
        "exist in MX and PH",
        origin="spec, chosen",
        keyless="Callers get a warning; the service decides.",
    ),
    Assumption(
        "corridor.wallet",
        assumed="a crypto_wallet is paid in USDC from USD or USDC, over its own network",
        keyless="Callers get a warning; the service decides.",
    ),
    Assumption(
        "document.number",
        assumed="optional on input, checked against its country's format when present",
        keyless="Callers get a warning; the service decides.",
    ),
    Assumption(
        "check-digits",
        assumed="the simulator checks the formats the spec names, not check digits (CLABE, "
        "CPF, IBAN mod 97); forms warn about them where a maintained library or the"
        " public algorithm gives one (python-stdnum has no CLABE, PH TIN, UPI; the "
        "CLABE digit is weights 3, 7, 1)",
        keyless="Callers get a warning; the service decides.",
    ),
    Assumption(
        "account.country",
        assumed="an account type that the individual's country does not use is 400; "
        "crypto_wallet is allowed everywhere",
        keyless="Callers get a warning; the service decides.",
    ),
    Assumption("account.update", assumed="details replaces the whole object"),
    Assumption(
        "account.iban",
        assumed="upper case, no spaces",
        keyless="Callers get a warning; the service decides.",
    ),
    Assumption(
        "individual.updated",
        assumed="updated_at of an individual does not change with its financial accounts",
        keyless="paylab reads nothing into updated_at of an individual.",
    ),
    Assumption(
        "images.bounds",
        assumed="10 KB is 10,240 bytes and 15 MB is 15,728,640 bytes, both inclusive",
        keyless="The service says which size it refuses.",
    ),
    Assumption(
        "images.content",
        assumed="the first bytes are of the declared type; the data URI is in lower case "
        "and without parameters, its Base64 without line breaks",
        keyless="paylab sends the strictest form, which every reading accepts.",
    ),
    Assumption(
        "images.repeat",
        assumed="a side that comes twice in one request: the last one wins",
        keyless="paylab sends each side once.",
    ),
    Assumption(
        "images.replaced",
        assumed="an image that replaces another has a new id",
        keyless="paylab reads nothing into the id of an image.",
    ),
    Assumption(
        "images.answer",
        assumed="all stored images, one a side",
        keyless="paylab reads any list of images.",
    ),
    Assumption(
        "images.leave",
        assumed="action_required is left only when every side that is needed is stored; "
        "until then status_details lists what is still needed",
        keyless="paylab reads the status and its details from the answer.",
    ),
    Assumption(
        "images.token-individual",
        assumed="someone who verifies by token and posts images gets 400, and the other way round",
        keyless="paylab reads the status details and sends what they ask for.",
    ),
    Assumption(
        "kyc.names",
        assumed="the family name is compared whole and without case",
        keyless="It concerns the simulator's special values.",
    ),
    Assumption("quote.unknown", assumed="404", keyless="paylab reads any refusal."),
    Assumption(
        "quote.checks",
        assumed="a quote looks neither at the recipient's status and products nor for a "
        "wallet; the transfer does",
        keyless="The service decides; paylab reads its answer.",
    ),
    Assumption(
        "transfer.repeats",
        assumed="what the body of a transfer repeats of its quote must be equal (400)",
        keyless="paylab sends either a quote or the terms.",
    ),
    Assumption(
        "transfer.network", assumed="a stablecoin transfer without source_network comes from base"
    ),
    Assumption(
        "transfer.product",
        assumed="a stablecoin source makes an off_ramp transfer, anything else "
        "global_payouts; the on_ramp filter is empty, since on-ramp payments are "
        "conversions",
        keyless="The service decides; paylab does not filter by product on its own.",
    ),
    Assumption(
        "transfer.answer",
        assumed="a prefunded POST answers awaiting_funds and is funded one step later; "
        "scenario:expired and scenario:cancelled happen one step later too. The simulator's "
        "steps take a second, and a pesonet transfer takes 48 hours",
        keyless="paylab reads the status from the answer.",
    ),
    Assumption(
        "transfer.deposit-source",
        assumed="source_type deposit only with a stablecoin source, otherwise 400",
        keyless="Callers get a warning; the service decides.",
    ),
    Assumption(
        "transfer.individual",
        assumed="422 when the recipient is not active or does not have the product",
        keyless="The service decides; the status that it answers with is error_codes.state.",
    ),
    Assumption(
        "transfer.nulls",
        assumed="REST transfers carry null keys as events do; deposit_instructions is "
        "omitted when there is none, in both",
    ),
    Assumption(
        "transfer.completed-in",
        assumed="whole seconds from started to completed",
        keyless="paylab keeps the text as sent.",
    ),
    Assumption(
        "amount.form",
        assumed="text; a JSON number is 400; more decimals than the minor unit is 400; "
        "answers are padded to the minor unit; the amount that was given is echoed "
        "exactly",
    ),
    Assumption(
        "amount.size",
        assumed="an amount has at most 30 digits before the point; one that its fee uses up"
        " is refused (400)",
        keyless="Every exact column of paylab holds as many digits.",
    ),
    Assumption(
        "amount.derived",
        assumed="the smallest source whose net at the rate is at least the wanted destination",
        keyless="Only the simulator computes prices.",
    ),
    Assumption("page.limit", assumed="outside 1 to 100, or not an integer, or empty: 400"),
    Assumption(
        "page.filter",
        assumed="the filter is sent again with every cursor; an unknown product_type is "
        "400; a bad cursor of conversions gets the same body as one of transfers",
        keyless="paylab sends the filter with every cursor, which every reading accepts.",
    ),
    Assumption(
        "list.foreign-cursor",
        assumed="a cursor of one list is good in another: it names a time and an id",
        keyless="paylab uses a cursor only in its own list.",
    ),
    Assumption(
        "ca.product",
        assumed="422 when the individual is active without on_ramp",
        keyless="The service decides; the status that it answers with is error_codes.state.",
    ),
    Assumption(
        "ca.slow",
        assumed="`scenario:slow` answers 202 for MX too",
        keyless="It concerns the simulator's special values.",
    ),
    Assumption(
        "scenario.unknown",
        assumed="a value that begins as a special one (`scenario:`) and is none is refused (400)",
        keyless="It concerns the simulator's special values.",
    ),
    Assumption(
        "deposit.blank-sender",
        assumed="a sender_name of spaces is a name",
        keyless="It concerns the simulator's special values.",
    ),
    Assumption(
        "conversion.fee",
        assumed="in the source currency; no minimum fee on conversions",
        keyless="Only the simulator computes prices.",
    ),
    Assumption(
        "instructions.template",
        assumed="tag 27 `com.p2pqrpay`",
        keyless="paylab reads any template of an EMV QR text.",
    ),
    Assumption(
        "idempotency.same",
        assumed="the same body means the same bytes; keys are scoped by method and path",
    ),
    Assumption(
        "idempotency.operations",
        assumed="only transfers and conversion accounts take an Idempotency-Key",
        origin="spec",
    ),
    Assumption(
        "idempotency.race",
        assumed="identical requests at the same time wait and replay: one is carried out",
        keyless="paylab never sends one key twice at the same time.",
    ),
    Assumption(
        "idempotency.after-202",
        assumed="a key that got a 202 is not stored, so another body with it is no conflict",
        keyless="paylab never posts again after a 202.",
    ),
    Assumption(
        "control.clock",
        assumed="a client waits by the simulator's clock, which it reads with a signed `GET"
        " /_simulator` on loopback addresses",
        keyless="It concerns the simulator's clock.",
    ),
    Assumption(
        "control.events",
        assumed="the simulator also has the fault event_drop and `GET /_simulator/events`",
        keyless="It concerns the simulator's controls.",
    ),
    Assumption(
        "data.restart",
        assumed="`--seed` and `--transfers` fill only an empty file; ids never repeat; the "
        "clock goes on from the file",
        keyless="It concerns the simulator's files.",
    ),
    Assumption(
        "simulator.omits",
        assumed="not simulated: the time that a top-up of the balance takes to settle, what a "
        "wallet holds, so also stablecoins that return to it, and the 422 for tokens that are not "
        "available yet and uploads that could not be completed",
        keyless="It concerns what the simulator leaves out.",
    ),
)
