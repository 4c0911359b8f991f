"""Find the paths, envelopes, pages and order of a service's lists."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from ..spec import timestamps
from ..spec.service_keys import NONE
from .answers import ServiceReply, leaves
from .inquiry import READS, Inquiry, Question, keys_of
from .paths import find_list

LISTS = ("individuals", "transfers", "conversion_accounts", "conversions", "webhook_subscriptions")
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
        self.path = inquiry.path(name) or ""
        self.form = inquiry.service.list(name)
        self.seen: dict[str, _Seen] = {}
        self.rows, self.more = self._envelope()

    def note(self, part: str, value: Any, *replies: ServiceReply) -> None:
        """Store the value of a part."""
        self.seen[part] = _Seen(value, replies or (self.first,))

    def _envelope(self) -> tuple[list[Any], bool]:
        """Read the envelope of the first page: its names, rows, and whether more follow."""
        body = self.first.body
        if isinstance(body, list):
            self.note("envelope", "array")
            return body, False
        values = dict(leaves(body))
        found = [name for name, value in values.items() if isinstance(value, list)]
        items = _preferred(self.form.items, found)
        if items is None:
            return [], False
        self.note("envelope", "object")
        self.note("items", items)
        flags = [name for name, value in values.items() if isinstance(value, bool)]
        more = _preferred(self.form.more, flags)
        self.note("more", more or NONE)
        others = {n: v for n, v in values.items() if n not in (items, more) and _may_be_cursor(v)}
        cursor = _preferred(self.form.cursor, [n for n in others if _is_cursor_name(n)])
        if cursor:
            self.note("cursor", cursor)
        there = values[more] if more else bool(cursor and values[cursor])
        return values[items], bool(there)

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
        over = self._read(self.form.limit_parameter, self.form.max_limit + 1)
        if over.went_well and not self._parameter():
            return
        if not over.went_well:
            self.note("limit_parameter", self.form.limit_parameter, over)
        elif self.seen["limit_parameter"].value != self.form.limit_parameter:
            over = self._read(self._name, self.form.max_limit + 1)
        self._largest(over)

    @property
    def _name(self) -> str:
        seen = self.seen.get("limit_parameter")
        return str(seen.value) if seen else self.form.limit_parameter

    def _read(self, parameter: str, value: object) -> ServiceReply:
        return self.inquiry.requests.get(self.path, f"{parameter}={value}")

    def _parameter(self) -> bool:
        """Whether the service reads a parameter: 0 is refused, or 1 returns one row."""
        for name in dict.fromkeys((self.form.limit_parameter, *LIMITS)):
            reply = self._read(name, 0)
            if reply.status in range(400, 500):
                self.note("limit_parameter", name, reply)
                return True
        return False

    def _largest(self, over: ServiceReply) -> None:
        """Find the maximum, from the answer to one more than the assumed one."""
        if over.went_well:
            above = self._read(self._name, LARGEST)
            if above.went_well:
                self._capped(above)
                return
            over = above
        self.note("over_limit", "refuse", over)
        named = [n for each in over.complaints for n in each.numbers if 1 < n <= LARGEST]
        named = [n for n in named if n not in (self.form.max_limit + 1, LARGEST)] or named
        for most in dict.fromkeys((*named[-1:], self.form.max_limit, 50, 200, 500, 1000)):
            good = self._read(self._name, most)
            if good.went_well:
                bad = over if most == self.form.max_limit else self._read(self._name, most + 1)
                if not bad.went_well:
                    self.note("max_limit", most, good, bad)
                    return

    def _capped(self, reply: ServiceReply) -> None:
        """Request a very large page: if more rows follow, its size is the maximum."""
        self.note("over_limit", "cap", reply)
        page = List(self.inquiry, self.name, reply)
        if page.more:
            self.note("max_limit", len(page.rows), reply)

    def cursors(self) -> None:
        """Find the cursor parameter: a wrong cursor is refused."""
        for name in dict.fromkeys((self.form.cursor_parameter, *CURSORS)):
            reply = self._read(name, "paylab-probe")
            if reply.status in range(400, 500):
                self.note("cursor_parameter", name, reply)
                return


def _ask(inquiry: Inquiry) -> None:
    """Find every list, and read its first page and refusals."""
    lists = []
    for name in LISTS:
        reply = find_list(inquiry, name)
        if reply is None:
            continue
        one = List(inquiry, name, reply)
        inquiry.memory.setdefault("rows", {})[name] = one.rows
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
    common = [name for name in seen if not _has_own(inquiry, name, part)]
    values = [seen[name].value for name in common]
    base = inquiry.assumed.value(base_key)
    if len(values) > 1 and values.count(values[0]) == len(values):
        base = values[0]
    if base in values:
        replies = [seen[name].replies[0] for name in common if seen[name].value == base]
        inquiry.answer(base_key, base, *replies)
    for name, found in seen.items():
        inquiry.answer(f"lists.{name}.{part}", found.value, *found.replies)
    for key in (base_key, *(f"lists.{name}.{part}" for name in LISTS)):
        inquiry.skip(key, _reason(part, key, lists))


def _has_own(inquiry: Inquiry, name: str, part: str) -> bool:
    """Whether one list is assumed to differ from the others."""
    own, base = f"lists.{name}.{part}", f"lists.{part}"
    return bool(inquiry.assumed.value(own) != inquiry.assumed.value(base))


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


def _preferred(assumed: str, found: list[str]) -> str | None:
    return assumed if assumed in found else next(iter(found), None)


def _may_be_cursor(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_cursor_name(name: str) -> bool:
    last = name.rpartition(".")[2].lower()
    return any(word in last for word in ("cursor", "next", "token", "after", "continu"))


def _times(rows: list[Any]) -> Iterator[datetime]:
    for row in rows:
        text = row.get("created_at") if isinstance(row, dict) else None
        try:
            yield timestamps.from_text(str(text))
        except ValueError:
            continue


QUESTIONS = (
    Question(
        "lists",
        READS,
        (*(f"paths.{name}" for name in LISTS), *keys_of("lists.")),
        _ask,
    ),
)
