"""The context, the request and the answer of an operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .events import Outbox
from .settings import Settings
from .world import Row, World

FAMILIES = {"verification": "individual"}


@dataclass(frozen=True)
class Request:
    """A request whose signature is valid and whose body is parsed."""

    operation: str
    params: Mapping[str, str]
    query: Mapping[str, str]
    body: Any
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Answer:
    """The result of an operation, before field names and formats are changed to the service's."""

    value: Any = None
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Context:
    """The world, the settings, the delay and the outbox of a service."""

    world: World
    settings: Settings
    delay: float
    outbox: Outbox

    def wait(self, name: str) -> float:
        """The seconds that a step of this name takes."""
        chosen = self.settings[f"delays.{name}"]
        return self.delay if chosen is None else float(chosen)

    def walk(self, row: Row, name: str, moves: Sequence[Callable[[], dict[str, Any]]]) -> None:
        """Apply the changes to an object one after another, with the same delay before each."""

        def step(rest: Sequence[Callable[[], dict[str, Any]]]) -> None:
            before = row["status"]
            self.world.change(row, **rest[0]())
            self.outbox.status_changed(FAMILIES.get(name, name), row, before)
            if rest[1:]:
                self.world.after(wait, lambda: step(rest[1:]))

        wait = self.wait(name)
        if moves:
            self.world.after(wait, lambda: step(moves))

    def extra(self, status: str) -> list[Callable[[], dict[str, Any]]]:
        """A change to a status that is not documented, as a list; empty unless it is enabled."""
        return [lambda: {"status": status}] if self.settings["answers.unknown_statuses"] else []
