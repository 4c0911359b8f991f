"""A line of status that keeps itself up to date, with a button that stops it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import traitlets
from ipywidgets import HTML, Box, Button, VBox

from ...errors import PaylabError
from ...status import Machine
from .. import page
from ..page import Row
from .machine_line import line, onward
from .shown import Shown
from .styling import FORM, head
from .watch import EVERY, Look, Watch, in_thread

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
        self.watch = Watch(
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
        self.facts.value = page.table(self.facts_of(found))
        self.seen = found
        if self.at_rest(found):
            self._name_button(False)

    def fail(self, error: PaylabError) -> None:
        """Show why nothing could be seen; refreshing stops until it is asked for again."""
        self.trouble.value = page.warning(f"Could not look: {error}")
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
        view = VBox([HTML(head(self.title)), self.line, self.facts, self.trouble, actions])
        view.add_class(FORM)
        return view
