"""The forms that a lab has shown, by what they are about, and what every form is made with."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

from ..client.resources.individuals import Individuals
from ..errors import Problem, RuleError
from ..spec.models import Individual
from .service_time import ServiceTime

F = TypeVar("F")


class Kept:
    """Forms by what they are about."""

    def __init__(self) -> None:
        self._forms: dict[Hashable, tuple[Hashable, Any]] = {}

    def get(self, about: Hashable, asked: Hashable, make: Callable[[], F], *, new: bool) -> F:
        """The form kept for `about`, unless it was never sent and is asked for otherwise now."""
        before, form = self._forms.get(about, (None, None))
        if form is None or new or (not form.begun and before != asked):
            form = make()
        self._forms[about] = asked, form
        return form  # type: ignore[no-any-return]


def known_word(name: str, given: str, known: Iterable[str]) -> str:
    """One of the known words; RuleError for another."""
    if given not in (listed := list(known)):
        raise RuleError([Problem(name, f"must be one of {', '.join(sorted(listed))}")])
    return given


def id_of(of: Any) -> str:
    """The id that a result or a text stands for."""
    return of if isinstance(of, str) else str(of.id)


def read_individual(individuals: Individuals, person: Individual | str) -> Individual:
    """The individual itself; one that is given by its id is read."""
    return individuals.get(person) if isinstance(person, str) else person


def refreshing(time: ServiceTime) -> dict[str, Any]:
    """How a line refreshes itself: from a thread, unless the service is in this process."""
    from ..views.forms.live import at_once, in_thread

    return {"pass_time": time.move_on, "run": at_once if time.in_process else in_thread}
