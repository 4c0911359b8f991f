"""The forms that a lab has shown, by their subject, and shared parts of all forms."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors.base import Problem, RuleError
from .waiting import Waiting

if TYPE_CHECKING:
    from ..views.forms.view import FormPage

F = TypeVar("F", bound="FormPage")


class Kept:
    """Forms by subject; each shows `place`, the service that it sends to."""

    def __init__(self, place: Callable[[], str]) -> None:
        self._place = place
        self._forms: dict[Hashable, tuple[Hashable, Any]] = {}

    def get(self, about: Hashable, asked: Hashable, make: Callable[[], F], *, new: bool) -> F:
        """The form of subject `about`; a new one if it was never sent and its arguments changed."""
        before, form = self._forms.get(about, (None, None))
        if form is None or new or (not form.begun and before != asked):
            form = make()
            form.place(self._place())
        self._forms[about] = asked, form
        return form  # type: ignore[no-any-return]


def known_word(name: str, given: str, known: Iterable[str]) -> str:
    """The word if it is a known one; RuleError if not."""
    if given not in (listed := list(known)):
        raise RuleError([Problem(name, f"must be one of {', '.join(sorted(listed))}")])
    return given


def id_of(of: Any) -> str:
    """The id of a result, or the text itself."""
    return of if isinstance(of, str) else str(of.id)


def refreshing(waiting: Waiting) -> dict[str, Any]:
    """The options of a status that refreshes itself: how time passes, and where the service is."""
    return {"pass_time": waiting.move_on, "in_process": waiting.in_process}
