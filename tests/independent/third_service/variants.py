"""Deviations of amounts, currencies, statuses, ids, times and keys."""

import re
from datetime import datetime
from decimal import Decimal

from third_service.checks import MINOR_UNITS
from third_service.hooks import (
    FILL,
    FOLLOW,
    HOPELESS,
    Deviation,
    amounts_in,
    amounts_out,
    both,
    camel_names,
    each,
    in_minor_units,
    only,
    page,
    parameter,
    refuse,
    reject,
    rename_answer,
    snake_names,
    status,
    values,
)
from third_service.names import CREATIONS, IMAGES, ONRAMP, PERSON, QUOTE, TRANSFER
from third_service.wire import Refusal


def words_of_status(names):
    """A hook that writes other words for statuses."""
    return values(lambda name, value, _: names.get(value, value) if name == "status" else value)


def times(write):
    """A hook that writes times in another form."""

    def change(name, value, _parent):
        if isinstance(value, str) and (name.endswith("_at") or name == "deadline"):
            return write(datetime.fromisoformat(value))
        return value

    return values(change)


def with_nulls(row):
    """Write null for each field of an individual without a value."""
    for name in ("email", "phone", "date_of_birth", "document", "status_details"):
        row.setdefault(name, None)


def without_nulls(row):
    """Leave out fields without a value."""
    for name in [name for name, value in row.items() if value is None]:
        del row[name]


def number_in(words):
    """A reader of amounts that must be JSON numbers."""

    def read(value, _currency):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Refusal(400, words=words)
        return str(Decimal(str(value)))

    return read


def minor_in(value, currency):
    """Read an amount that is a whole number of the smallest unit."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refusal(400, words={"errors": [{"field": "amount", "message": WHOLE_NUMBER}]})
    return str(Decimal(value).scaleb(-MINOR_UNITS.get(currency, 2)))


WHOLE_NUMBER = "must be an integer in the smallest currency unit"


def matching(pattern, words):
    """A reader of amounts that must match the pattern."""

    def read(value, _currency):
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise Refusal(400, words=words)
        return value

    return read


def bounded(least, most, words):
    """A reader of amounts between two bounds."""

    def read(value, _currency):
        if isinstance(value, str) and not Decimal(least) <= Decimal(value) <= Decimal(most):
            raise Refusal(400, words=words)
        return value

    return read


def header(name, status_code, words, valid=lambda key: key is not None):
    """A hook that refuses requests whose header is not right."""

    def hook(call, _service):
        if not valid(call.headers.get(name)):
            raise Refusal(status_code, words=words)

    return hook


def move_header(call, _service):
    """The header X-Request-Key is the idempotency key."""
    call.headers.pop("idempotency-key", None)
    if "x-request-key" not in call.headers:
        raise Refusal(400, words={"error": "Header X-Request-Key is required"})
    call.headers["idempotency-key"] = call.headers["x-request-key"]


def replayed(change):
    """A hook that changes replayed answers."""

    def hook(_call, answer, _service):
        if "Idempotency-Replayed" in answer.headers:
            change(answer)

    return hook


def numbers_out(call, answer, service):
    """Write ids as numbers."""
    known = service.__dict__.setdefault("numbers", {})

    def change(name, value, _parent):
        if (name == "id" or name.endswith("_id")) and isinstance(value, str) and "_" in value:
            return known.setdefault(value, 100_001 + len(known))
        return value

    values(change)(call, answer, service)


def numbers_in(call, service):
    """Read ids that are numbers."""
    texts = service.__dict__.get("numbers", {})
    known = {number: text for text, number in texts.items()}

    def read(value, name=""):
        if isinstance(value, dict):
            return {key: read(item, key) for key, item in value.items()}
        wanted = name == "id" or name.endswith("_id")
        if wanted and value in texts:
            raise Refusal(400, words={"errors": [{"field": name, "message": "must be a number"}]})
        return known.get(value, value) if wanted and isinstance(value, int) else value

    call.ids = [known.get(int(text), text) if text.isdigit() else text for text in call.ids]
    call.body = read(call.body)


def camel_in(call, _service):
    """Read bodies with names in camelCase."""
    if call.body and re.search(r'[a-z]_[a-z]+"\s*:', call.raw.decode()):
        raise Refusal(400, words={"errors": [{"message": "Property names must be camelCase"}]})
    call.body = snake_names(call.body)


def camel_out(_call, answer, _service):
    """Write names in camelCase."""
    answer.body = camel_names(answer.body)


def full_name_in(call, _service):
    """Read a name that is one field."""
    if "full_name" not in call.body:
        raise Refusal(400, words={"errors": {"full_name": ["is required"]}})
    given, _, family = call.body["full_name"].partition(" ")
    call.body |= {"given_name": given, "family_name": family}


def pending_for_ever(row):
    """A conversion account that is never active."""
    row["status"] = "pending"
    row.pop("deposit_instructions", None)


def other_id(_call, answer, _service):
    """Answer a creation with an id that nothing has."""
    if answer.status == 201 and answer.body:
        answer.body["id"] = answer.body["id"][::-1]


def doubled(row):
    """Show amounts that are not those that were asked for."""
    for name in ("source_amount", "destination_amount"):
        if name in row:
            row[name] = str(Decimal(row[name]) * 2)


def empty_body(_call, answer, _service):
    """Answer a creation with an address only."""
    if answer.status == 201:
        answer.headers["Location"] = f"/v1/objects/{answer.body.get('id')}"
        answer.body = None


def upper_names(row):
    """Write the names of people in upper case."""
    for name in ("given_name", "family_name"):
        if name in row:
            row[name] = row[name].upper()


def wrong_case(wrong, words):
    """Hooks that refuse currencies in the wrong case."""
    return both(*[
        reject(name, wrong, 400, words)
        for name in ("source_currency", "destination_currency", "currency")
    ])  # fmt: skip


def is_upper(text):
    """Whether a text is in upper case."""
    return str(text).isupper()


def is_lower(text):
    """Whether a text is in lower case."""
    return str(text).islower()


def currencies_lower(name, value, _parent):
    """Write currencies in lower case."""
    return value.lower() if name.endswith("currency") and value else value


def currencies_upper(name, value, _parent):
    """Write currencies in upper case."""
    return value.upper() if name.endswith("currency") and value else value


def quote_fields(row):
    """A quote that says until when it is valid by another name."""
    rename_answer("expires_at", "valid_until")(row)


def v4(key):
    """Whether a key is absent or a UUID of version 4."""
    return key is None or re.fullmatch(r".{14}4.{4}[89abAB].+", key)


def no_email(_call, service):
    """Refuse a payout while a recipient has no e-mail."""
    if any("email" not in row for row in service.rows["individual"].values()):
        raise Refusal(422, words={"error": "recipient.email is required for this payout"})


SETTLED = {"active": "approved", "completed": "succeeded", "action_required": "needs_input",
           "awaiting_funds": "awaiting_payment", "started": "processing"}  # fmt: skip
UPPER = {word: word.upper() for word in (*SETTLED, "pending", "under_review")}
NOT_JSON_NUMBER = {"errors": [{"field": "amount", "message": "must be a number, not a string"}]}
MINIMUM = {"errors": [{"field": "amount", "message": "must be at least 20.00"}]}
MAXIMUM = {"error": "Amount exceeds the maximum of 15.00 for this account"}


VARIANTS = [
    Deviation("amounts-number", "amounts of requests are JSON numbers", FOLLOW, NOT_JSON_NUMBER,
               request=amounts_in(number_in(NOT_JSON_NUMBER))),
    Deviation("amounts-minor", "amounts are whole numbers of the smallest unit", FOLLOW,
               WHOLE_NUMBER, request=amounts_in(minor_in), answer=amounts_out(in_minor_units)),
    Deviation("amounts-fixed", "amounts have exactly two decimals", FOLLOW, "amount must match "
               r"^\d+\.\d{2}$", request=amounts_in(matching(
                   r"\d+\.\d\d", {"message": r"amount must match ^\d+\.\d{2}$"}))),
    Deviation("amounts-whole", "amounts have no decimals", FOLLOW, "must not have decimals",
               request=amounts_in(matching(r"\d+", {"error": "amount must not have decimals"}))),
    Deviation("amounts-minimum", "amounts are at least 20.00", FOLLOW, MINIMUM,
               request=amounts_in(bounded("20.00", "999999999", MINIMUM))),
    Deviation("amounts-maximum", "amounts are at most 15.00", FOLLOW, MAXIMUM,
               request=amounts_in(bounded("0", "15.00", MAXIMUM))),
    Deviation("amounts-answered-as-numbers", "amounts of answers are JSON numbers", FOLLOW,
               answer=amounts_out(lambda text, _: float(text))),
    Deviation("amounts-source-only", "quotes take source_amount only", FOLLOW,
               {"error": "destination_amount is not supported"},
               request=only(reject("destination_amount", bool, 400,
                                   {"error": "destination_amount is not supported"}), QUOTE)),
    Deviation("currencies-upper", "currencies of requests are in upper case", FOLLOW,
               {"error": "currency must be upper case"},
               request=wrong_case(is_lower, {"error": "currency must be upper case"}),
               answer=values(currencies_upper)),
    Deviation("currencies-lower", "currencies of requests are in lower case", FOLLOW,
               {"errors": ["currency must be one of usd, usdc, mxn, php"]},
               request=wrong_case(is_upper, {"errors": ["currency: one of usd, usdc, mxn, php"]})),
    Deviation("currencies-answered-lower", "currencies of answers are in lower case", FOLLOW,
               answer=values(currencies_lower)),
    Deviation("words-status-upper", "statuses are in upper case", FOLLOW,
               answer=words_of_status(UPPER)),
    Deviation("words-status", "statuses have other words", FOLLOW,
               answer=words_of_status(SETTLED)),
    Deviation("renamed-status", "status is called state in answers", FOLLOW,
               answer=each(rename_answer("status", "state"))),
    Deviation("renamed-expiry", "quotes say valid_until", FOLLOW,
               answer=each(quote_fields, "quotes")),
    Deviation("created-200", "creations answer 200", FOLLOW, answer=status(201, 200, *CREATIONS)),
    Deviation("created-202", "creations answer 202", FOLLOW, answer=status(201, 202, *CREATIONS)),
    Deviation("update-200", "an update answers 200", FOLLOW,
               answer=status(201, 200, "financial_accounts.update")),
    Deviation("images-202", "images answer 202", FOLLOW, answer=status(200, 202, IMAGES)),
    Deviation("deleted-200", "a deletion answers 200", FOLLOW, answer=status(204, 200)),
    Deviation("page-parameters", "lists know page_size and page_token", FOLLOW,
               request=both(parameter("limit", "page_size"), parameter("cursor", "page_token"))),
    Deviation("page-no-limit", "lists refuse limit", FOLLOW, {"error": "Unknown parameter: limit"},
               request=lambda call, _: refuse(400, {"error": "Unknown parameter: limit"})(call, _)
               if "limit" in call.params else None),
    Deviation("page-numbers", "lists have page numbers and no cursor", HOPELESS,
               request=parameter("cursor", "nothing"),
               answer=page(lambda kind, rows, cursor: {"data": rows, "page": 1, "pages": 9})),
    Deviation("key-every-post", "each POST needs an Idempotency-Key", FOLLOW,
               {"error": {"code": "idempotency_key_missing"}},
               request=only(header("idempotency-key", 400, {"error": {
                   "code": "idempotency_key_missing",
                   "message": "Idempotency-Key header is required"}}), method="POST")),
    Deviation("key-other-name", "the idempotency key is in X-Request-Key", FOLLOW,
               {"error": "Header X-Request-Key is required"},
               request=only(move_header, TRANSFER, ONRAMP)),
    Deviation("key-v4", "idempotency keys are UUIDs of version 4", FOLLOW,
               {"error": "Idempotency-Key must be a version 4 UUID"},
               request=header("idempotency-key", 400, {
                   "error": "Idempotency-Key must be a version 4 UUID"}, v4)),
    Deviation("replay-200", "a replayed answer is 200", FOLLOW,
               answer=replayed(lambda answer: setattr(answer, "status", 200))),
    Deviation("replay-silent", "a replayed answer has no header", FOLLOW,
               answer=replayed(lambda answer: answer.headers.clear())),
    Deviation("version-header", "each request needs X-Api-Version", FILL,
               {"error": "X-Api-Version is required, for example 2026-01-01"},
               request=header("x-api-version", 400, {
                   "error": "X-Api-Version is required, for example 2026-01-01"})),
    Deviation("ids-number", "ids are numbers", FOLLOW, request=numbers_in, answer=numbers_out),
    Deviation("times-unix", "times of answers are unix times", FOLLOW,
               answer=times(lambda moment: int(moment.timestamp()))),
    Deviation("times-offset", "times of answers have an offset and no fraction", FOLLOW,
               answer=times(lambda moment: moment.isoformat(timespec="seconds"))),
    Deviation("nulls", "individuals have null for what is absent", FOLLOW,
               answer=each(with_nulls, "individuals")),
    Deviation("no-nulls", "transfers and conversions leave out what is null", FOLLOW,
               answer=each(without_nulls, "transfers", "conversions")),
    Deviation("echo-upper", "names of people are answered in upper case", FOLLOW,
               answer=each(upper_names, "individuals")),
    Deviation("names-camel", "all names are in camelCase", HOPELESS,
               {"errors": [{"message": "Property names must be camelCase"}]},
               request=camel_in, answer=camel_out),
    Deviation("names-full", "the name of a person is one field", HOPELESS,
               {"errors": {"full_name": ["is required"]}}, request=only(full_name_in, PERSON)),
    Deviation("images-multipart", "images are form uploads", HOPELESS, "multipart/form-data",
               request=only(refuse(415, {"message": "Content-Type must be multipart/form-data"}),
                            IMAGES)),
    Deviation("onramp-never", "conversion accounts stay pending", HOPELESS,
               answer=each(pending_for_ever, "conversion_accounts")),
    Deviation("contradiction-id", "a creation answers an id that nothing has", HOPELESS,
               answer=other_id),
    Deviation("contradiction-amounts", "transfers show twice the amounts", HOPELESS,
               answer=each(doubled, "transfers")),
    Deviation("created-empty", "creations answer nothing but a Location", HOPELESS,
               answer=only(empty_body, *CREATIONS)),
    Deviation("email-silent", "an e-mail is required and the refusal is empty", HOPELESS, "",
               request=only(lambda call, _: None if call.body.get("email") else refuse(400, "")(
                   call, _), PERSON)),
    Deviation("email-elsewhere", "a recipient without e-mail is refused later", FOLLOW,
               {"error": "recipient.email is required for this payout"},
               request=only(no_email, QUOTE, TRANSFER)),
]  # fmt: skip
