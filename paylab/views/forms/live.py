"""A status line that refreshes itself without blocking a cell."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import traitlets
from IPython.core.getipython import get_ipython

from ...errors.base import PaylabError
from ...runtime import in_thread
from ...spec.status import Machine
from .. import html
from ..html import Row
from .view import Button, FormPage, Group, Heading, Html, Node

EVERY = 1.0
Look = Callable[[], Any]


class Refresher:
    """Call `look` until `rest(value)` is true, and `pass_time` between two calls.

    `look` is called in a thread, so that a slow network does not block the kernel, unless the
    service is in this process. Without a running event loop, as in a script, nothing is started.
    """

    def __init__(  # noqa: PLR0913 - what to see, when to stop, and how time passes
        self,
        look: Look,
        show: Callable[[Any], None],
        rest: Callable[[Any], bool],
        *,
        fail: Callable[[PaylabError], object] = lambda _: None,
        pass_time: Callable[[float], object] = lambda _: None,
        in_process: bool = False,
        every: float = EVERY,
    ) -> None:
        self._look = look
        self._show = show
        self._rest = rest
        self._fail = fail
        self._pass_time = pass_time
        self._in_process = in_process
        self._every = every
        self._task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Whether it is refreshing."""
        return self._task is not None and not self._task.done()

    def start(self) -> bool:
        """Start refreshing; False without a running event loop."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return False
        self.stop()
        self._task = loop.create_task(self._go())
        return True

    def stop(self) -> None:
        """Stop refreshing."""
        if self._task is not None:
            self._task.cancel()
        self._task = None

    async def _go(self) -> None:
        while not await self._seen():
            await asyncio.sleep(self._every)
            if self._in_process and await self._seen():
                return  # a cell waited in the meantime: do not move the clock again
            self._pass_time(self._every)

    async def _seen(self) -> bool:
        """Read and show the state once; True when refreshing can end."""
        try:
            resource = self._look() if self._in_process else await in_thread(self._look)
        except PaylabError as error:
            self._fail(error)
            return True
        self._show(resource)
        return self._rest(resource)


Times = Mapping[str, datetime | None]
GOOD = frozenset({"active", "completed"})
BAD = frozenset({"rejected", "failed", "cancelled", "expired"})
ATTENTION = frozenset({"action_required", "under_review"})
CREATED = "created"
"""The time of creation in a timeline; it is no state."""
SIGNS = {"good": "✓", "bad": "✗", "attention": "!"}


class Timeline:
    """The states of a machine: those that a resource was seen in, with start times if known."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.visited = list[tuple[str, datetime | None]]()

    @property
    def current(self) -> str | None:
        """The current state."""
        return self.visited[-1][0] if self.visited else None

    def add(self, state: str | None, times: Times) -> None:
        """Add a state, and earlier ones whose times are known now."""
        if state is None:
            return
        self.visited = [
            (visited_state, at or times.get(visited_state)) for visited_state, at in self.visited
        ]
        if not self.visited and times.get(CREATED):
            self.visited.append((CREATED, times[CREATED]))
        names = {state, *(visited_state for visited_state, _ in self.visited)}
        unseen = [
            (at, visited_state)
            for visited_state, at in times.items()
            if at and visited_state not in names
        ]
        self.visited += [(visited_state, at) for at, visited_state in sorted(unseen)]
        if self.current != state:
            passed = self._between(self.current, state)
            self.visited += [
                (visited_state, times.get(visited_state)) for visited_state in (*passed, state)
            ]

    def _between(self, last: str | None, state: str) -> list[str]:
        """The states that every way to a state passes, for those between two refreshes."""
        entered = set(self.machine.moves.values())
        machine = self.machine
        first = [candidate for candidate in self._states() if candidate not in entered]
        if last == CREATED:
            if len(first) != 1 or state == first[0]:
                return []
            return [first[0], *self._between(first[0], state)]
        path = machine.path(last or "", state)[:-1]
        return [
            candidate
            for candidate in path
            if not machine.path(last or "", state, without=candidate)
        ]

    def html(self) -> str:
        """All states of the machine, those seen marked, the way taken, and every move."""
        times_by_state = dict(self.visited)
        unknown = [
            visited_state
            for visited_state in times_by_state
            if visited_state not in (*self._states(), CREATED)
        ]
        items = "".join(
            _item(state, times_by_state.get(state), state in times_by_state, state == self.current)
            for state in (*unknown, *self._states())
        )
        states = f'<ul class="paylab-timeline" aria-label="States">{items}</ul>'
        path_text = f"Way taken: {' → '.join(state for state, _ in self.visited)}. {self.onward()}"
        moves = html.folded("All moves", html.table(self.moves()))
        return f'{states}<p class="paylab-hint">{html.escape(path_text)}</p>{moves}'

    def _states(self) -> list[str]:
        """The states that a move begins or ends with; the spec lists more for some resources."""
        moving = {at for at, _ in self.machine.moves} | self.machine.final
        return [state for state in self.machine.states if state in moving]

    def moves(self) -> list[Row]:
        """Each state with the states that may follow it."""
        return [
            (state, f"→ {', '.join(self.machine.onward(state))}")
            for state in self.machine.states
            if self.machine.onward(state)
        ]

    def rows(self) -> list[Row]:
        """The same as text."""
        path = [
            f"{visited_state} ({at:%H:%M:%S} UTC)" if at else visited_state
            for visited_state, at in self.visited
        ]
        moves = "; ".join(f"{state} {to}" for state, to in self.moves())
        status = self.current or "not known"
        return [("Status", status), ("Way taken", " → ".join(path)), ("All moves", moves)]

    def onward(self) -> str:
        """A sentence about the possible next states."""
        following = self.machine.onward(self.current or "")
        if following:
            return f"May follow: {', '.join(following)}."
        final = self.machine.is_final(self.current)
        return "This status is final." if final else "What may follow is not known."


def _item(state: str, at: datetime | None, seen: bool, current: bool) -> str:
    if not seen:
        return (
            '<li class="paylab-ahead"><span aria-hidden="true">○</span> '
            f'<span>{html.escape(state)}</span><span class="paylab-unseen">, not seen</span></li>'
        )
    tone = "good" if state in GOOD else "bad" if state in BAD else ""
    tone = tone or ("attention" if current and state in ATTENTION else "")
    sign = SIGNS.get(tone) or ("●" if current else "✓")
    mark = ' aria-current="step"' if current else ""
    when = f' <time datetime="{at.isoformat()}">{at:%H:%M:%S} UTC</time>' if at else ""
    kind = f"paylab-{tone}" if tone else ""
    return (
        f'<li class="{kind}"{mark}><span aria-hidden="true">{sign}</span> '
        f"<span>{html.escape(state)}</span>{when}</li>"
    )


STOP = "Stop refreshing"
GO_ON = "Refresh"


class LiveStatus(traitlets.HasTraits, FormPage):
    """The value that `look` returns, as a timeline and rows, until its state is final.

    `seen` is the latest value, and observable. In the states `moving`, `pass_time` advances a
    frozen simulator between two calls. `how` are options of `Refresher`.
    """

    seen = traitlets.Any(None, allow_none=True)

    machine: Machine
    moving: Sequence[str] = ()
    title = "Status"

    def __init__(
        self,
        look: Look,
        *,
        pass_time: Callable[[float], object] = lambda _: None,
        **how: Any,
    ) -> None:
        super().__init__()
        self._look = look
        self._pass_time = pass_time
        self.timeline = Timeline(self.machine)
        self.heading = Heading(self.title)
        self.line = Html()
        self.facts = Html()
        self.announcement = Html(live=True, style="unseen")
        self.trouble = Html(live=True)
        self.button = Button(STOP, self._toggle)
        self._actions = Group([self.button], "actions")
        self.watch = Refresher(
            look, self.see, self._at_rest, fail=self.fail, pass_time=self._tick, **how
        )
        self.refresh()
        self.start()

    def nodes(self) -> Sequence[Node]:
        """The timeline, the facts, and a button."""
        return [self.heading, self.line, self.facts, self.announcement, self.trouble, self._actions]

    def start(self) -> None:
        """Refresh on the event loop and after every cell; does nothing without a loop."""
        going = not self._at_rest(self.seen) and self.watch.start()
        self._after_each_cell(going)
        self._name_button(going)

    def stop(self) -> None:
        """Stop refreshing."""
        self.watch.stop()
        self._after_each_cell(False)
        self._name_button(False)

    def refresh(self) -> Any:
        """Refresh once, now."""
        try:
            self.see(self._look())
        except PaylabError as error:
            self.fail(error)
        return self.seen

    def see(self, found: Any) -> None:
        """Show a new value."""
        earlier_state = self.timeline.current
        state = self._state_of(found)
        self.timeline.add(state, self._times_of(found))
        self.trouble.html = ""
        self.line.html = self.timeline.html()
        self.facts.html = html.table(self._facts_of(found))
        if earlier_state != self.timeline.current:
            self.announcement.html = html.escape(f"{self.title}: {state}. {self.timeline.onward()}")
        self.seen = found
        if self._at_rest(found):
            self._name_button(False)
        self.redraw()
        self.keep()

    def fail(self, error: PaylabError) -> None:
        """Show an error; refreshing stops until you ask for it again."""
        self.trouble.html = html.warning(f"The status could not be read: {error}")
        self.stop()

    def _state_of(self, found: Any) -> str | None:
        return getattr(found, "status", None)

    def _times_of(self, found: Any) -> Times:
        """The start times of states: of creation, and of the latest change."""
        times = {CREATED: found.created_at, str(self._state_of(found)): found.updated_at}
        return {state: moment_or_none(at) for state, at in times.items()}

    def _facts_of(self, found: Any) -> Sequence[Row]:
        return [("Id", str(getattr(found, "id", "")))]

    def _at_rest(self, found: Any) -> bool:
        return self.machine.is_final(self._state_of(found))

    def rows(self) -> Sequence[Row]:
        """The rows saved in the notebook: the latest state."""
        first_rows = [*self.timeline.rows(), ("Next", self.timeline.onward())]
        return [*first_rows, *(self._facts_of(self.seen) if self.seen is not None else [])]

    def _tick(self, seconds: float) -> None:
        if self._state_of(self.seen) in self.moving:
            self._pass_time(seconds)

    def _after_each_cell(self, look: bool) -> None:
        """Refresh after each cell too: during Run All the event loop does not run between cells."""
        shell = get_ipython()
        if shell is None:
            return
        with suppress(ValueError):
            shell.events.unregister("post_run_cell", self._look_again)
        if look:
            shell.events.register("post_run_cell", self._look_again)

    def _look_again(self, _: object = None) -> None:
        if not self._at_rest(self.seen):
            self.refresh()
        if self._at_rest(self.seen):
            self._after_each_cell(False)

    def _toggle(self) -> None:
        if self.watch.running:
            self.stop()
        else:
            self.refresh()
            self.start()

    def _name_button(self, going: bool) -> None:
        self.button.text = STOP if going else GO_ON
        self.redraw()


def moment_or_none(value: object) -> datetime | None:
    """The value if it is a time, else None."""
    return value if isinstance(value, datetime) else None
