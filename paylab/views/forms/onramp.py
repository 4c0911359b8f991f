"""The whole on-ramp as one stepper, which you can leave and continue later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import traitlets

from ...corridors import corridor
from ...corridors.on_ramps import of_country
from ...errors.base import PaylabError, Problem, RuleError
from ...spec import codes
from ...spec.models import Conversion, ConversionAccount, FinancialAccount, Individual
from .. import html
from ..html import Row
from .code import literal
from .conversion_account import newest_first
from .form import Form
from .live import LiveStatus
from .status import picture
from .view import Button, Code, FormPage, Group, Heading, Html, Node

DONE = "done"
NOW = "now"
LOCKED = "locked"
SIGNS = {DONE: "✓", NOW: "▸", LOCKED: "○"}


class OnrampStep(Group):
    """A step on the page: a focusable heading, its result, its form and its code."""

    def __init__(self, number: int, title: str) -> None:
        self.number = number
        self.title = title
        self.state = LOCKED
        self.heading = Heading("", 3)
        self.gave = Html()
        self.code = Code()
        super().__init__([], "step")

    def show(  # noqa: PLR0913 - each has a default
        self,
        state: str,
        *,
        why: str = "",
        gave: Sequence[Row] = (),
        sent: str = "",
        code: str = "",
        body: Sequence[Node] = (),
    ) -> None:
        """Show a state: why it is locked, its result, what was sent, and its code."""
        self.state = state
        self.current = state == NOW
        self.heading.text = f"{SIGNS[state]} {self.number}. {self.title}"
        self.heading.hint = f"{state}: {why}" if why else state
        folded = html.folded("What was sent", sent) if sent else ""
        self.gave.html = (html.table(gave) if gave else "") + folded
        self.code.text = code
        self.code.visible = bool(code)
        self.children = [self.heading, self.gave, *body, self.code]


TITLES = {
    "person": "Person",
    "images": "Verification images",
    "verification": "Verification",
    "wallet": "Wallet",
    "account": "Conversion account",
    "deposit": "Deposit",
    "conversion": "Conversion",
}
NAMES = tuple(TITLES)
LOOKUPS = {
    "person": "person = lab.individuals.get({})",
    "images": "images = lab.individuals.images({})",
    "verification": "person = lab.individuals.wait({})",
    "wallet": "wallet = next(one for one in person.financial_accounts"
    ' if one.type == "crypto_wallet")',
    "account": "account = lab.conversion_accounts.get({})",
    "deposit": "conversion = lab.conversions.wait(conversion_account_id={})\n"
    "deposit = conversion.deposit",
    "conversion": "conversion = lab.conversions.wait(conversion_account_id={})",
}
"""The code of a step without a form, for the id of the person or the conversion account."""
EXAMPLE_STEPS = ("person", "images", "verification", "wallet", "account")


@dataclass(frozen=True)
class OnrampFunctions:
    """Functions for a walk: make the form of each step, look up resources, and wait."""

    onboarding: Callable[[], Form]
    images: Callable[[Individual], Form]
    verification: Callable[[Individual], LiveStatus]
    wallet: Callable[[Individual], Form]
    account: Callable[[Individual], Form]
    deposit: Callable[[ConversionAccount], Form]
    conversion: Callable[[Any], LiveStatus]

    person: Callable[[str], Individual]
    opened: Callable[[Individual], ConversionAccount | None]
    paid: Callable[[ConversionAccount], Conversion | None]
    await_person: Callable[[str], Individual]
    await_conversion: Callable[[Any], Conversion]


class OnrampStepper(traitlets.HasTraits, FormPage):
    """The steps from an individual to the completed conversion, which is then `result`.

    `submit()` submits all remaining steps with their current values. With `example`, a button
    runs the steps before the deposit with example data.
    """

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
        self._country = country
        self._example = example
        self.functions = functions
        self.found = dict[str, Any]()
        self.bodies: dict[str, Form | LiveStatus] = {}
        self._card: Html | None = None
        self.heading = Heading("", 2)
        self._running = False
        self.run_button = Button("", self._run)
        self._name_country()
        self.steps = [OnrampStep(number, title) for number, title in enumerate(TITLES.values(), 1)]
        if individual_id is not None:
            self._take_up(country, functions.person(individual_id))
        self._go_on()

    def nodes(self) -> Sequence[Node]:
        """The heading and the current steps."""
        for name, step in zip(NAMES, self.steps, strict=True):
            self._show(name, step)
        return [self.heading, *self.steps]

    @property
    def country(self) -> str:
        """The country of the individual, or the one that is chosen for it."""
        person = self.found.get("person")
        form = self.bodies.get("person")
        if person is not None:
            return str(person.country).upper()
        return str(form.fields["country"].value) if isinstance(form, Form) else self._country

    def redraw(self, focus: Node | str = "") -> None:
        """Update the page in every browser, with the chosen country."""
        self._name_country()
        super().redraw(focus)

    def _name_country(self) -> None:
        """Show the country in the heading and on the button, if its on-ramp is known."""
        on_ramp = of_country(self.country)
        self.title = f"On-ramp: {corridor.NAMES[on_ramp.country]}" if on_ramp else "On-ramp"
        self.heading.text = self.title
        self.run_button.text = on_ramp.example_button if on_ramp else ""
        self.run_button.visible = self._example and on_ramp is not None

    @property
    def current(self) -> str | None:
        """The name of the current step; None when all are done."""
        return next((name for name in NAMES if name not in self.found), None)

    @property
    def begun(self) -> bool:
        """Whether the individual was created: a new walk must not replace this one."""
        return "person" in self.found

    def submit(self, *, anyway: bool = False) -> Conversion:
        """Submit all remaining steps with their current values; `anyway` confirms warnings."""
        while self.current is not None:
            self.take_step(anyway=anyway)
        return self.found["conversion"]  # type: ignore[no-any-return]

    def take_step(self, *, anyway: bool = False) -> None:
        """Submit the current step with its current values, or wait until it ends.

        `anyway` confirms warnings. Does nothing when all steps are done.
        """
        name = self.current
        if name is None:
            return
        body = self.bodies[name]
        if isinstance(body, Form):
            body.submit(anyway=anyway)
        elif name == "verification":
            person = self.functions.await_person(self.found["person"].id)
            body.see(person)
            if person.status != "active":
                reasons = ", ".join(str(detail.code) for detail in person.status_details or [])
                raise PaylabError(f"verification ended as {person.status}: {reasons}")
        else:
            conversion = self.functions.await_conversion(self.found["deposit"])
            body.see(conversion)
            if conversion.status != "completed":
                raise PaylabError(f"conversion {conversion.id} ended as {conversion.status}")

    def rows(self) -> Sequence[Row]:
        """The rows saved in the notebook: each step and its result."""
        return [(TITLES[name], _identity(self.found.get(name))) for name in NAMES]

    def stop(self) -> None:
        """Stop refreshing."""
        for body in self.bodies.values():
            if isinstance(body, LiveStatus):
                body.stop()

    def _show(self, name: str, step: OnrampStep) -> None:
        body = self.bodies.get(name)
        if name in self.found:
            result = self.found[name]
            code = self._code(name)
            after_body = self._after(name, body)
            if isinstance(body, Form):
                step.show(
                    DONE, gave=body.outcome(result), sent=body.sent, code=code, body=after_body
                )
            else:
                gave = [] if name == "conversion" else [(TITLES[name], _identity(result))]
                step.show(DONE, gave=gave, code=code, body=after_body)
        elif name == self.current:
            code = "" if isinstance(body, Form) else self._code(name)  # a form shows its own
            step.show(NOW, code=code, body=self._inside(name, body))
        else:
            earlier_title = TITLES[NAMES[NAMES.index(name) - 1]]
            step.show(LOCKED, why=f"after {earlier_title.lower()}")

    def _inside(self, name: str, body: Any) -> Sequence[Node]:
        """The form of the current step, without its own heading."""
        inside = [] if body is None else list(body.nodes())[1:]
        runs = self.run_button.visible and name in EXAMPLE_STEPS and isinstance(body, Form)
        return [*inside, self.run_button] if runs else inside

    def _after(self, name: str, body: Any) -> Sequence[Node]:
        """The details that a finished step shows: deposit instructions, conversion times."""
        if name == "account":
            self._card = self._card or picture(self.found[name])
            return [self._card]
        return body.nodes()[1:] if name == "conversion" and body is not None else []

    def _code(self, name: str) -> str:
        body = self.bodies.get(name)
        if isinstance(body, Form):
            return body.code()
        about = "account" if name in ("account", "deposit", "conversion") else "person"
        resource = self.found.get(about)
        return LOOKUPS[name].format(literal(resource.id)) if resource else ""

    def _take_up(self, country: str, person: Individual) -> None:
        """Find the current step of an existing individual."""
        if str(person.country).upper() != country:
            reason = f"is {country}, and {person.id} is of {person.country}"
            raise RuleError([Problem("country", reason)])
        self.found["person"] = person
        if person.status != "action_required":
            self.found["images"] = "uploaded"
        if person.status != "active":
            return
        accounts_held = [
            resource
            for resource in person.financial_accounts or []
            if isinstance(resource, FinancialAccount)
        ]
        wallets = newest_first(
            resource for resource in accounts_held if resource.type == codes.CRYPTO_WALLET
        )
        wallet = next(iter(wallets), None)
        account = self.functions.opened(person)
        paid = self.functions.paid(account) if account else None
        resources = {"verification": person, "wallet": wallet, "account": account, "deposit": paid}
        self.found |= {
            name: resource for name, resource in resources.items() if resource is not None
        }

    def _go_on(self) -> None:
        """Show the current step on the page."""
        name = self.current
        if name is not None and name not in self.bodies:
            self.bodies[name] = body = self._made(name)
            self._follow(name, body)
            if name in self.found:
                return
        at = NAMES.index(self.current) if self.current else len(NAMES) - 1
        self.redraw(self.steps[at].heading)
        self.keep()

    def _run(self) -> None:
        """Run the steps before the deposit, as if you clicked each one."""
        self._running = True
        self._run_step(self.current)

    def _run_step(self, name: str | None) -> None:
        """Click the form of a step; the next step starts when it has a result."""
        body = self.bodies.get(name or "")
        if not self._running or name not in EXAMPLE_STEPS:
            self._running = False
        elif isinstance(body, Form):
            body.click()
            self._running = self._running and (body.begun or self.current != name)

    def _made(self, name: str) -> Form | LiveStatus:
        if name == "person":
            return self.functions.onboarding()
        about = {"deposit": "account", "conversion": "deposit"}.get(name, "person")
        make: Callable[[Any], Form | LiveStatus] = getattr(self.functions, name)
        return make(self.found[about])

    def _follow(self, name: str, body: Form | LiveStatus) -> None:
        """Continue when the step is done."""
        body.follow(self.redraw)
        if isinstance(body, Form):
            body.observe(lambda change: self._done(name, change["new"]), "result")
            self._done(name, body.result)
        else:
            body.observe(lambda change: self._saw(name, change["new"]), "seen")
            self._saw(name, body.seen)

    def _done(self, name: str, found: Any) -> None:
        if found is None or name in self.found:
            return
        self.found[name] = found
        self._go_on()
        self._run_step(self.current)

    def _saw(self, name: str, seen: Any) -> None:
        """A final status ends the step; a request for new images goes back a step."""
        if name == "verification" and seen.status == "action_required":
            self._back_to_images(seen)
        elif name == "verification" and seen.status == "active":
            self.found["person"] = seen
            self._done(name, seen)
        elif name == "conversion" and getattr(seen, "status", None) == "completed":
            self._done(name, seen)
            self.result = seen

    def _back_to_images(self, person: Individual) -> None:
        self.found["person"] = person
        self.found.pop("images", None)
        for name in ("images", "verification"):
            body = self.bodies.pop(name, None)
            if isinstance(body, LiveStatus):
                body.stop()
        self._go_on()


def _identity(found: Any) -> str:
    if found is None:
        return "not yet"
    status = getattr(found, "status", None)
    if images := getattr(found, "images", None):
        return ", ".join(f"{image.type} stored" for image in images)
    name = str(getattr(found, "id", None) or getattr(found, "individual_id", None) or found)
    return f"{name}, {status}" if status else name
