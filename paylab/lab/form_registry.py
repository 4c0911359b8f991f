"""The forms that a lab has shown, by subject and cell, and shared parts of all forms."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ..client.identifiers import check_identifier
from ..errors.base import OptionError, Problem
from ..errors.choices import describe_wrong_choice
from ..errors.refusals import complete
from .displays import running_cell
from .service_time import ServiceTime

if TYPE_CHECKING:
    from ..views.forms.view import FormPage

F = TypeVar("F", bound="FormPage")


class _KnownForm(NamedTuple):
    """A form, and the arguments that it was made with."""

    arguments: Hashable
    form: Any


class FormRegistry:
    """Forms by subject and cell; each shows the service that it sends to.

    `describe_place` names the service. A click on an id in a form shows the card that
    `open_object` returns. `find_cell` returns the id of the running cell, or "" outside a notebook.
    """

    def __init__(
        self,
        describe_place: Callable[[], str],
        open_object: Callable[[str], FormPage],
        find_cell: Callable[[], str] = running_cell,
    ) -> None:
        self._describe_place = describe_place
        self._open_object = open_object
        self._find_cell = find_cell
        # The forms of a subject by cell, those of the latest cells last.
        self._known_forms: dict[Hashable, dict[str, _KnownForm]] = {}

    def get(
        self,
        subject: Hashable,
        arguments: Hashable,
        make_form: Callable[[], F],
        *,
        new: bool,
        is_shared: bool = True,
    ) -> F:
        """The form of a subject, such as ("wallet", individual_id), in the running cell.

        A cell that runs again has the same form. It is made the first time, with `new`, and when
        the arguments have changed. A form that was sent is kept, whatever the arguments, because
        its answer must not get lost; with `is_shared` other cells have it too, so that they send
        nothing twice.
        """
        forms_by_cell = self._known_forms.setdefault(subject, {})
        known_form = None if new else self._find_known(forms_by_cell, arguments, is_shared)
        if known_form is None:
            form = make_form()
            self.connect_to_lab(form)
        else:
            form = known_form.form
            form.show_again()
        cell = self._find_cell()
        forms_by_cell.pop(cell, None)
        forms_by_cell[cell] = _KnownForm(arguments, form)
        return form

    def _find_known(
        self, forms_by_cell: Mapping[str, _KnownForm], arguments: Hashable, is_shared: bool
    ) -> _KnownForm | None:
        """The form of the running cell, else with `is_shared` the one that was sent last."""
        own_form = forms_by_cell.get(self._find_cell())
        if own_form and (own_form.form.is_started or own_form.arguments == arguments):
            return own_form
        sent_forms = [known for known in forms_by_cell.values() if known.form.is_started]
        return sent_forms[-1] if is_shared and sent_forms else None

    def connect_to_lab(self, page: FormPage) -> None:
        """Show the service on a page, open objects from it, and refuse attributes it lacks."""
        page.opener = self._open_object
        page.show_service_name(self._describe_place())
        complete(page)


def require_word(parameter_name: str, word: str, known_words: Iterable[str]) -> str:
    """Return the word of a parameter; OptionError if it is not a known one."""
    sorted_words = sorted(known_words)
    if word not in sorted_words:
        raise OptionError([Problem(parameter_name, describe_wrong_choice(sorted_words, word))])
    return word


def require_id(resource: object) -> str:
    """The id of a resource, or the id itself; RuleError for a value without an id."""
    return check_identifier(resource)


def refresh_options(service_time: ServiceTime) -> dict[str, Any]:
    """The options of a status that refreshes itself: how time passes, and where the service is."""
    return {"pass_time": service_time.move_on, "in_process": service_time.in_process}
