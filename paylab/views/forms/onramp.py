"""The whole on-ramp as one stepper, which you can leave and continue later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import traitlets

from ...corridors.country_names import NAMES
from ...corridors.on_ramps import of_country
from ...errors.arguments import explain_arguments
from ...errors.base import PaylabError
from ...spec.models import Conversion, Individual
from ...spec.text import JsonObject
from .. import html
from ..html import Row
from .form import Form
from .live import LiveStatus
from .nodes import Button, Group, Heading, Html, Node
from .onramp_results import find_results, result_html, result_text, short_result_text
from .onramp_step import (
    EXAMPLE_STEPS,
    STEP_NAMES,
    STEP_TITLES,
    DepositPair,
    OnrampFunctions,
    OnrampStep,
    name_step,
    write_step_code,
)
from .view import FormPage


class OnrampStepper(traitlets.HasTraits, FormPage):
    """The steps from an individual to the completed conversion, which is then `result`.

    `submit()` submits all remaining steps with their current values. With `example`, a button
    runs the steps before the deposit with example data. `results` are the results of the steps
    that are done, by name; `pages` are the form or the status of the steps that were shown.
    """

    USER_NAMES = (
        *("country", "current_step", "observe", "restart", "result", "results"),
        *("rows", "steps", "stop", "submit", "title", "unobserve"),
    )

    result = traitlets.Any(None, allow_none=True)

    def __init__(
        self,
        country: str,
        functions: OnrampFunctions,
        individual_id: str | None = None,
        *,
        example: bool = False,
    ) -> None:
        super().__init__()
        self._start_country = country
        self._has_example = example
        self.functions = functions
        self.results = JsonObject()
        self.pages: dict[str, Form | LiveStatus] = {}
        # The code, the HTML of what was sent, and the rows of the result, by step.
        self._sent_parts: dict[str, tuple[str, str, Sequence[Row]]] = {}
        self._deposit_pair = DepositPair()
        self.heading = Heading("", 2)
        self._is_running = False
        self.run_button = Button("", self._run_example)
        self._run_hint = Html(style="hint")
        self._run_actions = Group([self.run_button, self._run_hint], "actions")
        self._restart_actions = Group([Button("Start over", self.restart)], "actions")
        self._is_restarted = False
        self._update_heading()
        self.steps = [
            OnrampStep(number, title) for number, title in enumerate(STEP_TITLES.values(), 1)
        ]
        if individual_id is not None:
            person = functions.get_person(individual_id)
            finders = functions.find_account, functions.find_conversion
            self.results.update(find_results(person, country, *finders))
        self._show_current_step()
        if self.is_started:
            person_id = self.results["person"].id
            self.heading.hint = f"continues with {person_id}; “Start over” begins with another"

    def nodes(self) -> Sequence[Node]:
        """The heading and the current steps."""
        for step_name, step in zip(STEP_NAMES, self.steps, strict=True):
            self._show_step(step_name, step)
        if self.is_started:
            shown_step = self.steps[STEP_NAMES.index(self.current_step or STEP_NAMES[-1])]
            shown_step.add_actions(self._restart_actions)
        return [self.heading, *self.steps]

    @property
    def country(self) -> str:
        """The country of the individual, or the one that is chosen in the form."""
        person = self.results.get("person")
        if person is not None:
            return str(person.country).upper()
        person_page = self.pages.get("person")
        if isinstance(person_page, Form):
            return str(person_page.fields["country"].value)
        return self._start_country

    def redraw(self, focus: Node | str = "") -> None:
        """Update the page in every browser, with the chosen country."""
        self._update_heading()
        super().redraw(focus)

    def _update_heading(self) -> None:
        """Show the country in the heading and on the button, if its on-ramp is known."""
        on_ramp = of_country(self.country)
        self.title = f"On-ramp: {NAMES[on_ramp.country]}" if on_ramp else "On-ramp"
        self.heading.text = self.title
        self.run_button.text = on_ramp.example_button if on_ramp else ""
        self.run_button.visible = self._has_example and on_ramp is not None

    @property
    def current_step(self) -> str | None:
        """The name of the first step without a result; None when all are done."""
        return next((step_name for step_name in STEP_NAMES if step_name not in self.results), None)

    @property
    def is_started(self) -> bool:
        """Whether the individual was created: a new stepper must not replace this one."""
        return "person" in self.results

    def restart(self) -> None:
        """Begin with another individual; nothing is sent by this, and what was created stays.

        >>> lab.onramp("PH", example=True).restart()
        """
        self.stop()
        self.results.clear()
        self.pages.clear()
        self._sent_parts.clear()
        self._deposit_pair = DepositPair()
        self.heading.hint = ""
        self._opened = None
        self._is_running = False
        self._is_restarted = True
        self.result = None
        self._show_current_step()

    @explain_arguments
    def submit(self, *, anyway: bool = False) -> Conversion:
        """Submit all remaining steps with their current values; `anyway` confirms warnings."""
        while self.current_step is not None:
            self.take_step(anyway=anyway)
        return self.results["conversion"]  # type: ignore[no-any-return]

    def take_step(self, *, anyway: bool = False) -> None:
        """Submit the current step with its current values, or wait until it ends.

        `anyway` confirms warnings. Does nothing when all steps are done. Raises PaylabError when
        verification or the conversion ends without success.
        """
        step_name = self.current_step
        if step_name is None:
            return
        page = self.pages[step_name]
        if isinstance(page, Form):
            with name_step(step_name):
                page.submit(anyway=anyway)
        elif step_name == "verification":
            self._await_verification(page)
        else:
            self._await_conversion(page)

    def _await_verification(self, status: LiveStatus) -> None:
        """Wait until verification ends; PaylabError unless the individual is active then."""
        person = self.functions.await_person(self.results["person"].id)
        status.show_resource(person)
        if person.status != "active":
            reason_text = ", ".join(str(detail.code) for detail in person.status_details or [])
            raise PaylabError(f"verification ended as {person.status}: {reason_text}")

    def _await_conversion(self, status: LiveStatus) -> None:
        """Wait until the conversion ends; PaylabError unless it is completed then."""
        conversion = self.functions.await_conversion(self.results["deposit"])
        status.show_resource(conversion)
        if conversion.status != "completed":
            raise PaylabError(f"conversion {conversion.id} ended as {conversion.status}")

    def rows(self) -> Sequence[Row]:
        """The rows saved in the notebook: each step and its result."""
        return [(title, result_text(self.results.get(name))) for name, title in STEP_TITLES.items()]

    def saved_html(self) -> str:
        """The steps and their results, with the dots of statuses."""
        return html.table_of_html(
            (title, result_html(self.results.get(name))) for name, title in STEP_TITLES.items()
        )

    def stop(self) -> None:
        """Stop refreshing."""
        for page in self.pages.values():
            if isinstance(page, LiveStatus):
                page.stop()

    def _show_step(self, step_name: str, step: OnrampStep) -> None:
        """Show a step as done, as the current one, or as locked."""
        page = self.pages.get(step_name)
        if step_name in self.results:
            self._show_done(step_name, step)
        elif step_name == self.current_step:
            code_text = "" if isinstance(page, Form) else self._write_step_code(step_name)
            step.show_current(code_text, self._current_nodes(step_name, page))
        else:
            earlier_step_name = STEP_NAMES[STEP_NAMES.index(step_name) - 1]
            step.show_locked(STEP_TITLES[earlier_step_name].lower())

    def _show_done(self, step_name: str, step: OnrampStep) -> None:
        """Show the result of a step; the last one shows its whole status."""
        page = self.pages.get(step_name)
        if step_name == STEP_NAMES[-1] and page is not None:
            _, *status_nodes = page.nodes()  # without the heading
            step.show_end(self._write_step_code(step_name), status_nodes)
            return
        step_result = self.results[step_name]
        other_rows = [(STEP_TITLES[step_name], result_text(step_result))]
        other_parts = self._write_step_code(step_name), "", other_rows
        code, sent_html, result_rows = self._sent_parts.get(step_name, other_parts)
        # Until the deposit is paid, its own step shows the card.
        shows_card = step_name == "account" and "deposit" in self.results
        step.show_done(
            short_result_text(step_result),
            result_rows,
            sent_html=sent_html,
            code=code,
            nodes=[self._deposit_pair.card(step_result)] if shows_card else [],
        )

    def _current_nodes(self, step_name: str, page: Form | LiveStatus | None) -> Sequence[Node]:
        """The nodes of the current step without its heading, and the button for the example."""
        if page is None:
            return []
        if isinstance(page, Form):
            form_code = page.controls.code
            form_code.text = write_step_code(step_name, self.results, form_code.text)
        _, *step_nodes = page.nodes()
        if step_name == "deposit":
            return [self._deposit_pair.show(self.results["account"], step_nodes)]
        if isinstance(page, Form) and step_name in EXAMPLE_STEPS and self.run_button.visible:
            self._run_hint.html = html.escape(page.run_hint)
            step_nodes.append(self._run_actions)
        return step_nodes

    def _write_step_code(self, step_name: str) -> str:
        """The code of the step's form, or code that reads its resource; empty without an id."""
        page = self.pages.get(step_name)
        form_code = page.code() if isinstance(page, Form) else ""
        return write_step_code(step_name, self.results, form_code)

    def _show_current_step(self) -> None:
        """Show the current step on the page, and move the focus to it.

        If the new page of a step has a result already, `_observe_page` finishes the step at once,
        and calls this function again for the next step.
        """
        step_name = self.current_step
        if step_name is not None and step_name not in self.pages:
            page = self._make_page(step_name)
            self.pages[step_name] = page
            self._observe_page(step_name, page)
            if step_name in self.results:  # it is done already
                return
        shown_step_name = self.current_step or STEP_NAMES[-1]
        self.redraw(self.steps[STEP_NAMES.index(shown_step_name)].heading)
        self.update_saved()

    def _run_example(self) -> None:
        """Run the steps before the deposit, as if you clicked each one."""
        self._is_running = True
        self._run_step(self.current_step)

    def _run_step(self, step_name: str | None) -> None:
        """Click the form of a step, whose result starts the next one; end if it was not sent."""
        if not self._is_running or step_name not in EXAMPLE_STEPS:
            self._is_running = False
            return
        page = self.pages.get(step_name)
        if isinstance(page, Form):
            page.apply_code_options()
            page.click()
            self._is_running &= page.is_started or self.current_step != step_name

    def _make_page(self, step_name: str) -> Form | LiveStatus:
        """Make the form or the status of a step, from the result of an earlier step."""
        if step_name == "person":
            form_options = {"new": True} if self._is_restarted else {}
            return self.functions.onboarding(**form_options)
        earlier_step_name = {"deposit": "account", "conversion": "deposit"}.get(step_name, "person")
        make_page: Callable[[Any], Form | LiveStatus] = getattr(self.functions, step_name)
        return make_page(self.results[earlier_step_name])

    def _observe_page(self, step_name: str, page: Form | LiveStatus) -> None:
        """Handle each new result of a page, and the result that it has already."""
        page.follow(self.redraw)
        attribute_name = "result" if isinstance(page, Form) else "resource"
        page.observe(
            lambda change: self._handle_result(step_name, page, change["new"]), attribute_name
        )
        self._handle_result(step_name, page, getattr(page, attribute_name))

    def _handle_result(self, step_name: str, page: Form | LiveStatus, page_result: object) -> None:
        """Continue with the result of a page, unless another page has replaced it."""
        if self.pages.get(step_name) is not page:
            return
        if isinstance(page, Form):
            self._finish_step(step_name, page_result)
        else:
            self._handle_status(step_name, page_result)

    def _finish_step(self, step_name: str, step_result: object) -> None:
        """Store the result of a step and continue; None is no result."""
        if step_result is None or step_name in self.results:
            return
        self.results[step_name] = step_result
        page = self.pages.get(step_name)
        if isinstance(page, Form):  # a form may be restarted by itself; the step stays done
            code = self._write_step_code(step_name)
            self._sent_parts[step_name] = code, page.sent_html, page.result_rows(step_result)
        self._show_current_step()
        self._run_step(self.current_step)

    def _handle_status(self, step_name: str, resource: Any) -> None:
        """Finish the step at a final status; after a request for new images, go back a step."""
        status = getattr(resource, "status", None)
        if step_name == "verification" and status == "action_required":
            self._return_to_images(resource)
        elif step_name == "verification" and status == "active":
            self.results["person"] = resource
            self._finish_step(step_name, resource)
        elif step_name == "conversion" and status == "completed":
            self._finish_step(step_name, resource)
            self.result = resource

    def _return_to_images(self, person: Individual) -> None:
        """Go back to the images, with new forms for them and for the verification."""
        self.results["person"] = person
        self.results.pop("images", None)
        for step_name in ("images", "verification"):
            old_page = self.pages.pop(step_name, None)
            self._sent_parts.pop(step_name, None)
            if isinstance(old_page, LiveStatus):
                old_page.stop()
        self._show_current_step()
