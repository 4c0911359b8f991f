"""The walk: the parts of the service in the order of the notebooks, and how far each came."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from ..client.call import Call
from ..client.client import Client
from ..corridors import on_ramps
from ..corridors.corridor import NAMED
from ..corridors.on_ramps import OnRamp
from ..errors.base import PaylabError, WaitTimeoutError
from ..spec import codes
from ..spec.json_path import last_name
from ..spec.service.value_types import NONE
from . import steps
from .evidence import find_contradictions
from .parts import Part
from .refusals import HopelessError, describe_error
from .stated import find_stated_amount, find_stated_sizes, is_one_item
from .trial import BudgetError, R, Trials

LISTS = ("individuals", "transfers", "conversion_accounts", "conversions", "webhook_subscriptions")
LONG = ("transfers", "conversions")
"""Lists that are read in the largest pages."""

COUNTRIES = (*(each.country for each in NAMED if each.country not in codes.SEPA), "FR")
"""Every corridor of payouts; France stands for SEPA."""

PLAN = (
    f"for {' and '.join(on_ramps.COUNTRIES)}: an individual, images or a token, a wallet, a "
    f"conversion account, a deposit of {steps.DEPOSIT}",
    f"for each of {len(COUNTRIES)} payout countries: a recipient, a quote and a payout of "
    "10.00 USD",
    "one more payout of 10.00 USD, sent twice under one Idempotency-Key",
    "a webhook subscription, which is deleted again",
)
"""What a walk with `write` creates."""


MOST_REFUSALS = 2
"""How often a step is tried that is refused with the same words."""


class StopError(PaylabError):
    """A part cannot go on; the message says where, and repeats the words of the service."""


class ServiceWalk:
    """Goes through the parts, each on its own, with what the trials have proven so far.

    `done` are the operations that succeeded, `made` the created objects.
    """

    def __init__(self, trials: Trials) -> None:
        self._trials = trials
        self._without: list[str] = []
        self._payee: tuple[Any, str] | None = None
        self._amounts = {"payout": steps.AMOUNT, "deposit": str(steps.DEPOSIT)}
        self._refusals: Counter[tuple[str, str]] = Counter()
        self.parts: list[Part] = []
        self.made: dict[str, None] = {}
        self.done: set[str] = set()

    def go(self, *, write: bool) -> None:
        """Walk through all parts; a part that fails ends, and the others go on."""
        self._walk_part("Lists", self._walk_lists)
        if not write:
            return
        for on_ramp in on_ramps.ON_RAMPS:
            self._walk_part(f"{on_ramp.country} on-ramp", partial(self._walk_onramp, on_ramp))
        for country in COUNTRIES:
            self._walk_part(f"{country} payout", partial(self._walk_payout, country))
        self._walk_part("Repeated order", self._repeat_order)
        self._walk_part("Webhooks", self._walk_webhooks)
        self._walk_part("Lists again", self._walk_lists)

    def _walk_part(self, part_name: str, walk: Callable[[], None]) -> None:
        """Walk through one part, and note how far it came."""
        stop = ""
        try:
            walk()
        except BudgetError as error:
            stop = f"not reached ({error})"
        except StopError as error:
            stop = str(error)
        self.parts.append(Part(part_name, stop, tuple(self._without)))
        self._without.clear()

    def _run(self, step_name: str, step: Callable[[Client], R]) -> R:
        """The result of a step that the part needs; StopError says where it stops.

        A step that was refused twice with the same words is not tried again, unless they are about
        the country: the step may succeed for the next one.
        """
        for (refused_step, refusal_words), count in self._refusals.items():
            if refused_step == step_name and count >= MOST_REFUSALS:
                same_refusal = PaylabError(f"not tried again: {refusal_words}")
                raise StopError(f"stops at {step_name} ({same_refusal})") from same_refusal
        try:
            step_result = self._trials.run(step)
        except WaitTimeoutError as error:
            raise StopError(f"stops at {step_name}: {describe_error(error)}") from error
        except (BudgetError, HopelessError):
            raise
        except PaylabError as error:
            if not is_about_country(error):
                self._refusals[step_name, remove_ids(describe_error(error))] += 1
            raise StopError(f"stops at {step_name} ({describe_error(error)})") from error
        answered = self._trials.find_answered_call()
        if answered:
            self._note(*answered, step_result)
        return step_result

    def _note(self, call: Call, operation: str, step_result: object) -> None:
        """Remember what a successful call has used, created and shown."""
        self.done.add(operation)
        resource, _, verb = operation.partition(".")
        if verb == "create" and resource != "quotes":  # a quote expires by itself
            resource_noun = resource.removesuffix("s").replace("_", " ")
            self.made[f"{resource_noun} {getattr(step_result, 'id', '')}"] = None
        for contradiction in find_contradictions(call, operation, self._trials.service):
            self._trials.adopt(contradiction, call.number)

    def _pay_within_limit(
        self, step_name: str, amount_kind: str, step: Callable[[Client, str], R]
    ) -> R:
        """The result of a step with an amount; if it is refused, with the limit that is stated.

        After "amount must be at most 5.00", 5.00 is paid, here and in later parts.
        """
        amount = self._amounts[amount_kind]
        try:
            return self._run(step_name, lambda client: step(client, amount))
        except StopError as error:
            stated = find_stated_amount(describe_cause(error), amount)
            if not stated:
                raise
        step_result = self._run(f"{step_name} of {stated}", lambda client: step(client, stated))
        self._amounts[amount_kind] = stated
        return step_result

    def _try(self, step_name: str, run: Callable[[], R]) -> R | None:
        """The result of a step that the part can go without, as a quote; None if it was refused."""
        try:
            return run()
        except StopError as error:
            self._without.append(f"without {step_name} ({describe_cause(error)})")
            return None

    def _try_step(self, step_name: str, step: Callable[[Client], R]) -> R | None:
        """The result of a step that the part can go without; None if it was refused."""
        return self._try(step_name, lambda: self._run(step_name, step))

    def _try_to_pay(self, step_name: str, step: Callable[[Client, str], R]) -> R | None:
        """The result of a step with the amount of a payout; None if it was refused."""
        return self._try(step_name, lambda: self._pay_within_limit(step_name, "payout", step))

    def _walk_lists(self) -> None:
        """Read the first, the largest and the next page of each list, and one object."""
        for list_name in LISTS:
            self._walk_list(list_name)

    def _walk_list(self, list_name: str) -> None:
        """Read the first, the largest and the next page of a list, and one object."""
        first_page = self._try_step(
            f"the list of {list_name}", partial(steps.read_first_page, name=list_name)
        )
        if first_page is None:
            return
        if list_name in LONG:
            largest_page = partial(steps.read_first_page, name=list_name, limit=steps.LARGEST)
            self._try_step(f"the largest page of {list_name}", largest_page)
        if first_page.has_next_page:
            self._read_second_page(list_name)
        if first_page.data and list_name != "conversions":
            first_id = first_page.data[0].id
            self._try_step(f"one of {list_name}", lambda c: getattr(c, list_name).get(first_id))

    def _read_second_page(self, list_name: str) -> None:
        """Read the next page of a list; if it is refused, no name of the cursor is proven."""
        second_page = self._try_step(
            f"the next page of {list_name}", partial(steps.read_second_page, name=list_name)
        )
        if second_page is None:
            self._trials.withdraw(
                f"lists.{list_name}.more", *(f"lists.{name}.cursor" for name in LISTS)
            )

    def _walk_onramp(self, on_ramp: OnRamp) -> None:
        """Verify a person, open an account for their wallet, and convert a deposit."""
        person = self._verify_person(on_ramp.country)
        wallet = self._run("the wallet", lambda c: steps.create_wallet(c, person.id))
        account = self._run(
            "the conversion account",
            lambda c: steps.create_conversion_account(c, person.id, wallet.id, on_ramp.currency),
        )
        self._run("the deposit instructions", lambda c: c.conversion_accounts.wait(account.id))
        deposit = partial(steps.create_deposit, account_id=account.id, on_ramp=on_ramp)
        self._pay_within_limit(
            "the deposit", "deposit", lambda c, amount: deposit(c, amount=amount)
        )
        self._run("the conversion", lambda c: c.conversions.wait(conversion_account_id=account.id))

    def _verify_person(self, country: str) -> Any:
        """Create a person and verify them with images or a token, as the service asks."""
        person = self._run("the person", lambda c: steps.create_person(c, country))
        if steps.needs_token(self._trials.client, person):
            self._run("the verification token", lambda c: steps.send_token(c, person.id))
        elif images := steps.make_needed_images(person):
            self._upload(person.id, images)
            self._try_step("reading the images", lambda c: c.individuals.images(person.id))
        person = self._run("the verification", lambda c: c.individuals.wait(person.id))
        if person.status != "active":
            raise StopError(f"stops at the verification (the individual is {person.status})")
        return person

    def _upload(self, person_id: str, images: dict[str, bytes]) -> None:
        """Upload the images together; each alone, or larger, if the refusal asks for that."""

        def upload(client: Client, some: dict[str, bytes]) -> Any:
            return client.individuals.upload_images(person_id, some)

        try:
            self._run("the images", partial(upload, some=images))
        except StopError as error:
            uploads = _choose_uploads(describe_cause(error), images)
            if not uploads:
                raise
            for some_images in uploads:
                self._run(
                    "the images as the service asks for them", partial(upload, some=some_images)
                )

    def _walk_payout(self, country: str) -> None:
        """Create a recipient, a quote if the service has them, and a transfer."""
        person = self._run("the recipient", lambda c: steps.create_recipient(c, country))
        if not person.financial_accounts:
            raise StopError("stops at the recipient (the answer has no financial account)")
        account = person.financial_accounts[0]

        def ask(client: Client, amount: str) -> Any:
            return client.quotes.create(account, **steps.make_terms(client, country, amount))

        def pay(client: Client, amount: str, quote: object = None) -> Any:
            terms = steps.make_terms(client, country, amount)
            return steps.create_payout(client, account, terms, quote, reference)

        quote = self._try_to_pay("a quote", ask)
        # The first payout has no reference unless one is required, as in the notebooks.
        is_first = self._payee is None
        reference = "" if is_first else f"{steps.REFERENCE}-{country.lower()}-{person.id[-6:]}"
        transfer = quote and self._try_to_pay("paying the quote", partial(pay, quote=quote))
        transfer = transfer or self._pay_within_limit("the transfer", "payout", pay)
        self._run("reading it", lambda c: c.transfers.get(transfer.id))
        self._payee = self._payee or (account, country)

    def _repeat_order(self) -> None:
        """Send one order twice under one Idempotency-Key: it has to be one transfer."""
        if self._payee is None:
            raise StopError("not reached (no payout came to the end)")
        account, country = self._payee
        idempotency_key = self._trials.client.new_key()

        def pay(client: Client) -> Any:
            terms = steps.make_terms(client, country, self._amounts["payout"])
            fields = {**terms, "client_reference_id": f"paylab-{idempotency_key[:8]}"}
            return client.transfers.create(account, **fields, idempotency_key=idempotency_key)

        first_order = self._run("the order", pay)
        repeated_order = self._run("the same order again", pay)
        if repeated_order.id != first_order.id:
            raise StopError(
                f"stops at the same order again (one Idempotency-Key made {first_order.id} and "
                f"{repeated_order.id}: ask your provider for which requests keys are kept)"
            )

    def _walk_webhooks(self) -> None:
        """Create a subscription, read it and delete it."""
        service = self._trials.service
        is_stated = service.declares(lambda settings: settings.paths.create_webhook_subscription)
        if service.paths.webhook_subscriptions == NONE and not is_stated:
            raise StopError("not reached (paths.webhook_subscriptions is none)")
        events = ["transfer.completed"]
        subscription = self._run(
            "the subscription", lambda c: c.webhook_subscriptions.create(steps.HOOK, events)
        )
        self._try_step("reading it", lambda c: c.webhook_subscriptions.get(subscription.id))
        self._try_step("deleting it", lambda c: c.webhook_subscriptions.delete(subscription.id))


def _choose_uploads(refusal_words: str, images: dict[str, bytes]) -> list[dict[str, bytes]]:
    """The uploads that a refusal asks for: each image alone, or larger ones; none if neither."""
    if is_one_item(refusal_words):
        return [{image_side: image} for image_side, image in images.items()]
    sizes = [size for size in find_stated_sizes(refusal_words) if size > steps.SMALLEST_IMAGE]
    if sizes and sizes[0] <= steps.LARGEST_IMAGE:
        larger_image = steps.make_image(sizes[0] + 2048)
        return [dict.fromkeys(images, larger_image)]
    return []


def describe_cause(error: StopError) -> str:
    """The words of the error behind the end of a part."""
    return describe_error(error.__cause__ or error)


def is_about_country(error: PaylabError) -> bool:
    """Whether a refusal is about the country, by its fields; without fields, by its words."""
    last_names = [last_name(problem.field) for problem in getattr(error, "problems", ())]
    field_names = [field_name for field_name in last_names if field_name]
    message_words = re.findall("[a-z]+", str(error).lower())
    return "country" in (field_names or message_words)


def remove_ids(words: str) -> str:
    """Words without ids, so that two refusals can be compared.

    "individual 7f3a is blocked" is "individual ... is blocked".
    """
    return re.sub(r"\w*\d\w*", "...", words)
