"""The states of a resource as a timeline: those it was seen in, and those that may follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from ...spec.status import Machine
from .. import html
from ..html import Row
from ..tones import TONE_SIGNS, visited_tone

Times = Mapping[str, datetime | None]
"""The start time of each state; None when it is not known."""
Visit = tuple[str, datetime | None]
"""A state, and the time when it began if it is known."""
History = Sequence[Visit]
"""The states that a resource has had, oldest first, with their start times if known."""


class WholeHistory(list[Visit]):
    """The history of an object of a simulator, which knows all of its states."""


CREATED = "created"
"""The name of the creation in a timeline; it is no state."""
NOT_KNOWN = "(not known)"
"""The place of the states that nobody saw in a timeline; it is no state."""
MOVES_TITLE = "States and their moves"


class Timeline:
    """The states that a resource of a machine was seen in, with their start times if known."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.visited = list[Visit]()
        self._is_whole = False

    @property
    def current(self) -> str | None:
        """The current state."""
        return self.visited[-1][0] if self.visited else None

    def has_visited(self, state: str) -> bool | None:
        """Whether a state was visited; None if it was not seen, and not all states are known."""
        if any(visited_state == state for visited_state, _ in self.visited):
            return True
        return False if self._is_whole else None

    def add(self, state: str | None, times: Times, history: History = ()) -> None:
        """Add the current state, and the earlier states that are known now.

        A `history` that ends in the current state replaces what was seen here, if it is longer.
        """
        if state is None:
            return
        self._fill_in_times(times)
        ends_in_state = bool(history) and history[-1][0] == state
        if self.current != state:
            self._is_whole = ends_in_state and isinstance(history, WholeHistory)
        if ends_in_state and len(history) >= len(self._states_seen_until(state)):
            first_time = history[0][1]
            self.visited = [*self._make_start(first_time, times), *history]
            self._fill_in_times(times)
        else:
            self._add_seen_state(state, times)

    def _add_seen_state(self, state: str, times: Times) -> None:
        """Add a state that was read, and before it the states that it must have passed."""
        if not self.visited:
            self.visited = self._make_start(times.get(state), times)
        self._add_timed_states(state, times)
        if self.current == state:
            return
        for passed_state in self._states_between(self.current, state):
            # The specification does not say what follows a review.
            shown_state = NOT_KNOWN if self.current == "under_review" else passed_state
            self.visited.append((shown_state, times.get(shown_state)))
        self.visited.append((state, times.get(state)))

    def _states_seen_until(self, state: str) -> list[str]:
        """The states that were seen, and the current `state` at their end."""
        seen_states = [
            seen_state for seen_state, _ in self.visited if seen_state not in (CREATED, NOT_KNOWN)
        ]
        return seen_states if self.current == state else [*seen_states, state]

    def _make_start(self, first_time: datetime | None, times: Times) -> list[Visit]:
        """The creation and a gap, before a first state that began later; else empty."""
        created_at = times.get(CREATED)
        if created_at is None or first_time == created_at:
            return []
        return [(CREATED, created_at), (NOT_KNOWN, None)]

    def _fill_in_times(self, times: Times) -> None:
        """Set the times of visited states that were not known before."""
        self.visited = [
            (state, start_time or times.get(state)) for state, start_time in self.visited
        ]

    def _add_timed_states(self, current_state: str, times: Times) -> None:
        """Add the states that have a time and were not visited yet, in order of time."""
        visited_states = {state for state, _ in self.visited}
        times_and_states = [
            (start_time, state)
            for state, start_time in times.items()
            if start_time and state not in (CREATED, current_state, *visited_states)
        ]
        for start_time, state in sorted(times_and_states):
            self.visited.append((state, start_time))

    def _states_between(self, earlier_state: str | None, state: str) -> list[str]:
        """The states that every path from one state to another passes, without the two ends."""
        start_state = earlier_state or ""
        states_on_path = self.machine.path(start_state, state)[:-1]
        return [
            passed_state
            for passed_state in states_on_path
            if not self.machine.path(start_state, state, without=passed_state)
        ]

    def _connected_states(self) -> list[str]:
        """The states from which a move begins, and the final ones.

        The spec lists more states for some resources, which no move begins or ends with.
        """
        connected_states = {state for state, _ in self.machine.moves} | self.machine.final
        return [state for state in self.machine.states if state in connected_states]

    def html(self) -> str:
        """All states with those visited marked, the path taken, and the possible moves."""
        items_html = "".join(self._item_html(state) for state in self._states_in_order())
        state_list_html = f'<ul class="paylab-timeline" aria-label="States">{items_html}</ul>'
        path_text = " → ".join(state for state, _ in self.visited)
        sentence_html = html.escape(f"Path: {path_text}. {self.next_states_sentence()}")
        moves_html = html.collapsible_block(MOVES_TITLE, html.table(self.move_rows()))
        return f'{state_list_html}<p class="paylab-hint">{sentence_html}</p>{moves_html}'

    def _states_in_order(self) -> list[str]:
        """All states in the order to show, each once.

        First those that lead to the first visited state but never follow it, then the visited
        states as they came, then all others.
        """
        visited_states = [state for state, _ in self.visited if state not in (CREATED, NOT_KNOWN)]
        all_states = self._connected_states()
        first_state = visited_states[0] if visited_states else ""
        earlier_states = [
            state
            for state in all_states
            if self.machine.path(state, first_state) and not self.machine.path(first_state, state)
        ]
        return list(dict.fromkeys([*earlier_states, *visited_states, *all_states]))

    def _item_html(self, state: str) -> str:
        """A state as an item of the list, with its time if it was visited."""
        time_by_state = dict(self.visited)
        if state not in time_by_state:
            return (
                '<li class="paylab-ahead"><span aria-hidden="true">○</span> '
                f"<span>{html.escape(state)}</span>"
                '<span class="paylab-unseen">, not seen</span></li>'
            )
        return _visited_item(state, time_by_state[state], is_current=state == self.current)

    def move_rows(self) -> list[Row]:
        """Rows of each state and the states that may follow it."""
        next_states_by_state = {state: self.machine.onward(state) for state in self.machine.states}
        return [
            (state, f"→ {', '.join(next_states)}")
            for state, next_states in next_states_by_state.items()
            if next_states
        ]

    def rows(self) -> list[Row]:
        """The timeline as rows of label and text."""
        path_texts = [
            f"{state} ({start_time:%H:%M:%S} UTC)" if start_time else state
            for state, start_time in self.visited
        ]
        moves_text = "; ".join(
            f"{state} {next_states_text}" for state, next_states_text in self.move_rows()
        )
        return [
            ("Status", self.current or "not known"),
            ("Path", " → ".join(path_texts)),
            (MOVES_TITLE, moves_text),
        ]

    def next_states_sentence(self) -> str:
        """A sentence about the states that may follow the current one."""
        next_states = self.machine.onward(self.current or "")
        if next_states:
            return f"May follow: {', '.join(next_states)}."
        if self.machine.is_final(self.current):
            return "The specification shows no status after this one."
        return "What may follow is not known."


def _visited_item(state: str, time: datetime | None, *, is_current: bool) -> str:
    """The list item of a visited state: its sign, its name and its time."""
    tone = visited_tone(state, is_current=is_current)
    tone_sign = TONE_SIGNS.get(tone) or ("●" if is_current else "✓")
    style_class = f"paylab-{tone}" if tone else ""
    current_attribute = ' aria-current="step"' if is_current else ""
    time_html = ""
    if time:
        time_html = f' <time datetime="{time.isoformat()}">{time:%H:%M:%S} UTC</time>'
    return (
        f'<li class="{style_class}"{current_attribute}><span aria-hidden="true">{tone_sign}</span> '
        f"<span>{html.escape(state)}</span>{time_html}</li>"
    )
