"""The forms that a lab has shown, by their subject, and shared parts of all forms."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from ..client.parameters import check_identifier
from ..errors.base import Problem, RuleError
from ..errors.refusals import complete
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
        self._arguments_and_forms: dict[Hashable, tuple[Hashable, Any]] = {}

    def get(self, subject: Hashable, arguments: Hashable, make: Callable[[], F], *, new: bool) -> F:
        """The form of a subject, such as ("wallet", individual_id).

        `make` makes it at the first time, if it is to be `new`, and if the arguments are others
        than before: but a form that was sent stays, since its answer must not get lost.
        """
        earlier_arguments, form = self._arguments_and_forms.get(subject, (None, None))
        is_outdated = earlier_arguments != arguments
        if form is None or new or (is_outdated and not form.is_started):
            form = make()
            self.prepare(form)
        else:
            form.show_again()
        self._arguments_and_forms[subject] = arguments, form
        return form  # type: ignore[no-any-return]

    def prepare(self, page: FormPage) -> None:
        """Show the service on a page, open objects from it, and refuse attributes it lacks."""
        page.opener = self._open_object
        page.show_service_name(self._place())
        complete(page)


def require_word(parameter_name: str, word: str, known_words: Iterable[str]) -> str:
    """Return the word of a parameter; RuleError if it is not a known one."""
    choices = sorted(known_words)
    if word not in choices:
        raise RuleError([Problem(parameter_name, f"must be one of {', '.join(choices)}")])
    return word


def id_of(resource: object) -> str:
    """The id of a resource, which may be given as its id; RuleError for what has none."""
    return check_identifier(resource)


def refresh_options(service_time: ServiceTime) -> dict[str, Any]:
    """The options of a status that refreshes itself: how time passes, and where the service is."""
    return {"pass_time": service_time.move_on, "in_process": service_time.in_process}
