"""The forms that a lab has shown, by their subject, and shared parts of all forms."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors.base import Problem, RuleError
from .service_time import ServiceTime

if TYPE_CHECKING:
    from ..views.forms.view import FormPage

F = TypeVar("F", bound="FormPage")


class FormRegistry:
    """Forms by subject; each shows `place`, the service that it sends to.

    A click on an id in a form shows the card that `open_object` returns.
    """

    def __init__(self, place: Callable[[], str], open_object: Callable[[str], FormPage]) -> None:
        self._place = place
        self._open_object = open_object
        self._forms: dict[Hashable, tuple[Hashable, Any]] = {}

    def get(self, about: Hashable, asked: Hashable, make: Callable[[], F], *, new: bool) -> F:
        """The form of subject `about`; a new one if it was never sent and its arguments changed."""
        earlier_question, form = self._forms.get(about, (None, None))
        if form is None or new or (not form.is_started and earlier_question != asked):
            form = make()
            self.prepare(form)
        self._forms[about] = asked, form
        return form  # type: ignore[no-any-return]

    def prepare(self, page: FormPage) -> None:
        """Show the service on a page, and open objects from it."""
        page.opener = self._open_object
        page.show_service_name(self._place())


def known_word(name: str, given: str, known: Iterable[str]) -> str:
    """The word if it is a known one; RuleError if not."""
    if given not in (known_words := list(known)):
        raise RuleError([Problem(name, f"must be one of {', '.join(sorted(known_words))}")])
    return given


def id_of(of: Any) -> str:
    """The id of a result, or the text itself."""
    return of if isinstance(of, str) else str(of.id)


def refresh_options(service_time: ServiceTime) -> dict[str, Any]:
    """The options of a status that refreshes itself: how time passes, and where the service is."""
    return {"pass_time": service_time.move_on, "in_process": service_time.in_process}
