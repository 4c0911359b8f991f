"""Drift: what the answers of a session have that the settings do not have.

It is computed from the kept calls on access; no request is sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from ..client.call import Call
from ..errors.arguments import explain_arguments
from ..errors.names import with_name_suggestions
from ..spec import codes
from ..spec.service.service import Service
from ..spec.text import printable
from .answers import AnswerDifference, find_answer_differences


class CountedDifference(NamedTuple):
    """A difference of a session.

    `times` is the number of answers or events that have it, `first` the number of the first call
    (None for an event), and `key` the setting to change, or "".
    """

    kind: str
    where: str
    what: str
    times: int
    first: int | None
    key: str

    def __str__(self) -> str:
        """The difference in a line, with its count, its first call and the setting to change."""
        first_call_text = f", first in call {self.first}" if self.first else ""
        advice_text = f"; set {self.key}" if self.key else ""
        if self.kind == "status":
            advice_text = f"; {self.key} makes it known (it ends no wait: pass until={self.what!r})"
        difference_text = f"{self.kind} {self.what} of {self.where}"
        return printable(f"{difference_text}, {self.times} times{first_call_text}{advice_text}")


@with_name_suggestions
@explain_arguments
class Drift(tuple[CountedDifference, ...]):
    """The differences of a session, the most frequent of each kind first."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "<no drift>"

    @property
    def line(self) -> str:
        """One line for a display; empty when there is none."""
        count_by_kind = Counter(difference.kind for difference in self)
        counts_text = ", ".join(f"{count} {kind}" for kind, count in count_by_kind.items())
        return f"drift: {counts_text} (lab.drift shows them)" if self else ""


def find_drift(
    calls: Iterable[Call], service: Service, events: Iterable[tuple[str, int | None]] = ()
) -> Drift:
    """Find what the responses to these calls have that the settings do not.

    `events` are the delivered event types, each with the number of its call.
    """
    numbered_differences: list[tuple[AnswerDifference, int | None]] = [
        (answer_difference, call.number)
        for call in calls
        for answer_difference in find_answer_differences(call, service)
    ]
    known_event_types = (*codes.EVENT_TYPES, *service.webhooks.event_types)
    for event_type, call_number in events:
        if event_type not in known_event_types:
            answer_difference = AnswerDifference(
                "event type", "webhooks", what=event_type, key="webhooks.event_types"
            )
            numbered_differences.append((answer_difference, call_number))
    count_by_difference = Counter(
        answer_difference for answer_difference, _ in numbered_differences
    )
    # Of equal differences, a dict keeps the last one: in reversed order, the first.
    first_number_by_difference = dict(reversed(numbered_differences))
    counted_differences = [
        CountedDifference(
            answer_difference.kind,
            answer_difference.where,
            answer_difference.what,
            times=occurrence_count,
            first=first_number_by_difference[answer_difference],
            key=answer_difference.key,
        )
        for answer_difference, occurrence_count in count_by_difference.items()
    ]
    return Drift(sorted(counted_differences, key=_order_of_difference))


def _order_of_difference(difference: CountedDifference) -> tuple[str, int, str, str]:
    """The order of a difference: by kind, the most frequent first, then by place and name."""
    return difference.kind, -difference.times, difference.where, difference.what
