"""What single deviations do to requests and answers."""

import re
from datetime import datetime
from decimal import Decimal

from third_service.checks import MINOR_UNITS
from third_service.hooks import (
    both,
    camel_names,
    reject,
    rename_answer,
    snake_names,
    values,
)
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
