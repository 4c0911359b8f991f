"""The report: every item with its verdict, the evidence and how to show what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..errors.names import unknown_name_error, with_name_suggestions
from ..errors.text import printable_lines
from ..spec.text import JsonObject
from .item import VERDICTS, JudgedItem, Verdict

MARKS: Mapping[str, str] = {
    "broken": "x",
    "not seen": "?",
    "shown": "+",
    "not applicable": "-",
    "question": "!",
}
"""The mark of each verdict in a text."""


@with_name_suggestions
class Readiness(Sequence[JudgedItem]):
    """Every item with its verdict. `request_count` is the number of requests that were judged."""

    def __init__(self, items: Iterable[JudgedItem], request_count: int, worlds: int = 1) -> None:
        """`worlds` is the number of worlds whose journals were judged."""
        self._items = tuple(items)
        self.request_count = request_count
        self.worlds = worlds

    def __getitem__(self, item: int | slice | str) -> JudgedItem:  # type: ignore[override]
        if isinstance(item, str):
            return self._find_item(item)
        return self._items[item]  # type: ignore[return-value]

    def _find_item(self, item_id: str) -> JudgedItem:
        """The judged item with this id; the error for an unknown id names the nearest ids."""
        for judged_item in self._items:
            if judged_item.item.id == item_id:
                return judged_item
        raise unknown_name_error("item", item_id, self.verdicts)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[JudgedItem]:
        return iter(self._items)

    def of(self, verdict: Verdict) -> list[JudgedItem]:
        """The items with a verdict: shown, not seen, broken, not applicable or question."""
        if verdict not in VERDICTS:
            raise unknown_name_error("verdict", verdict, MARKS)
        return [judged_item for judged_item in self._items if judged_item.verdict == verdict]

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict of each item by its id."""
        return {judged_item.item.id: judged_item.verdict for judged_item in self._items}

    @property
    def counts(self) -> dict[str, int]:
        """The number of items with each verdict."""
        counter = Counter(judged_item.verdict for judged_item in self._items)
        return {verdict: counter[verdict] for verdict in VERDICTS}

    @property
    def summary(self) -> str:
        """The counts in one line: "7 requests judged: 1 broken, 50 not seen, ..."."""
        plural_names = {"question": "questions"}  # the other verdicts are adjectives
        counts_text = ", ".join(
            f"{count} {plural_names.get(verdict, verdict)}"
            for verdict, count in self.counts.items()
        )
        return f"{self.request_count} requests judged: {counts_text}"

    def text(self) -> str:
        """The report as text, with what needs action first."""
        report_lines = [self.summary]
        for verdict in VERDICTS:
            judged_items = self.of(verdict)
            if judged_items:
                report_lines += ["", f"{verdict.upper()} ({len(judged_items)})"]
            for judged_item in judged_items:
                report_lines += _write_item_lines(judged_item)
        return printable_lines("\n".join(report_lines))

    def to_json(self) -> JsonObject:
        """The report as JSON."""
        return {
            "requests": self.request_count,
            "worlds": self.worlds,
            "counts": self.counts,
            "items": [judged_item.to_json() for judged_item in self._items],
        }

    def __repr__(self) -> str:
        return f"<readiness: {self.summary}; text(), of(verdict), [id]>"


def _write_item_lines(judged_item: JudgedItem) -> list[str]:
    """The lines of an item in the text; only one that needs action says why and how to show it."""
    item = judged_item.item
    item_lines = [f"{MARKS[judged_item.verdict]} {item.id}: {item.what}"]
    if judged_item.verdict in ("broken", "not seen"):
        item_lines.append(f"    why: {item.why} ({item.source})")
    item_lines += [f"    {evidence}" for evidence in judged_item.evidence]
    if judged_item.remark and judged_item.verdict != "question":
        item_lines.append(f"    {judged_item.remark}")
    if judged_item.verdict == "not seen" and item.show:
        item_lines.append(f"    to show it: {item.show}")
    return item_lines
