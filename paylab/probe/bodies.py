"""The fields of quotes, transfers, conversion accounts and sandbox deposits.

The refusal of an empty body names the required fields; the refusal of a body with a wrong value
for every possible name shows which names the service reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from ..spec import assumptions
from ..spec.service_keys import NONE
from .answers import ServiceReply
from .inquiry import REFUSALS, UNKNOWN_ID, Inquiry, Question, ordered
from .names import known_names

WRONG = "paylab-probe"
LONG = "paylab-probe " * 160
LENGTHS = (36, 50, 64, 100, 128, 255, 256, 500, 512)


class _Body(NamedTuple):
    """A body to post: the key of its path, our field names, and a wrong value for each.

    `base` are the required fields of the spec.
    """

    group: str
    path: str
    wrong: Mapping[str, Any]
    base: tuple[str, ...] = ()

    def keys(self) -> dict[str, str]:
        """The key of each of our names."""
        return {name: f"{self.group}.fields.{name}" for name in self.wrong}


_MONEY = {"destination_amount": {}, "net_source_amount": {}, "source_network": WRONG}
TRANSFER = _Body(
    "transfers",
    "create_transfer",
    {**_MONEY, "source_type": WRONG, "client_reference_id": LONG},
    (
        *("financial_account", "financial_account_id", "payout_method", "source_amount"),
        *("source_currency", "destination_currency", "destination_amount", "net_source_amount"),
    ),
)
BODIES = (
    _Body(
        "quotes",
        "quotes",
        {
            "source_amount": {},
            **_MONEY,
            "source_currency": WRONG,
            "destination_currency": WRONG,
            "payout_method": WRONG,
            "financial_account": 0,
        },
    ),
    TRANSFER,
    _Body(
        "conversion_accounts",
        "create_conversion_account",
        {
            "individual_id": {},
            "payout_account": 0,
            "source_currency": WRONG,
            "destination_currency": WRONG,
            "client_reference_id": LONG,
        },
        ("individual_id", "payout_account", "payout_account_id", "source_currency"),
    ),
    _Body(
        "sandbox_deposits",
        "sandbox_deposits",
        {"conversion_account_id": {}, "amount": {}, "currency": WRONG, "sender_name": 0},
    ),
)


ACCOUNTS = (
    ("quotes", "quotes", "financial_account"),
    ("conversion_accounts", "create_conversion_account", "payout_account"),
)
"""The fields that name an account, by an object or by its id."""


def field_names(inquiry: Inquiry) -> None:
    """Find the name of every field that can be sent."""
    for body in BODIES:
        path = inquiry.path(body.path, UNKNOWN_ID)
        if not path:
            for key in body.keys().values():
                inquiry.skip(key, "the service has no such operation")
            continue
        _fields(inquiry, body, _empty(inquiry, body.path), _wrong(inquiry, body))


def _empty(inquiry: Inquiry, name: str) -> ServiceReply:
    """The answer to a body without any field."""
    path = inquiry.path(name, UNKNOWN_ID)
    return inquiry.remember(f"empty {name}", lambda: _post(inquiry, path, {}))


def _wrong(inquiry: Inquiry, body: _Body) -> ServiceReply:
    """The response to a body with a wrong value for every possible name."""
    path = inquiry.path(body.path, UNKNOWN_ID)
    sent = {
        name: value
        for our, value in body.wrong.items()
        for name in known_names(f"{body.group}.fields.{our}")
        if not name.endswith("account_id") or our.endswith("account_id")
    }
    return inquiry.remember(f"wrong {body.path}", lambda: _post(inquiry, path, sent))


def _post(inquiry: Inquiry, path: str, body: Any) -> ServiceReply:
    return inquiry.requests.refused(path, body, inquiry.requests.new_key())


def _fields(inquiry: Inquiry, body: _Body, empty: ServiceReply, wrong: ServiceReply) -> None:
    keys = body.keys()
    missing = [name.split(".")[0] for name in empty.missing()]
    read = [each.field.split(".")[0] for each in wrong.complaints if not each.unknown]
    theirs = list(dict.fromkeys([*missing, *read]))
    for our, name in inquiry.match(keys, theirs, without=("", *body.base)).items():
        shows = [each for each, names in ((empty, missing), (wrong, read)) if name in names]
        inquiry.answer(keys[our], name, *shows)


def _required(inquiry: Inquiry) -> None:
    """Find the required fields in addition to `base`."""
    for body in BODIES:
        key = f"{body.group}.required"
        if key not in assumptions.KEYS:
            continue
        empty = _empty(inquiry, body.path)
        if not empty.missing():
            continue
        back = {str(inquiry.value(each)): our for our, each in body.keys().items()}
        asked = [back.get(name, name) for name in empty.missing() if "." not in name]
        extra = [name for name in asked if name not in body.base]
        values = assumptions.KEYS[key].values
        known = ordered([name for name in extra if name in values], key)
        inquiry.answer(key, known, empty)


def _references(inquiry: Inquiry) -> None:
    """Find the maximum length of a reference: the one in the refusal, or a likely one."""
    for body in BODIES:
        if "client_reference_id" in body.wrong:
            _reference(inquiry, body)


def _reference(inquiry: Inquiry, body: _Body) -> None:
    key, path = f"{body.group}.max_reference", inquiry.path(body.path)
    name = str(inquiry.value(f"{body.group}.fields.client_reference_id"))
    wrong = _wrong(inquiry, body)
    if not wrong.about(name):
        return
    named = [number for each in wrong.about(name) for number in each.numbers]
    tried: dict[int, ServiceReply] = {}

    def fits(length: int) -> bool:
        if length not in tried:
            tried[length] = _post(inquiry, path, {name: ("paylab-probe-" * 100)[:length]})
        return not tried[length].about(name) and bool(tried[length].complaints)

    assumed = int(inquiry.value(key))
    for most in dict.fromkeys((*named, assumed, *LENGTHS)):
        if 0 < most <= 1000 and fits(most) and (most in named or not fits(most + 1)):
            inquiry.answer(key, most, tried[most], wrong)
            return


def account_ids(inquiry: Inquiry) -> None:
    """Send an unknown account id: a name that the service does not read changes nothing."""
    for group, body_path, whole in ACCOUNTS:
        key, path = f"{group}.fields.{whole}_id", inquiry.path(body_path)
        if not path or inquiry.knows(key):
            continue
        empty = _empty(inquiry, body_path)
        names = (name for name in known_names(key) if name.endswith("id"))
        name, reply = _first_read(inquiry, path, empty, names)
        if reply is None:
            inquiry.skip(key, "the service names the account by an object")
            continue
        inquiry.answer(key, name, reply)
        if name in empty.missing():
            inquiry.answer(f"{group}.account_form", "id", empty)


def _first_read(
    inquiry: Inquiry, path: str, empty: ServiceReply, names: Iterable[str]
) -> tuple[str, ServiceReply | None]:
    """The first name under which an unknown id changes the response, and that response."""
    for name in names:
        reply = _post(inquiry, path, {name: UNKNOWN_ID})
        is_unknown = any(each.unknown and each.field == name for each in reply.complaints)
        same = reply.status == empty.status and set(reply.missing()) == set(empty.missing())
        if not is_unknown and not same and reply.status in range(400, 500):
            return name, reply
    return "", None


def quote_reference(inquiry: Inquiry) -> None:
    """Send the id of a quote that does not exist, under all possible names."""
    path = inquiry.path("create_transfer")
    key, empty = "transfers.fields.quote_id", _empty(inquiry, "create_transfer")
    name, reply = _first_read(inquiry, path, empty, known_names(key))
    if reply is not None:
        inquiry.answer(key, name, reply)
        if not reply.missing():
            inquiry.answer("error_codes.unknown_quote", reply.status, reply)


def source_types(inquiry: Inquiry) -> None:
    """Find the words of source_type: those in the refusal, or not refused."""
    key = "transfers.source_types"
    name = str(inquiry.value("transfers.fields.source_type"))
    path, wrong = inquiry.path("create_transfer"), _wrong(inquiry, TRANSFER)
    if not wrong.about(name):
        return
    values = [str(each) for each in assumptions.KEYS[key].values]
    named = [word for each in wrong.about(name) for word in each.choices if word in values]
    if named:
        inquiry.answer(key, ordered(named, key), wrong)
        return
    replies = {
        word: _post(inquiry, path, {name: word, "source_currency": "USDC"}) for word in values
    }
    taken = [word for word, reply in replies.items() if not reply.about(name)]
    inquiry.answer(key, ordered(taken, key), *replies.values())


def forms(inquiry: Inquiry) -> None:
    """Find whether an account is named by an object or its id, and the default currency."""
    for group, path, whole in ACCOUNTS:
        if not inquiry.path(path):
            inquiry.skip(f"{group}.account_form", "the service has no such operation")
            continue
        empty = _empty(inquiry, path)
        missing = empty.missing()
        for form, our in (("object", whole), ("id", f"{whole}_id")):
            if str(inquiry.value(f"{group}.fields.{our}")) in missing:
                inquiry.answer(f"{group}.account_form", form, empty)
                break
    _default_currency(inquiry)


def _default_currency(inquiry: Inquiry) -> None:
    """The currency of a quote that names none, as far as a refusal tells."""
    key = "quotes.default_source_currency"
    if not inquiry.path("quotes"):
        return
    empty = _empty(inquiry, "quotes")
    missing = empty.missing()
    if inquiry.value("quotes.fields.source_currency") in missing:
        inquiry.answer(key, NONE, empty)
    elif inquiry.value("quotes.fields.source_network") in missing:
        inquiry.answer(key, "usdc", empty)


def amounts(inquiry: Inquiry) -> None:
    """Request a quote without an account: with text and upper case, then the other way."""
    path = inquiry.path("quotes")
    group, target = ("quotes", path) if path else ("transfers", inquiry.path("create_transfer"))
    text = {"source_amount": "10.50", "source_currency": "USD", "destination_currency": "MXN"}
    number = {"source_amount": Decimal("10.50"), "source_currency": "usd"}
    one = _post(inquiry, target, inquiry.sent(group, text))
    other = _post(inquiry, target, inquiry.sent(group, number | {"destination_currency": "mxn"}))
    if not one.complaints or not other.complaints:
        return
    names = inquiry.sent(group, dict.fromkeys(text))
    amount, *currencies = names
    bad = [bool(reply.about(amount)) for reply in (one, other)]
    if any(bad) and not all(bad):
        inquiry.answer("amounts.requests", "number" if bad[0] else "text", one, other)
    else:
        words = "text and numbers are refused alike" if all(bad) else "text and numbers are taken"
        inquiry.unclear("amounts.requests", words, one, other)
    wrong = [any(reply.about(name) for name in currencies) for reply in (one, other)]
    if not all(wrong):
        case = "lower" if wrong[0] else "upper" if wrong[1] else "any"
        inquiry.answer("currencies.case", case, one, other)


_SENT = tuple(key for body in BODIES for key in body.keys().values())
QUESTIONS = (
    Question(REFUSALS, field_names, *_SENT),
    Question(REFUSALS, _required, "transfers.required", "conversion_accounts.required"),
    Question(REFUSALS, _references, "transfers.max_reference", "conversion_accounts.max_reference"),
    Question(REFUSALS, quote_reference, "transfers.fields.quote_id", "error_codes.unknown_quote"),
    Question(REFUSALS, source_types, "transfers.source_types"),
    Question(REFUSALS, forms, "quotes.account_form", "conversion_accounts.account_form"),
    Question(
        REFUSALS,
        account_ids,
        "quotes.fields.financial_account_id",
        "conversion_accounts.fields.payout_account_id",
    ),
    Question(REFUSALS, amounts, "amounts.requests", "currencies.case"),
)
