"""A status line that refreshes itself without blocking a cell."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import traitlets
from ipywidgets import HTML, Box, Button, VBox

from ...errors import PaylabError
from ...spec.status import Machine
from .. import html
from ..html import Row
from .field import FORM, stylesheet
from .form import Shown

EVERY = 1.0
Look = Callable[[], Any]


async def at_once(look: Look) -> Any:
    """Look here and now: for a service in this process, which answers in a millisecond."""
    return look()


async def in_thread(look: Look) -> Any:
    """Look from a thread, so that a slow network holds up nothing."""
    return await asyncio.to_thread(look)


class Refresher:
    """Shows what `look` sees until `rest` holds of it; `pass_time` is called between two looks.

    Without a running loop, as in a plain script, nothing is started.
    """

    def __init__(  # noqa: PLR0913 - what to see, when to stop, and how time passes
        self,
        look: Look,
        show: Callable[[Any], None],
        rest: Callable[[Any], bool],
        *,
        fail: Callable[[PaylabError], None],
        pass_time: Callable[[float], None] = lambda _: None,
        run: Callable[[Look], Awaitable[Any]] = in_thread,
        every: float = EVERY,
    ) -> None:
        self._look, self._show, self._rest, self._fail = look, show, rest, fail
        self._pass_time, self._run, self._every = pass_time, run, every
        self._task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Whether it still looks."""
        return self._task is not None and not self._task.done()

    def start(self) -> bool:
        """Begin to look; False where there is no loop to do it on."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return False
        self.stop()
        self._task = loop.create_task(self._go())
        return True

    def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
        self._task = None

    async def _go(self) -> None:
        while not await self._seen():
            await asyncio.sleep(self._every)
            if self._run is at_once and await self._seen():
                return  # a cell waited in the meantime: no more time may pass
            self._pass_time(self._every)

    async def _seen(self) -> bool:
        """Look and show; True when there is no reason to look again."""
        try:
            found = await self._run(self._look)
        except PaylabError as error:
            self._fail(error)
            return True
        self._show(found)
        return self._rest(found)


def line(machine: Machine, state: str | None) -> str:
    """The states as a list, the one that holds marked for the eye and for a screen reader."""
    shown = list(machine.states)
    if state and state not in shown:
        shown.append(state)  # the service knows one that we do not
    items = "".join(_item(one, one == state) for one in shown)
    return f'<ul class="paylab-states" aria-label="Status">{items}</ul>{_next(machine, state)}'


def onward(machine: Machine, state: str | None) -> str:
    """What can come next, in words."""
    following = machine.onward(state or "")
    if following:
        return f"Can come next: {', '.join(following)}."
    return "Nothing comes after this." if machine.is_final(state) else "What follows is not known."


def _item(state: str, current: bool) -> str:
    mark = ' aria-current="step"' if current else ""
    return f"<li{mark}>{html.escape(state)}</li>"


def _next(machine: Machine, state: str | None) -> str:
    return f'<div class="paylab-hint">{html.escape(onward(machine, state))}</div>'


STOP, GO_ON = "Stop refreshing", "Refresh"


class Live(traitlets.HasTraits, Shown):
    """What `look` sees, shown as its machine and rows until it is final; `seen` is observable.

    While it moves by itself (`moving` says in which states), time passes between two looks:
    `pass_time` is what moves a frozen simulator on.
    """

    seen = traitlets.Any(None, allow_none=True)

    machine: Machine
    moving: Sequence[str] = ()
    title = "Status"

    def __init__(
        self,
        look: Look,
        *,
        pass_time: Callable[[float], None] = lambda _: None,
        run: Callable[[Look], Awaitable[Any]] = in_thread,
        every: float = EVERY,
    ) -> None:
        super().__init__()
        self._look, self._pass_time = look, pass_time
        self.line, self.facts, self.trouble = HTML(), HTML(), HTML()
        self.button = Button(description=STOP)
        self.view = self._assemble()
        self.button.on_click(lambda _: self._toggle())
        self.watch = Refresher(
            look, self.see, self.at_rest, fail=self.fail, pass_time=self._tick, run=run, every=every
        )
        self.refresh()
        self.start()

    def start(self) -> None:
        """Keep looking, on the kernel's loop; where there is none, what was seen stays."""
        going = not self.at_rest(self.seen) and self.watch.start()
        self._name_button(going)

    def stop(self) -> None:
        """Look no more."""
        self.watch.stop()
        self._name_button(False)

    def refresh(self) -> Any:
        """Look once, now."""
        try:
            self.see(self._look())
        except PaylabError as error:
            self.fail(error)
        return self.seen

    def see(self, found: Any) -> None:
        """Show what was found."""
        self.trouble.value = ""
        self.line.value = line(self.machine, self.state_of(found))
        self.facts.value = html.table(self.facts_of(found))
        self.seen = found
        if self.at_rest(found):
            self._name_button(False)

    def fail(self, error: PaylabError) -> None:
        """Show why nothing could be seen; refreshing stops until it is asked for again."""
        self.trouble.value = html.warning(f"Could not look: {error}")
        self._name_button(False)

    def state_of(self, found: Any) -> str | None:
        """The state of what was found."""
        return getattr(found, "status", None)

    def facts_of(self, found: Any) -> Sequence[Row]:
        """Rows about it."""
        return [("Id", str(getattr(found, "id", "")))]

    def at_rest(self, found: Any) -> bool:
        """Whether nothing can come any more."""
        return self.machine.is_final(self.state_of(found))

    def rows(self) -> Sequence[Row]:
        """What stays behind: the state as it was seen last."""
        state = self.state_of(self.seen)
        head = [("Status", str(state or "not known")), ("Next", onward(self.machine, state))]
        return [*head, *(self.facts_of(self.seen) if self.seen is not None else [])]

    def _tick(self, seconds: float) -> None:
        if self.state_of(self.seen) in self.moving:
            self._pass_time(seconds)

    def _toggle(self) -> None:
        if self.watch.running:
            self.stop()
        else:
            self.refresh()
            self.start()
        self.keep()

    def _name_button(self, going: bool) -> None:
        self.button.description = STOP if going else GO_ON

    def _assemble(self) -> Any:
        actions = Box([self.button])
        actions.add_class("paylab-actions")
        view = VBox([HTML(stylesheet(self.title)), self.line, self.facts, self.trouble, actions])
        view.add_class(FORM)
        return view
