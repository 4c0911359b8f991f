"""Laying the sides over one another: which payment is missing where, and what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from .references import Reference
from .sides import EVENTS, LIST, REFERENCES, Entry, Key, Line

UNKNOWN = "unknown"
"""The family of a reference that nothing answers to."""

LAST = datetime.max.replace(tzinfo=UTC)


def compare(
    listed: Mapping[Key, Entry],
    told: Mapping[Key, Entry] | None = None,
    books: Iterable[Reference] | None = None,
    since: datetime | None = None,
) -> list[Line]:
    """A line a payment, oldest first; events are missed of payments made from `since` on."""
    matched, strangers = _matched(books or (), listed)
    families = {family for family, _ in matched}
    expected = Expected(told is not None, since, families if books is not None else set())
    keys = dict.fromkeys([*listed, *(told or {})])
    lines = [
        _line(key, {LIST: listed.get(key), EVENTS: (told or {}).get(key)}, matched, expected)
        for key in keys
    ]
    lines.sort(key=lambda line: (line.first("created_at") or LAST, line.id))
    return [*lines, *map(_stranger, strangers)]


class Expected:
    """Where a payment has to be found."""

    def __init__(self, events: bool, since: datetime | None, families: set[str]) -> None:
        self._events, self._since, self._families = events, since, families

    def missing(self, family: str, sides: Mapping[str, Entry]) -> Iterator[str]:
        """The sides that should have a payment and do not."""
        if LIST not in sides:
            yield "missing in list"
        elif self._events and EVENTS not in sides and self._is_late(sides[LIST]):
            yield "missing in events"
        if family in self._families and REFERENCES not in sides:
            yield "missing in references"

    def _is_late(self, entry: Entry) -> bool:
        return self._since is None or entry.created_at is None or entry.created_at >= self._since


Matched = dict[Key, list[Reference]]


def _matched(
    books: Iterable[Reference], listed: Mapping[Key, Entry]
) -> tuple[Matched, list[Reference]]:
    """The references by the payment they speak of, and those that speak of none."""
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
    key: Key, found: Mapping[str, Entry | None], matched: Matched, expected: Expected
) -> Line:
    references = matched.get(key, [])
    sides = {side: entry for side, entry in found.items() if entry is not None}
    if references:
        sides[REFERENCES] = _as_entry(references[0])
    problems = [*expected.missing(key[0], sides), *_differing(sides)]
    if len(references) > 1:
        problems.append(f"twice in references: {len(references)} rows")
    return Line(*key, sides, tuple(problems))


def _differing(sides: Mapping[str, Entry]) -> Iterator[str]:
    """What the other sides say otherwise than the list; what they do not say is no difference."""
    truth = sides.get(LIST)
    for side in (EVENTS, REFERENCES):
        if truth is None or side not in sides:
            continue
        for name in ("status", "amount", "currency"):
            ours, theirs = getattr(truth, name), getattr(sides[side], name)
            if theirs is not None and ours != theirs:
                yield f"{name} differs in {side}: {ours} listed, {theirs} there"


def _stranger(reference: Reference) -> Line:
    problem = "missing in list"
    return Line(UNKNOWN, reference.key, {REFERENCES: _as_entry(reference)}, (problem,))


def _as_entry(reference: Reference) -> Entry:
    currency = reference.currency and reference.currency.upper()
    return Entry(reference.status, reference.amount, currency, reference.reference)
