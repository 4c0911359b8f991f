"""Controls that add objects: people, accounts, and finished payments of the past."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import datetime

from .. import corridors
from ..corridors import examples
from ..corridors.on_ramps import of_country
from ..errors.base import PaylabError, Problem, RuleError
from ..errors.suggestions import find_nearest_name
from ..spec import codes, timestamps
from ..spec.operations.records import OPERATIONS
from ..spec.service.service import Service
from ..spec.text import JsonObject
from ..spec.translation import Translation
from .bodies import account_json, individual_json, require_row
from .events import withheld_events
from .messages import RefusedError, Reply, Request, encode_json, raise_if_problems
from .resources import financial_accounts, individuals
from .strictness import find_unknown_fields
from .table import Row
from .world import World

DEFAULT_COUNTRY = "MX"
SEEDED_KINDS = ("individuals", "transfers", "conversions")
"""The kinds of objects of which a seed has a number."""

ADDED_KINDS = (*SEEDED_KINDS, "financial_accounts", "conversion_accounts")
"""The kinds of objects whose ids the answer to a seed has."""

OPTION_TYPES: Mapping[str, tuple[type, str]] = {
    "country": (str, "text"),
    "verified": (bool, "true or false"),
    "events": (bool, "true or false"),
    "outcomes": (list, "a list"),
}
"""The types of options, and their descriptions."""


def seed_objects(world: World, request: Request) -> Reply:
    """POST /_simulator/seed {"individuals", "transfers", "conversions"}.

    The answer is the summary, and the ids of what was added.
    """
    from . import population

    count_by_kind = _read_seed_counts(request)
    old_ids_by_kind = {kind: {*world.tables[kind].rows} for kind in ADDED_KINDS}
    individual_count = count_by_kind["individuals"] or None  # None: as many as there are routes
    population.seed_world(
        world,
        count_by_kind["transfers"],
        individuals=individual_count,
        conversions=count_by_kind["conversions"],
    )
    new_ids_by_kind = {
        kind: [row_id for row_id in world.tables[kind].rows if row_id not in old_ids]
        for kind, old_ids in old_ids_by_kind.items()
    }
    return Reply.json(200, {**world.summary(), "ids": new_ids_by_kind})


def _read_seed_counts(request: Request) -> dict[str, int]:
    """The number of objects of each seeded kind, 0 by default. RefusedError for a wrong one."""
    from .seeding import ROWS_MAX

    requested_counts = request.json() if request.body else {}
    problems = [
        Problem(count_name, _describe_unknown(count_name, SEEDED_KINDS))
        for count_name in requested_counts
        if count_name not in SEEDED_KINDS
    ]
    count_by_kind = {kind: requested_counts.get(kind, 0) for kind in SEEDED_KINDS}
    for kind, count in count_by_kind.items():
        if type(count) is not int or not 0 <= count <= ROWS_MAX:
            problems.append(Problem(kind, f"must be a whole number from 0 to {ROWS_MAX}"))
    raise_if_problems(problems)
    return count_by_kind


def add_person(world: World, request: Request) -> Reply:
    """POST /_simulator/people {"country", "verified", "events", "outcomes"}, and its fields.

    The fields are those of an individual; by default they are those of an example. `outcomes` are
    those of its verifications, one each. Without `events`, none is delivered.
    """
    fields = request.json() if request.body else {}
    control_options = _take_options(fields, ("country", "verified", "events", "outcomes"))
    individuals.require_outcomes(world, control_options.get("outcomes", []))
    with _hold_events_unless_wanted(world, control_options):
        person_row = _create_person(world, request, control_options, fields)
        individuals.plan_outcomes(world, person_row, control_options.get("outcomes", []))
        if control_options.get("verified"):
            individuals.activate(world, person_row)
    return Reply.json(201, individual_json(world, person_row))


def add_account(world: World, request: Request) -> Reply:
    """POST /_simulator/accounts {"individual_id", "country", "events", "type", "details"}.

    Without an individual, it is one of a new active individual in the country. The answer is the
    account with the id of the individual.
    """
    requested_fields = request.json() if request.body else {}
    control_options = _take_options(requested_fields, ("country", "events"))
    if "individual_id" in requested_fields:
        owner_row = require_row(world, "individuals", requested_fields["individual_id"])
        if control_options.get("country", owner_row["country"]) != owner_row["country"]:
            raise RefusedError(
                400, f"country: the individual's is {owner_row['country']}: leave it out"
            )
    with _hold_events_unless_wanted(world, control_options):
        # Here, since the new individual sends no unwanted events either.
        if "individual_id" not in requested_fields:
            owner_row = _create_person(world, request, control_options, fields={})
            individuals.activate(world, owner_row)
        account_fields = {
            **_make_account_fields(world, owner_row["country"], requested_fields),
            "individual_id": owner_row["id"],
        }
        account_request = _with_checked_body(
            world,
            request,
            operation_name="financial_accounts.create",
            operation_body=account_fields,
        )
        account_row = financial_accounts.create_account_row(world, account_request)
    return Reply.json(201, {**account_json(world, account_row), "individual_id": owner_row["id"]})


def example_person(country: str, consent_at: datetime, service: Service) -> JsonObject:
    """The fields of an individual for payouts, and for an on-ramp where the country has one.

    RuleError for a country that the service does not have.
    """
    has_on_ramp = of_country(country) is not None
    if has_on_ramp:
        fields = examples.individual(country, consent_at=consent_at)
        return {**fields, "product_types": [codes.ON_RAMP_PRODUCT, codes.GLOBAL_PAYOUTS]}
    if _has_payouts(country, service) or country not in codes.COUNTRIES:
        return examples.recipient(country, service)  # RuleError for an unknown country
    # Such a country has a wallet only.
    product = codes.GLOBAL_PAYOUTS
    return examples.individual(country, consent_at=consent_at, product=product)


def example_account(country: str, service: Service) -> JsonObject:
    """The type and details of an account: a wallet in a country that has no other account."""
    if _has_payouts(country, service):
        return examples.account(country, service)
    return {"type": codes.CRYPTO_WALLET, "details": examples.wallet(service)}


def _has_payouts(country: str, service: Service) -> bool:
    """Whether an account for payouts in a country is known, with an example."""
    corridor = corridors.of(service).get(country)
    return corridor is not None and any(account.example for account in corridor.accounts)


def _create_person(world: World, request: Request, options: JsonObject, fields: JsonObject) -> Row:
    """Create an individual with the fields of an example, some of them replaced."""
    country = options.get("country", DEFAULT_COUNTRY)
    try:
        example_fields = example_person(country, world.now(), world.service)
    except RuleError as error:
        raise_if_problems(error.problems)
        raise RefusedError(400, str(error)) from None
    if "idv_consent_recorded_at" in example_fields:
        example_fields["idv_consent_recorded_at"] = timestamps.to_text(
            example_fields["idv_consent_recorded_at"]
        )
    example_body = Translation(world.service).translate_request(
        "individuals.create", example_fields
    )
    person_fields = {**example_body, **fields}
    return individuals.create_row(
        world,
        _with_checked_body(
            world, request, operation_name="individuals.create", operation_body=person_fields
        ),
    )


def _make_account_fields(world: World, country: str, fields: JsonObject) -> JsonObject:
    """The fields of an account. By default they are from an example of its type or its country."""
    if "details" in fields:
        return fields
    try:
        if fields.get("type") == codes.CRYPTO_WALLET:
            our_example = {"type": codes.CRYPTO_WALLET, "details": examples.wallet(world.service)}
        else:
            our_example = example_account(country, world.service)
    except PaylabError as error:
        raise RefusedError(400, str(error)) from None
    example_fields = Translation(world.service).translate_request(
        "financial_accounts.create", our_example
    )
    if "type" in fields and fields["type"] != our_example["type"]:
        raise RefusedError(400, f"details: name those of a {fields['type']}")
    return {**example_fields, **fields}


def _with_checked_body(
    world: World, request: Request, operation_name: str, operation_body: JsonObject
) -> Request:
    """The same request with the body of an operation.

    RefusedError if the body has a field that the operation does not know.
    """
    operation_request = replace(request, body=encode_json(operation_body))
    operation = OPERATIONS[operation_name]
    raise_if_problems(find_unknown_fields(world.service, operation, operation_request))
    return operation_request


def _take_options(fields: JsonObject, option_names: Collection[str]) -> JsonObject:
    """Take the options out of a body. RefusedError with status 400 for one of another type."""
    options = {
        option_name: fields.pop(option_name)
        for option_name in option_names
        if option_name in fields
    }
    problems = [
        Problem(option_name, f"must be {OPTION_TYPES[option_name][1]}")
        for option_name, option_value in options.items()
        if type(option_value) is not OPTION_TYPES[option_name][0]
    ]
    raise_if_problems(problems)
    return options


def _hold_events_unless_wanted(world: World, options: JsonObject) -> AbstractContextManager[None]:
    """A block without deliveries if the option `events` is false. By default they are sent."""
    return nullcontext() if options.get("events", True) else withheld_events(world)


def _describe_unknown(unknown_name: str, known_names: Collection[str]) -> str:
    """The message for an unknown name: the nearest known one, or all if none is near."""
    nearest_name = find_nearest_name(unknown_name, known_names)
    if nearest_name:
        return f"is not known: is {nearest_name} meant?"
    return f"is not known: there are {', '.join(known_names)}"
