"""The rows of a list to keep: a limit, a time, statuses; and when reading can end."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors.base import ConfigWarning, PaylabWarning, Problem, RuleError, warn_caller
from ..errors.names import find_nearest_name
from ..spec import status
from ..spec.codes import PAGE_MAX
from ..spec.service.lists import Order
from ..spec.text import normalize_name, plain
from . import times
from .columns import schema_of
from .text_table import PagePart


def read_statuses(values: str | Collection[str] | None) -> frozenset[str] | None:
    """The words to keep, from one word, a comma-separated text or a list; None for all.

    RuleError if there is no word.
    """
    if values is None:
        return None
    words = values.split(",") if isinstance(values, str) else values
    statuses = frozenset(word.strip() for word in words) - {""}
    if not statuses:
        raise RuleError([Problem("status", "is empty: name a status, or leave it out for all")])
    return statuses


def read_reference(value: str | None, kind: str) -> str | None:
    """The reference to keep in Unicode NFC; RuleError if it is blank, or if rows have none."""
    if value is None:
        return None
    if REFERENCE not in schema_of(kind).names:
        raise RuleError([Problem(REFERENCE, f"is no field of {kind}")])
    name = normalize_name(value) if isinstance(value, str) else ""
    if not name:
        raise RuleError([Problem(REFERENCE, "must be text that is not blank")])
    return name


def known_statuses(values: str | Collection[str] | None, kind: str) -> frozenset[str] | None:
    """The statuses to keep; a warning for each that is not known, as a service may have more."""
    statuses = read_statuses(values)
    states = status.MACHINES[kind].states if kind in status.MACHINES else statuses or ()
    for word in sorted((statuses or frozenset()).difference(states)):
        nearest = find_nearest_name(word, states)
        hint = f"nearest: {nearest}" if nearest else f"known: {', '.join(states)}"
        message = f"{plain(word, 40)!r} is not a known status of {kind}; {hint}"
        warn_caller(message, ConfigWarning)
    return statuses


REFERENCE = "client_reference_id"


class OrderWarning(PaylabWarning):
    """The whole list is read to find rows since a time, because its order is not known."""


UNDECLARED = (
    "the order of the list is not known, so all of it is read; if you know that the service lists"
    ' the newest rows first, set lists.order = "newest_first" in service.toml, or connect with'
    ' list_order="newest_first"'
)
CONTRADICTED = "the list is not newest first as declared, so all of it is read"


@dataclass
class Selection:
    """Keeps at most `limit` ids, created from `since` to before `until`, with one of `statuses`.

    `reference` is a client_reference_id in Unicode NFC, as by `read_reference`.

    Reading ends before the end of the list only if `order` is "newest_first", no row contradicted
    that, and the last row is older than `since`.
    """

    limit: int | None = None
    since: datetime | None = None
    order: Order = "unknown"
    statuses: frozenset[str] | None = None
    reference: str | None = None
    until: datetime | None = None
    kept: int = 0
    reached: bool = False
    _ids: set[str] = field(default_factory=set)
    _last: int | None = None
    _is_partial: bool = False
    _has_warned: bool = False

    def ahead(self, pending: int) -> bool:
        """Whether to fetch the next page while `pending` pages are not decoded yet."""
        if self.since is not None and self.order == "newest_first":
            return False
        return self.limit is None or self.kept + pending * PAGE_MAX < self.limit

    def apply(self, part: PagePart) -> PagePart:
        """The part with only the wanted rows."""
        table = part.table if self.since is None else self._newer(part, self.since)
        table = table if self.until is None else _older(table, self.until)
        if self.statuses is not None:
            table = table.filter(pc.is_in(table["status"], pa.array(sorted(self.statuses))))
        if self.reference is not None:
            names = pc.utf8_trim_whitespace(pc.utf8_normalize(table[REFERENCE], "NFC"))
            table = table.filter(pc.equal(names, self.reference))
        table = table if self.limit is None else self._first(table, self.limit)
        self.reached |= self.kept == self.limit
        self._is_partial |= table.num_rows < part.table.num_rows
        sizes = _fitted(part.sizes, table.num_rows)
        return replace(part, table=table, sizes=sizes, more=part.more or self._is_partial)

    def _first(self, table: pa.Table, limit: int) -> pa.Table:
        """The rows up to the limit; a row that the list repeats counts once."""
        for row, id_ in enumerate(table["id"].to_pylist()):
            if id_ in self._ids:
                continue
            if self.kept == limit:
                return table.slice(0, row)
            self._ids.update({id_} - {None})
            self.kept += 1
        return table

    def _newer(self, part: PagePart, since: datetime) -> pa.Table:
        """The rows that are new enough, and those with an unreadable time."""
        created = times.read_times(part.table["created_at"], "created_at")
        start = pa.scalar(since, times.INSTANT)
        message = UNDECLARED
        if self.order == "newest_first" and not self._falls(created):
            self.order = "unknown"
            message = CONTRADICTED
        if self.order == "newest_first":
            self.reached |= self._last is not None and self._last < int(start.value)
        elif part.more and not self._has_warned:
            self._has_warned = True
            warn_caller(message, OrderWarning)
        return part.table.filter(pc.fill_null(pc.greater_equal(created, start), True))

    def _falls(self, created: pa.ChunkedArray) -> bool:
        """Whether times never increase, starting from the last known one; ignores missing times."""
        values = created.drop_null().cast(pa.int64()).to_numpy()
        if not len(values):
            return True
        last_value = values[:1] if self._last is None else [self._last]
        self._last = int(values[-1])
        return not bool((np.diff(np.concatenate([last_value, values])) > 0).any())


def _older(table: pa.Table, until: datetime) -> pa.Table:
    """The rows that are old enough, and those with an unreadable time."""
    created = times.read_times(table["created_at"], "created_at")
    end = pa.scalar(until, times.INSTANT)
    return table.filter(pc.fill_null(pc.less(created, end), True))


def _fitted(sizes: tuple[int, ...], rows: int) -> tuple[int, ...]:
    """The numbers of rows per page after cutting the total."""
    fitted = []
    for size in sizes:
        fitted.append(min(size, rows))
        rows -= fitted[-1]
    return tuple(fitted)
