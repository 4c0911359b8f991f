"""The forms that a lab has shown, by their subject, and shared parts of all forms."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ..client.identifiers import check_identifier
from ..errors.base import Problem, RuleError
from ..errors.choices import describe_wrong_choice
from ..errors.refusals import complete
from .service_time import ServiceTime

if TYPE_CHECKING:
    from ..views.forms.view import FormPage

F = TypeVar("F", bound="FormPage")


class _KnownForm(NamedTuple):
    """A form, and the arguments that it was made with."""

    arguments: Hashable
    form: Any


class FormRegistry:
    """Forms by subject; each shows the service that it sends to, which `describe_place` names.

    A click on an id in a form shows the card that `open_object` returns.
    """

    def __init__(
        self, describe_place: Callable[[], str], open_object: Callable[[str], FormPage]
    ) -> None:
        self._describe_place = describe_place
        self._open_object = open_object
        self._known_forms: dict[Hashable, _KnownForm] = {}

    def get(
        self, subject: Hashable, arguments: Hashable, make_form: Callable[[], F], *, new: bool
    ) -> F:
        """The form of a subject, such as ("wallet", individual_id).

        It is made the first time, with `new`, and when the arguments have changed. A form that was
        sent is kept, whatever the arguments, because its answer must not get lost.
        """
        known_form = self._known_forms.get(subject)
        if known_form is None or new or _is_outdated(known_form, arguments):
            form = make_form()
            self.connect_to_lab(form)
        else:
            form = known_form.form
            form.show_again()
        self._known_forms[subject] = _KnownForm(arguments, form)
        return form

    def connect_to_lab(self, page: FormPage) -> None:
        """Show the service on a page, open objects from it, and refuse attributes it lacks."""
        page.opener = self._open_object
        page.show_service_name(self._describe_place())
        complete(page)


def _is_outdated(known_form: _KnownForm, arguments: Hashable) -> bool:
    """Whether a form that was not sent was made with other arguments."""
    return known_form.arguments != arguments and not known_form.form.is_started


def require_word(parameter_name: str, word: str, known_words: Iterable[str]) -> str:
    """Return the word of a parameter; RuleError if it is not a known one."""
    sorted_words = sorted(known_words)
    if word not in sorted_words:
        raise RuleError([Problem(parameter_name, describe_wrong_choice(sorted_words, word))])
    return word


def require_id(resource: object) -> str:
    """The id of a resource, or the id itself; RuleError for a value without an id."""
    return check_identifier(resource)


def refresh_options(service_time: ServiceTime) -> dict[str, Any]:
    """The options of a status that refreshes itself: how time passes, and where the service is."""
    return {"pass_time": service_time.move_on, "in_process": service_time.in_process}
