"""Compare payments by list, by events and by your own books: missing ones and differences.

The amount of a transfer is its source amount; that of a conversion is its deposit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ExactnessError, Problem, RuleError
from ..files import CsvRow, csv_header, csv_rows
from ..spec import timestamps
from .event import Event, Mark
from .event_order import is_stale

if TYPE_CHECKING:
    import pandas as pd


LIST, EVENTS, REFERENCES = "list", "events", "references"
SIDES = (LIST, EVENTS, REFERENCES)
AMOUNTS = {"transfer": ("source_amount", "source_currency"), "conversion": ("amount", "currency")}

Key = tuple[str, str]
"""A resource: its family and its id."""


class Statement(NamedTuple):
    """What one side records about a resource."""

    status: str | None = None
    amount: Decimal | None = None
    currency: str | None = None
    reference: str | None = None
    created_at: datetime | None = None


@dataclass(frozen=True)
class ReconciledLine:
    """One resource, what each side records about it, and the problems."""

    family: str
    id: str
    sides: Mapping[str, Statement]
    problems: tuple[str, ...]

    def first(self, name: str) -> Any:
        """A field from the first side that has it."""
        values = (getattr(self.sides[side], name) for side in SIDES if side in self.sides)
        return next((value for value in values if value is not None), None)


def of_list(family: str, rows: Iterable[Mapping[str, Any]]) -> dict[Key, Statement]:
    """The side of the list."""
    return {(family, str(row.get("id"))): _entry(family, row) for row in rows}


def of_events(events: Iterable[Event]) -> dict[Key, Statement]:
    """The side of the events: each resource's latest event, in any order of arrival."""
    latest: dict[Key, Mark] = {}
    entries: dict[Key, Statement] = {}
    for event in events:
        key = event.family, event.id
        if event.family in AMOUNTS and not is_stale(event.mark, latest.get(key)):
            latest[key] = event.mark
            entries[key] = _entry(event.family, event.payload)
    return entries


def _entry(family: str, row: Mapping[str, Any]) -> Statement:
    amount, currency = AMOUNTS[family]
    deposit = row.get("deposit")
    paid = row if family == "transfer" else deposit if isinstance(deposit, Mapping) else {}
    return Statement(
        _word(row.get("status")),
        _decimal(paid.get(amount)),
        str(paid.get(currency) or "").upper() or None,
        _word(row.get("client_reference_id")),
        timestamps.read(row.get("created_at")),
    )


MOST_DIGITS = 38
"""Maximum exponent: printing a large one would fill the memory."""


def _word(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _decimal(value: object) -> Decimal | None:
    """An amount, or None when the service sent something else."""
    try:
        amount = Decimal(value) if isinstance(value, str | Decimal) else Decimal("NaN")
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and abs(amount.adjusted()) <= MOST_DIGITS else None


COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "transfer_id", "conversion_id"),
    "reference": ("client_reference_id", "reference", "client_reference"),
    "amount": ("amount", "source_amount", "deposit_amount"),
    "currency": ("currency", "source_currency", "deposit_currency"),
    "status": ("status",),
}
"""The known columns by meaning; `id` or `reference` is required."""

EXACT_DIGITS = 15
"""Digits that a float keeps; with more, the original text is lost."""


@dataclass(frozen=True)
class Reference:
    """One row of the user's list."""

    id: str | None = None
    reference: str | None = None
    amount: Decimal | None = None
    currency: str | None = None
    status: str | None = None

    @property
    def key(self) -> str:
        """The key of its references."""
        return self.id or self.reference or ""


def references(source: str | PathLike[str] | pd.DataFrame) -> list[Reference]:
    """The rows of a CSV file or a frame; ExactnessError names an invalid amount."""
    names, rows = _table(source)
    columns = {meaning: _column(names, known) for meaning, known in COLUMNS.items()}
    if names and columns["id"] is None and columns["reference"] is None:
        raise _invalid("needs a column id or client_reference_id")
    return [_reference(row, columns, number) for number, row in enumerate(rows, 1)]


def _invalid(message: str) -> RuleError:
    return RuleError([Problem("references", message, "reconcile")])


def _table(
    source: str | PathLike[str] | pd.DataFrame,
) -> tuple[list[str], list[Mapping[Any, Any]]]:
    """The columns and the rows of a file or a frame."""
    if isinstance(source, str | PathLike):
        rows = [_whole_row(row, number) for number, row in enumerate(csv_rows(source), 1)]
        return csv_header(source), rows
    return list(source.columns), list(source.reset_index(drop=True).to_dict("records"))


def _whole_row(row: CsvRow, number: int) -> Mapping[str, Any]:
    if row.surplus:
        raise _invalid(f"row {number} has more cells than the header: is a comma not in quotes?")
    return row.cells


def _column(names: list[str], known: tuple[str, ...]) -> str | None:
    by_word = {str(name).strip().casefold(): name for name in names}
    return next((by_word[word] for word in known if word in by_word), None)


def _reference(row: Mapping[str, Any], columns: Mapping[str, str | None], number: int) -> Reference:
    found = {name: _text(row.get(column)) for name, column in columns.items() if column}
    amount = found.pop("amount", None)
    return Reference(**found, amount=_amount(amount, number))


def _text(value: Any) -> str | None:
    """A cell as text; blank and missing are None."""
    if value is None or value != value or type(value).__name__ == "NAType":  # noqa: PLR0124 - NaN
        return None
    if isinstance(value, float):
        return _float(value)
    return str(value).strip() or None


def _float(value: float) -> str:
    text = repr(value)
    if len(Decimal(text).normalize().as_tuple().digits) > EXACT_DIGITS:
        raise ExactnessError(f"{text} is a float with too many digits: read the column as text")
    return text


def _amount(text: str | None, number: int) -> Decimal | None:
    if text is None:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite():
        raise ExactnessError(f"row {number} of the references: {text[:40]!r} is not an amount")
    return amount


UNKNOWN = "unknown"
"""The family of a reference without a payment."""

LAST = datetime.max.replace(tzinfo=UTC)


def compare_sides(
    listed: Mapping[Key, Statement],
    reported: Mapping[Key, Statement] | None = None,
    books: Iterable[Reference] | None = None,
    since: datetime | None = None,
) -> list[ReconciledLine]:
    """One line per payment, oldest first; events are expected for payments made since `since`.

    Books of one family may lack the other: what they must have are the families that they match,
    or all of them if they match none.
    """
    matched, strangers = _matched(books or (), listed)
    keys = dict.fromkeys([*listed, *(reported or {})])
    families = {family for family, _ in matched or keys} if books is not None else set()
    expected = Expected(reported is not None, since, families)
    lines = [
        _line(key, {LIST: listed.get(key), EVENTS: (reported or {}).get(key)}, matched, expected)
        for key in keys
    ]
    lines.sort(key=lambda line: (line.first("created_at") or LAST, line.id))
    unpaid = ((each.key, {REFERENCES: _as_entry(each)}) for each in strangers)
    lines += [ReconciledLine(UNKNOWN, name, side, ("missing in list",)) for name, side in unpaid]
    return lines


class Expected:
    """The sides on which a payment must be found."""

    def __init__(self, events: bool, since: datetime | None, families: set[str]) -> None:
        self._events, self._since, self._families = events, since, families

    def missing(self, family: str, sides: Mapping[str, Statement]) -> Iterator[str]:
        """The sides on which a payment is missing."""
        if LIST not in sides:
            yield "missing in list"
        elif self._events and EVENTS not in sides and self._is_late(sides[LIST]):
            yield "missing in events"
        if family in self._families and REFERENCES not in sides:
            yield "missing in references"

    def _is_late(self, entry: Statement) -> bool:
        return self._since is None or entry.created_at is None or entry.created_at >= self._since


Matched = dict[Key, list[Reference]]


def _matched(
    books: Iterable[Reference], listed: Mapping[Key, Statement]
) -> tuple[Matched, list[Reference]]:
    """The references by payment, and those without a payment."""
    keys: dict[str, list[Key]] = {}
    for key, entry in listed.items():
        for name in {key[1], entry.reference} - {None}:
            keys.setdefault(str(name), []).append(key)
    matched: Matched = {}
    strangers = []
    for reference in books:
        found = keys.get(reference.key, [])
        for key in found:
            matched.setdefault(key, []).append(reference)
        strangers += [] if found else [reference]
    return matched, strangers


def _line(
    key: Key, found: Mapping[str, Statement | None], matched: Matched, expected: Expected
) -> ReconciledLine:
    references = matched.get(key, [])
    sides = {side: entry for side, entry in found.items() if entry is not None}
    if references:
        sides[REFERENCES] = _as_entry(references[0])
    problems = [*expected.missing(key[0], sides), *_differing(sides)]
    if len(references) > 1:
        problems.append(f"duplicate in references: {len(references)} rows")
    return ReconciledLine(*key, sides, tuple(problems))


def _differing(sides: Mapping[str, Statement]) -> Iterator[str]:
    """The differences between the other sides and the list; absent values do not count."""
    truth = sides.get(LIST)
    for side in (EVENTS, REFERENCES):
        if truth is None or side not in sides:
            continue
        for name in ("status", "amount", "currency"):
            ours, theirs = getattr(truth, name), getattr(sides[side], name)
            if theirs is not None and ours != theirs:
                yield f"{name} differs in {side}: {ours} in list, {theirs} in {side}"


def _as_entry(reference: Reference) -> Statement:
    currency = reference.currency and reference.currency.upper()
    return Statement(reference.status, reference.amount, currency, reference.reference)
