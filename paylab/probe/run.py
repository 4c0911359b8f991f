"""A run through a service: its stages in the order of the notebooks, and how far each came."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..client.client import Client
from ..corridors import on_ramps
from ..corridors.corridor import NAMED
from ..corridors.on_ramps import OnRamp
from ..errors.api import APIStatusError, ServerError
from ..errors.base import PaylabError
from ..spec import codes
from ..spec.service.value_types import NONE
from . import actions
from .accepted_values import find_accepted_amount
from .answers import find_contradictions
from .hopeless import HopelessError
from .refused_request import describe_error
from .search import Action, BudgetError, R, SettingsSearch
from .stages import ON_RAMP, PAYOUT, Stage

LISTS = ("individuals", "transfers", "conversion_accounts", "conversions", "webhook_subscriptions")
LONG_LISTS = ("transfers", "conversions")
"""Lists that are read in the largest pages."""

COUNTRIES = (*(each.country for each in NAMED if each.country not in codes.SEPA), "FR")
"""Every corridor of payouts; France stands for SEPA."""

PLAN = (
    f"for {' and '.join(on_ramps.COUNTRIES)}: an individual, images or a token, a wallet, a "
    f"conversion account, a deposit of {actions.DEPOSIT}",
    f"for each of {len(COUNTRIES)} payout countries: a recipient, a quote and a payout of "
    "10.00 USD",
    "one more payout of 10.00 USD, sent twice under one Idempotency-Key",
    "a webhook subscription, which is deleted again",
)
"""What a run with `write` creates."""


class StopError(PaylabError):
    """A stage cannot go on; the message says where, and repeats the words of the service."""


class ServiceRun:
    """Goes through the stages, each on its own, with what the search has proven so far.

    `stages` are those that ended, `done` the operations that succeeded, `made` the created objects,
    each by its noun and id.
    """

    def __init__(self, search: SettingsSearch) -> None:
        self._search = search
        self._without: list[str] = []
        """The optional actions that the current stage went without, each with its refusal."""
        self._payee: tuple[Any, str] | None = None
        """The account and the country of the first payout that came to its end."""
        self._amounts = {"payout": actions.AMOUNT, "deposit": actions.DEPOSIT}
        """The amounts that the service accepts, by what they pay."""
        self.stages: list[Stage] = []
        self.made: dict[str, None] = {}
        self.done: set[str] = set()

    def run_stages(self, *, write: bool) -> None:
        """Go through all stages; a stage that fails ends, and the others go on."""
        self._run_stage("Lists", self._read_lists)
        if not write:
            return
        for on_ramp in on_ramps.ON_RAMPS:
            self._run_stage(f"{on_ramp.country}{ON_RAMP}", partial(self._convert_deposit, on_ramp))
        for country in COUNTRIES:
            self._run_stage(f"{country}{PAYOUT}", partial(self._pay_out, country))
        self._run_stage("Repeated order", self._repeat_order)
        self._run_stage("Webhooks", self._subscribe)
        self._run_stage("Lists again", self._read_lists)

    def _run_stage(self, stage_name: str, run: Callable[[], None]) -> None:
        """Go through one stage, and note how far it came."""
        stop_reason = ""
        try:
            run()
        except BudgetError as error:
            stop_reason = f"not reached ({error})"
        except StopError as error:
            stop_reason = str(error)
        self.stages.append(Stage(stage_name, stop_reason, tuple(self._without)))
        self._without.clear()

    def _require(self, action_name: str, action: Action[R]) -> R:
        """Do an action that the stage needs, and return its result; StopError if it fails."""
        try:
            result = self._search.run(action)
        except (BudgetError, HopelessError):
            raise
        except PaylabError as error:
            raise StopError(f"stops at {action_name} ({describe_error(error)})") from error
        self._note_answer(result)
        return result

    def _try_optional(self, action_name: str, action: Action[R]) -> R | None:
        """Do an action that the stage can go without, and return its result; None if refused."""
        try:
            return self._require(action_name, action)
        except StopError as error:
            refusal_text = describe_error(error.__cause__ or error)
            self._without.append(f"without {action_name} ({refusal_text})")
            return None

    def _note_answer(self, result: object) -> None:
        """Remember what the latest successful call has used, created and shown."""
        call_and_operation = self._search.find_answered_call()
        if call_and_operation is None:
            return
        call, operation_name = call_and_operation
        self.done.add(operation_name)
        resource, _, verb = operation_name.partition(".")
        if verb == "create" and resource != "quotes":  # a quote expires by itself
            noun = resource.removesuffix("s").replace("_", " ")
            self.made[f"{noun} {getattr(result, 'id', '')}"] = None
        for contradiction in find_contradictions(call, operation_name, self._search.service):
            self._search.adopt(contradiction, call.number)

    def _with_amount(self, kind: str, action: Callable[[Client, str], R]) -> Action[R]:
        """Make an action of one that takes an amount: that of a payout or a deposit, by `kind`.

        After "amount must be at most 5.00", 5.00 is paid, here and in later stages.
        """

        def act(client: Client) -> R:
            """Do the action with the amount so far; once more with one that a refusal states."""
            amount = self._amounts[kind]
            try:
                return action(client, amount)
            except APIStatusError as error:
                accepted_amount = find_accepted_amount(describe_error(error), amount)
                if isinstance(error, ServerError) or not accepted_amount:
                    raise  # a service that fails may have paid
            result = action(client, accepted_amount)
            self._amounts[kind] = accepted_amount
            return result

        return act

    def _read_lists(self) -> None:
        """Read the first, the largest and the next page of each list, and one object."""
        for list_name in LISTS:
            first_page = self._try_optional(
                f"the list of {list_name}", partial(actions.read_first_page, name=list_name)
            )
            if first_page is None:
                continue
            if list_name in LONG_LISTS:
                read_largest_page = partial(
                    actions.read_first_page, name=list_name, limit=actions.LARGEST_PAGE
                )
                self._try_optional(f"the largest page of {list_name}", read_largest_page)
            if first_page.has_next_page:
                self._read_second_page(list_name)
            if first_page.data and list_name != "conversions":
                read_one = partial(
                    actions.read_one, name=list_name, object_id=first_page.data[0].id
                )
                self._try_optional(f"one of {list_name}", read_one)

    def _read_second_page(self, name: str) -> None:
        """Read the next page of a list; if it is refused, no name of the cursor is proven."""
        read_second_page = partial(actions.read_second_page, name=name)
        if self._try_optional(f"the next page of {name}", read_second_page) is None:
            cursor_keys = [f"lists.{list_name}.cursor" for list_name in LISTS]
            self._search.withdraw(f"lists.{name}.more", *cursor_keys)

    def _convert_deposit(self, on_ramp: OnRamp) -> None:
        """Verify a person, open an account for their wallet, and convert a deposit."""
        currency = on_ramp.currency
        person = self._verify_person(on_ramp.country)
        wallet = self._require(
            "the wallet", lambda client: actions.create_wallet(client, person.id)
        )
        account = self._require(
            "the conversion account",
            lambda client: actions.create_conversion_account(
                client, person.id, wallet.id, currency
            ),
        )
        self._require(
            "the deposit instructions", lambda client: client.conversion_accounts.wait(account.id)
        )

        def deposit(client: Client, amount: str) -> Any:
            return actions.create_deposit(client, account.id, on_ramp, amount)

        self._require("the deposit", self._with_amount("deposit", deposit))
        self._require(
            "the conversion",
            lambda client: client.conversions.wait(conversion_account_id=account.id),
        )

    def _verify_person(self, country: str) -> Any:
        """Create a person and verify them with images or a token, as the service asks."""
        person = self._require("the person", lambda client: actions.create_person(client, country))
        if actions.needs_token(self._search.client, person):
            self._require(
                "the verification token", lambda client: actions.send_token(client, person.id)
            )
        elif images := actions.make_needed_images(person):
            self._require(
                "the images", lambda client: actions.send_images(client, person.id, images)
            )
            self._try_optional(
                "reading the images", lambda client: client.individuals.images(person.id)
            )
        person = self._require(
            "the verification", lambda client: client.individuals.wait(person.id)
        )
        if person.status != "active":
            raise StopError(f"stops at the verification (the individual is {person.status})")
        return person

    def _pay_out(self, country: str) -> None:
        """Create a recipient, a quote if the service has them, and a transfer."""
        person = self._require(
            "the recipient", lambda client: actions.create_recipient(client, country)
        )
        if not person.financial_accounts:
            raise StopError("stops at the recipient (the answer has no financial account)")
        account = person.financial_accounts[0]
        # The first payout has no reference unless one is required, as in the notebooks.
        is_first = self._payee is None
        reference = "" if is_first else f"{actions.REFERENCE}-{country.lower()}-{person.id[-6:]}"

        def create_quote(client: Client, amount: str) -> Any:
            return client.quotes.create(account, **actions.make_terms(client, country, amount))

        def pay_terms(client: Client, amount: str) -> Any:
            terms = actions.make_terms(client, country, amount)
            return actions.create_payout(client, reference, financial_account=account, **terms)

        quote = self._try_optional("a quote", self._with_amount("payout", create_quote))
        transfer: Any = None
        if quote is not None:
            transfer = self._try_optional(
                "paying the quote",
                lambda client: actions.create_payout(client, reference, quote_id=quote.id),
            )
        if transfer is None:
            transfer = self._require("the transfer", self._with_amount("payout", pay_terms))
        self._require("reading it", lambda client: client.transfers.get(transfer.id))
        self._payee = self._payee or (account, country)

    def _repeat_order(self) -> None:
        """Send one order twice under one Idempotency-Key: it has to be one transfer."""
        if self._payee is None:
            raise StopError("not reached (no payout came to the end)")
        account, country = self._payee
        idempotency_key = self._search.client.new_key()

        def pay(client: Client) -> Any:
            terms = actions.make_terms(client, country, self._amounts["payout"])
            order_fields = {**terms, "client_reference_id": f"paylab-{idempotency_key[:8]}"}
            return client.transfers.create(account, **order_fields, idempotency_key=idempotency_key)

        first_transfer = self._require("the order", pay)
        repeated_transfer = self._require("the same order again", pay)
        if repeated_transfer.id != first_transfer.id:
            raise StopError(
                f"stops at the same order again (one Idempotency-Key made {first_transfer.id} and "
                f"{repeated_transfer.id}: ask your provider for which requests keys are kept)"
            )

    def _subscribe(self) -> None:
        """Create a subscription of webhooks, read it and delete it."""
        service = self._search.service
        is_stated = service.declares(lambda settings: settings.paths.create_webhook_subscription)
        if service.paths.webhook_subscriptions == NONE and not is_stated:
            raise StopError("not reached (paths.webhook_subscriptions is none)")
        event_types = ["transfer.completed"]
        subscription = self._require(
            "the subscription",
            lambda client: client.webhook_subscriptions.create(actions.HOOK_URL, event_types),
        )
        self._try_optional(
            "reading it", lambda client: client.webhook_subscriptions.get(subscription.id)
        )
        self._try_optional(
            "deleting it", lambda client: client.webhook_subscriptions.delete(subscription.id)
        )
