"""Probe a service: walk through it as the notebooks do, and remember what was proven."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path

from ..client.call import Call
from ..client.client import Client
from ..client.har import read_har
from ..client.new_orders import NewOrders
from ..errors.base import ConfigError, Problem, RuleError
from ..spec.operations.records import OPERATIONS
from ..spec.service.keys import setting_keys
from ..spec.service.service import Service
from ..spec.service.setting import setting_key_of
from .evidence import find_contradictions
from .parts import describe_reach
from .refusals import HopelessError, describe_error
from .report import (
    ASSUMED,
    NOT_REACHED,
    PROVEN,
    REFUSED,
    ProbeFinding,
    Report,
    read_existing_service,
)
from .sandbox import require_sandbox
from .start import read_any_list
from .trial import BUDGET, BudgetError, Trials
from .walk import ServiceWalk

WITHOUT_WRITE = "needs an object: walk with write=True (--write)"
NOT_SHOWN = "no request of a walk shows it"
SERVICE_ONLY = (
    "error_codes.",
    "errors.",
    "idempotency.",
    "webhooks.",
    "requests.",
    "images.",
    "rate_limits.",
    "verification.",
    "signing.tolerance",
    "signing.nonce",
    "quotes.lifetime",
    "individuals.initial_status",
    "transfers.deadline_hours",
    "transfers.source_types",
    "financial_accounts.update",
    "sandbox_deposits.missing_sender",
    "conversion_accounts.at_once",
)
"""Keys of behaviour that the client does not rest on: a walk neither needs nor shows them."""


def probe_service(  # noqa: PLR0913 - what to do, how often, and the files
    client: Client,
    *,
    write: bool,
    sandbox: bool = False,
    budget: int,
    pace: float,
    to: str | PathLike[str] | None,
    calls: str | PathLike[str] | None,
) -> Report:
    """Walk through the service, `pace` seconds between requests, and write what was proven.

    With `calls`, a HAR file, nothing is sent: the report uses the recorded calls. A file `to` that
    is not a service.toml is refused before the first request. Nothing is written if the walk
    could not begin.
    """
    if to is not None:
        read_existing_service(Path(to))
    if calls is not None:
        report = report_recorded_calls(read_har(Path(calls)).calls, client.service)
    else:
        report = probe(client, write=write, sandbox=sandbox, budget=budget, pace=pace)
    if to is not None and not report.hopeless:
        report.write(Path(to))
    return report


def probe(
    client: Client,
    *,
    write: bool = False,
    sandbox: bool = False,
    budget: int = BUDGET,
    pace: float = 0.0,
) -> Report:
    """Walk through a service; with `write`, objects are created in a sandbox.

    Nothing is created before it is proven that the service is a sandbox; `sandbox` says that you
    know it.

    Nothing is written by this function: `Report.write` makes the service.toml. RuleError for a
    budget that is no number of requests, ConfigError for `write` with a read-only lab.
    """
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < 1:
        raise RuleError([Problem("budget", "must be a whole number of requests, 1 or more")])
    if write and client.settings.read_only:
        raise ConfigError("--write creates objects, but this lab is read-only")
    first_number = client.calls[-1].number if client.calls else 0
    walking_client = client.with_service(client.service, orders=NewOrders)
    trials = Trials(walking_client, budget, pace, first_number)
    walk = ServiceWalk(trials)
    calls = list[Call]()
    stop_listening = client.calls.listen(calls.append)  # the log itself drops its oldest calls
    try:
        hopeless = _walk(trials, walk, write=write, is_named=sandbox)
    finally:
        stop_listening()
    if hopeless:
        trials.proofs.clear()
    return Report(
        tuple(describe_reach(walk.parts)),
        tuple(
            _make_finding(trials, walk, setting_key, write=write) for setting_key in setting_keys()
        ),
        trials.service,
        sent=trials.sent,
        made=tuple(walk.made),
        address=client.settings.base_url,
        on=client.clock().date(),
        hopeless=hopeless,
        works=not write or any(part.moves_money for part in walk.parts),
        blanks=trials.blanks,
        calls=tuple(calls),
    )


def _walk(trials: Trials, walk: ServiceWalk, *, write: bool, is_named: bool) -> str:
    """Walk through the service; the sentence that says why nothing can work, or ""."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a difference is reported at the end
        try:
            list_name = read_any_list(trials)
            if write:
                require_sandbox(trials, list_name, is_named=is_named)
            walk.go(write=write)
        except (HopelessError, BudgetError) as error:
            return str(error)
    return ""


def report_recorded_calls(calls: Iterable[Call], service: Service) -> Report:
    """What recorded calls show; nothing is sent."""
    calls = tuple(calls)
    done = set[str]()
    proofs = dict[str, ProbeFinding]()
    for number, call in enumerate(calls, 1):
        route = service.match(call.path)[0].get(call.method)
        if route is None or call.failed:
            continue
        done.add(route.operation)
        for contradiction in find_contradictions(call, route.operation, service):
            for key, value in contradiction.items():
                if key not in proofs and value != service.value(key):
                    proofs[key] = ProbeFinding(key, PROVEN, value, call=number)
    findings = [
        proofs.get(key) or _describe_use(key, done, "not in the recorded calls")
        for key in setting_keys()
    ]
    proven_values = {key: proof.value for key, proof in proofs.items()}
    return Report(
        (f"{len(calls)} recorded calls",),
        tuple(findings),
        service.with_values(proven_values),
        calls=calls,
    )


def _make_finding(
    trials: Trials, walk: ServiceWalk, setting_key: str, *, write: bool
) -> ProbeFinding:
    """What a walk has shown of a key."""
    if setting_key in trials.proofs:
        return trials.proofs[setting_key]
    if setting_key in trials.refusals:
        return ProbeFinding(setting_key, REFUSED, why=describe_error(trials.refusals[setting_key]))
    first_stop = next((part.stop for part in walk.parts if part.stop), "")
    return _describe_use(setting_key, walk.done, first_stop if write else WITHOUT_WRITE)


def _describe_use(setting_key: str, done: set[str], why: str) -> ProbeFinding:
    """Whether an operation that succeeded rests on a key: assumed, or not reached and why."""
    if setting_key.startswith(SERVICE_ONLY):
        return ProbeFinding(setting_key, NOT_REACHED, why=NOT_SHOWN)
    if done.isdisjoint(find_operations(setting_key)):
        return ProbeFinding(setting_key, NOT_REACHED, why=why or NOT_SHOWN)
    return ProbeFinding(setting_key, ASSUMED)


OTHERS = {
    "signing": "transfers.list",
    "currencies": "quotes.create",
    "amounts": "transfers.create",
    "rails": "transfers.create",
    "deposit_instructions": "conversion_accounts.get",
}
"""An operation that rests on the keys of a table that is not its own."""


def find_operations(key: str) -> Iterator[str]:
    """The operations that rest on a key."""
    head, _, key_end = key.partition(".")
    if head in OTHERS:
        yield OTHERS[head]
    for operation_name, operation in OPERATIONS.items():
        table_names = (setting_key_of(operation.names).partition(".")[0], operation.resource)
        if head == "paths":
            is_used = setting_key_of(operation.path) == key
        elif head == "lists":
            list_name, _, setting = key_end.partition(".")  # without a list: of all lists
            is_used = operation.is_list and (not setting or list_name == operation.resource)
        elif head in ("statuses", "success_codes"):
            is_used = key_end == operation.resource
        else:
            is_used = head in table_names
        if is_used:
            yield operation_name
