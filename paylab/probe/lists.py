"""Find the paths, envelopes, pages and order of a service's lists."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from ..spec import timestamps
from ..spec.envelope import read_envelope
from ..spec.operations.records import LISTS
from ..spec.service_keys import NONE
from .answers import ServiceReply
from .inquiry import PREFIX, READS, Inquiry, Question, keys_of
from .paths import find_list

LIMITS = ("limit", "page_size", "per_page", "size", "count", "pageSize", "first", "max_results")
CURSORS = (
    *("cursor", "page_token", "after", "next", "next_cursor", "starting_after"),
    *("pageToken", "continuation", "token"),
)
LARGEST = 10_000
FEWEST = 3
"""Minimum rows to determine an order."""
PARTS = (
    *("envelope", "items", "more", "cursor", "limit_parameter", "cursor_parameter"),
    *("max_limit", "default_limit", "over_limit", "order"),
)


class _Seen(NamedTuple):
    """The value of one part of one list, and its evidence."""

    value: Any
    replies: tuple[ServiceReply, ...]


class List:
    """One list during the probe."""

    def __init__(self, inquiry: Inquiry, name: str, reply: ServiceReply) -> None:
        self.inquiry, self.name, self.first = inquiry, name, reply
        self.path = inquiry.path(name)
        self.form = inquiry.service.list(name)
        self.seen: dict[str, _Seen] = {}
        self.rows, self.more = self._envelope()

    def note(self, part: str, value: Any, *replies: ServiceReply) -> None:
        """Store the value of a part."""
        self.seen[part] = _Seen(value, replies or (self.first,))

    def _envelope(self) -> tuple[list[Any], bool]:
        """Read the envelope of the first page: its names, rows, and whether more follow."""
        found = read_envelope(self.first.body, self.form)
        if found is None:
            return [], False
        self.note("envelope", found.kind)
        more = found.more or (NONE if found.cursor else "")
        for part, name in (("items", found.items), ("more", more), ("cursor", found.cursor)):
            if name:
                self.note(part, name)
        return list(found.rows), found.follows

    @property
    def is_array(self) -> bool:
        """Whether the list is a bare array of all rows."""
        return "envelope" in self.seen and self.seen["envelope"].value == "array"

    def order(self) -> None:
        """Determine the order by created_at, if there are enough rows."""
        times = list(_times(self.rows))
        if len(times) < FEWEST or len(set(times)) < FEWEST:
            return
        orders = {"newest_first": sorted(times, reverse=True), "oldest_first": sorted(times)}
        found = [name for name, wanted in orders.items() if wanted == times]
        self.note("order", found[0] if found else "unknown")

    def limits(self) -> None:
        """Find the page size: parameter, default, maximum, and the answer above it."""
        if self.more:
            self.note("default_limit", len(self.rows))
        name = self.form.limit_parameter
        over = self._read(name, self.form.max_limit + 1)
        if not over.went_well:
            self.note("limit_parameter", name, over)
        elif not self._find("limit_parameter", (name, *LIMITS), 0):
            return
        elif self.seen["limit_parameter"].value != name:
            name = str(self.seen["limit_parameter"].value)
            over = self._read(name, self.form.max_limit + 1)
        self._largest(name, over)

    def cursors(self) -> None:
        """Find the cursor parameter."""
        self._find("cursor_parameter", (self.form.cursor_parameter, *CURSORS), PREFIX)

    def _read(self, parameter: str, value: object) -> ServiceReply:
        return self.inquiry.requests.get(f"{self.path}?{parameter}={value}")

    def _find(self, part: str, names: tuple[str, ...], wrong: object) -> bool:
        """Find the first parameter whose wrong value is refused; whether there is one."""
        for name in dict.fromkeys(names):
            reply = self._read(name, wrong)
            if reply.status in range(400, 500):
                self.note(part, name, reply)
                return True
        return False

    def _largest(self, name: str, over: ServiceReply) -> None:
        """Find the maximum, from the answer to one more than the assumed one."""
        if over.went_well:
            above = self._read(name, LARGEST)
            if above.went_well:
                self._capped(above)
                return
            over = above
        self.note("over_limit", "refuse", over)
        named = [n for each in over.complaints for n in each.numbers if 1 < n <= LARGEST]
        named = [n for n in named if n not in (self.form.max_limit + 1, LARGEST)] or named
        for most in dict.fromkeys((*named[-1:], self.form.max_limit, 50, 200, 500, 1000)):
            good = self._read(name, most)
            if good.went_well:
                bad = over if most == self.form.max_limit else self._read(name, most + 1)
                if not bad.went_well:
                    self.note("max_limit", most, good, bad)
                    return

    def _capped(self, reply: ServiceReply) -> None:
        """Request a very large page: if more rows follow, its size is the maximum."""
        self.note("over_limit", "cap", reply)
        page = List(self.inquiry, self.name, reply)
        if page.more:
            self.note("max_limit", len(page.rows), reply)


def _ask(inquiry: Inquiry) -> None:
    """Find every list, and read its first page and refusals."""
    lists = []
    for name in LISTS:
        reply = find_list(inquiry, name)
        if reply is None:
            continue
        one = List(inquiry, name, reply)
        inquiry.rows[name] = one.rows
        one.order()
        if not one.is_array and "items" in one.seen:
            one.limits()
            one.cursors()
        lists.append(one)
    answer_parts(inquiry, lists)


def answer_parts(inquiry: Inquiry, lists: list[List]) -> None:
    """Answer every part for all lists, and for each one that differs."""
    for part in PARTS:
        _answer(inquiry, part, lists)


def _answer(inquiry: Inquiry, part: str, lists: list[List]) -> None:
    """Answer a part for all lists and for each one that differs from them."""
    base_key = f"lists.{part}"
    seen = {one.name: one.seen[part] for one in lists if part in one.seen}
    base = inquiry.assumed.value(base_key)
    common = [name for name in seen if inquiry.assumed.value(f"lists.{name}.{part}") == base]
    values = [seen[name].value for name in common]
    if len(values) > 1 and values.count(values[0]) == len(values):
        base = values[0]
    if base in values:
        replies = [seen[name].replies[0] for name in common if seen[name].value == base]
        inquiry.answer(base_key, base, *replies)
    for name, found in seen.items():
        inquiry.answer(f"lists.{name}.{part}", found.value, *found.replies)
    for key in (base_key, *(f"lists.{name}.{part}" for name in LISTS)):
        inquiry.skip(key, _reason(part, key, lists))


def _reason(part: str, key: str, lists: list[List]) -> str:
    """The reason why a part of a list is unknown."""
    name = key.split(".")[1]
    found = [one for one in lists if one.name == name]
    if key.count(".") == 1:
        return "too few lists show it"
    if not found:
        return "the service has no such list, or it did not answer"
    if found[0].is_array:
        return "the list is a bare array"
    if part in ("default_limit", "max_limit", "order"):
        return f"the list has only {len(found[0].rows)} rows"
    return "the list does not show it"


def _times(rows: list[Any]) -> Iterator[datetime]:
    for row in rows:
        text = row.get("created_at") if isinstance(row, dict) else None
        try:
            yield timestamps.from_text(str(text))
        except ValueError:
            continue


QUESTIONS = (Question(READS, _ask, *(f"paths.{name}" for name in LISTS), *keys_of("lists.")),)
