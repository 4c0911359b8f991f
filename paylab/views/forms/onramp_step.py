"""The steps of an on-ramp: their titles, their code and how the page shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...errors.base import PaylabError
from ...spec.models import Conversion, ConversionAccount, Individual
from .. import html
from ..cards import deposit_card
from ..html import Row
from .code import literal
from .form import Form
from .live import LiveStatus
from .nodes import Code, Group, Heading, Html, Node

DONE = "done"
NOW = "now"
LOCKED = "locked"
STATE_SIGNS = {DONE: "✓", NOW: "●", LOCKED: "○"}

STEP_TITLES = {
    "person": "Person",
    "images": "Verification images",
    "verification": "Verification",
    "wallet": "Wallet",
    "account": "Conversion account",
    "deposit": "Deposit",
    "conversion": "Conversion",
}
STEP_NAMES = tuple(STEP_TITLES)
EXAMPLE_STEPS = ("person", "images", "verification", "wallet", "account")
"""The steps that the button for an example runs."""

LOOKUP_CODE = {
    "person": "person = lab.individuals.get({})",
    "images": "images = lab.individuals.images({})",
    "verification": "person = lab.individuals.wait({})",
    "wallet": "wallet = next(account for account in person.financial_accounts"
    ' if account.type == "crypto_wallet")',
    "account": "account = lab.conversion_accounts.get({})",
    "deposit": "conversion = lab.conversions.wait(conversion_account_id={})\n"
    "deposit = conversion.deposit",
    "conversion": "conversion = lab.conversions.wait(conversion_account_id={})",
}
"""The code of a step without a form, for the id of the person or the conversion account."""


NAMED_STEPS = ("person", "wallet", "account")
"""The steps whose results the code of later steps names: `person = ...`, then `person.id`."""


def write_step_code(step_name: str, results: Mapping[str, Any], form_code: str) -> str:
    """The code of a step in one program with the steps before it, whose results it names.

    `form_code` is that of its form. Without a form, the code reads the result; it is empty as long
    as there is nothing to read it by.
    """
    step_code = form_code
    if not form_code:
        reads_account = step_name in ("account", "deposit", "conversion")
        resource = results.get("account" if reads_account else "person")
        step_code = LOOKUP_CODE[step_name].format(literal(resource.id)) if resource else ""
    for earlier_step_name in NAMED_STEPS:
        if earlier_step_name == step_name:
            break
        earlier_result = results.get(earlier_step_name)
        if earlier_result is not None:
            step_code = step_code.replace(literal(earlier_result.id), f"{earlier_step_name}.id")
    return step_code


@dataclass(frozen=True)
class OnrampFunctions:
    """The functions of a stepper: they make the form of each step, read resources, and wait."""

    onboarding: Callable[..., Form]
    images: Callable[[Individual], Form]
    verification: Callable[[Individual], LiveStatus]
    wallet: Callable[[Individual], Form]
    account: Callable[[Individual], Form]
    deposit: Callable[[ConversionAccount], Form]
    conversion: Callable[[Any], LiveStatus]

    get_person: Callable[[str], Individual]
    find_account: Callable[[Individual], ConversionAccount | None]
    find_conversion: Callable[[ConversionAccount], Conversion | None]
    await_person: Callable[[str], Individual]
    await_conversion: Callable[[Any], Conversion]


class Summary(Group):
    """The visible line of a folded step; a click on it shows the rest."""

    kind = "summary"


class OnrampStep(Group):
    """A step on the page: a focusable heading, its result, its form and its code.

    A step that is done is one line, with its result, that opens on a click.
    """

    def __init__(self, number: int, title: str) -> None:
        """Start as a locked step, which the form fills when its turn comes."""
        self.number = number
        self.title = title
        self.state = LOCKED
        self.heading = Heading("", 3)
        self.result = Html()
        self.code = Code()
        self._summary = Summary([self.heading])
        super().__init__([], "step")

    def show_locked(self, earlier_title: str) -> None:
        """Show that the step becomes available after an earlier one."""
        self._show_state(LOCKED, hint=f"available after {earlier_title}")

    def show_current(self, code: str, nodes: Sequence[Node]) -> None:
        """Show the step as the current one, with its form or status."""
        self._show_state(NOW, hint=NOW, code=code, nodes=nodes)

    def show_done(
        self,
        result_line: str,
        result_rows: Sequence[Row],
        sent_html: str,
        code: str,
        nodes: Sequence[Node],
    ) -> None:
        """Show the result in one line; on a click all of it, what was sent, and the code."""
        result_html = html.table(result_rows) if result_rows else ""
        if sent_html:
            result_html += html.collapsible_block("What was sent", sent_html)
        self._show_state(DONE, hint=result_line, result_html=result_html, code=code, nodes=nodes)
        self.kind = "fold"
        self.children = [self._summary, *self.children[1:]]

    def show_end(self, code: str, nodes: Sequence[Node]) -> None:
        """Show the last step as done, with all of its result."""
        self._show_state(DONE, hint=DONE, code=code, nodes=nodes)

    def add_actions(self, actions: Node) -> None:
        """Show buttons above the code, as in a form."""
        self.children = [*self.children[:-1], actions, self.code]

    def _show_state(
        self,
        state: str,
        *,
        hint: str,
        result_html: str = "",
        code: str = "",
        nodes: Sequence[Node] = (),
    ) -> None:
        """Show a state with its hint; `nodes` are those of the form or the status of the step."""
        self.state = state
        self.kind = "group"  # a done step was folded
        self.current = state == NOW
        self.heading.text = f"{STATE_SIGNS[state]} {self.number}. {self.title}"
        self.heading.hint = hint
        self.result.html = result_html
        self.code.text = code
        self.code.visible = bool(code)
        self.children = [self.heading, self.result, *nodes, self.code]


class DepositPair(Group):
    """The card of a deposit, and the form that pays it.

    Its groups stay the same: in a new one, an input would lose the focus while somebody types.
    """

    def __init__(self) -> None:
        super().__init__([], "pair")
        self._card: Html | None = None
        self._form = Group([])

    def card(self, account: ConversionAccount) -> Html:
        """The card of the deposit instructions of an account, made once."""
        if self._card is None:
            self._card = Html(deposit_card(account)._repr_mimebundle_()["text/html"])
        return self._card

    def show(self, account: ConversionAccount, form_nodes: Sequence[Node]) -> DepositPair:
        """Show the card of an account and a form, and return the pair."""
        self._form.children = list(form_nodes)
        self.children = [self.card(account), self._form]
        return self


@contextmanager
def name_step(step_name: str) -> Iterator[None]:
    """Add the title of a step to the hint of an error inside a with block."""
    try:
        yield
    except PaylabError as error:
        place_text = f"this is the step {STEP_TITLES[step_name]}"
        error.hint = f"{place_text}; {error.hint}" if error.hint else place_text
        raise
