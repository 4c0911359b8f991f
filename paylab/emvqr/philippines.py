"""QR Ph texts of the kind that banks and wallets in the Philippines issue."""

from __future__ import annotations

from ..errors import EMVError
from . import tags
from .fields import Tree
from .payload import AMOUNT
from .text import build

NAME_MAX, CITY_MAX, AMOUNT_MAX = 25, 15, 13
PAYMENT_TYPE = "99964403"  # what texts in circulation carry for InstaPay, person to person
CATEGORY = "6016"
PESO = "608"


def qrph(  # noqa: PLR0913 - what a payer is told, each part by its name
    *,
    acquirer: str,
    account: str,
    name: str,
    city: str,
    reference: str = "",
    amount: str | None = None,
) -> str:
    """A person-to-person text; name and city are cut to the lengths the standard allows.

    Without an amount the payer chooses it and the text may be paid many times.
    """
    _require(acquirer=acquirer, account=account, name=name, city=city)
    fields: dict[str, str | Tree] = {"00": "01", "01": "12" if amount else "11"}
    fields[tags.P2P_TAG] = _template(acquirer, account, reference)
    fields |= {"52": CATEGORY, "53": PESO}
    fields |= {"54": _amount(amount)} if amount else {}
    return build(fields | {"58": "PH", "59": name[:NAME_MAX], "60": city[:CITY_MAX]})


def _template(acquirer: str, account: str, reference: str) -> Tree:
    start = {"00": tags.P2P, "01": acquirer, "02": PAYMENT_TYPE}
    return {**start, "03": reference, "04": account} if reference else {**start, "04": account}


def _require(**parts: str) -> None:
    empty = [name for name, value in parts.items() if not value]
    if empty:
        raise EMVError(f"a QR Ph text needs {', '.join(empty)}")


def _amount(text: str) -> str:
    if len(text) > AMOUNT_MAX or not AMOUNT.fullmatch(text):
        raise EMVError(f"bad amount {text!r}: digits and a point, at most {AMOUNT_MAX} characters")
    return text
