"""Probe a service: go through it as the notebooks do, and remember what was proven."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from functools import cache, partial
from os import PathLike
from pathlib import Path

from ..client.call import Call
from ..client.client import Client
from ..client.har import read_har
from ..client.new_orders import NewOrders
from ..errors.base import ConfigError, OptionError, PaylabError, Problem
from ..spec.operations.records import OPERATIONS
from ..spec.service.keys import setting_keys
from ..spec.service.service import Service
from ..spec.service.setting import setting_key_of
from .actions import read_first_page
from .answers import find_contradictions
from .hopeless import HopelessError, explain_failure, explain_missing_lists
from .refused_request import describe_error
from .report import (
    ASSUMED,
    NOT_REACHED,
    PROVEN,
    REFUSED,
    ProbeFinding,
    Report,
    read_existing_service,
)
from .run import ServiceRun
from .sandbox import require_sandbox
from .search import BUDGET, BudgetError, SettingsSearch
from .stages import describe_reach

FIRST_LISTS = ("transfers", "individuals", "conversions")
"""The lists that are read first, until one of them answers."""
WITHOUT_WRITE = "needs an object: walk with write=True (--write)"
NOT_SHOWN = "no request of a walk shows it"
NEVER_SHOWN = (
    *("error_codes.", "errors.", "idempotency.", "webhooks.", "requests.", "rate_limits."),
    *("verification.", "signing.tolerance", "signing.nonce", "quotes.lifetime"),
    *("individuals.initial_status", "transfers.deadline_hours", "conversion_accounts.at_once"),
    "sandbox_deposits.missing_sender",
)
"""The beginnings of keys of behaviour that the client does not rest on: no request shows it."""
SHOWN_BY = {
    "currencies": "quotes.create",
    "amounts": "transfers.create",
    "rails": "transfers.create",
    "deposit_instructions": "conversion_accounts.get",
}
"""An operation that rests on the keys of a table that no resource has."""


def probe_service(  # noqa: PLR0913 - what to do, how often, and the files
    client: Client,
    *,
    write: bool = False,
    sandbox: bool = False,
    budget: int = BUDGET,
    pace: float = 0.0,
    to: str | PathLike[str] | None = None,
    calls: str | PathLike[str] | None = None,
) -> Report:
    """Go through a service, `pace` seconds between requests, and write what was proven to `to`.

    With `write`, objects are created, but only after it is proven that the service is a sandbox, or
    if `sandbox` says that you know it. With `calls`, a HAR file, nothing is sent: the report uses
    the recorded calls. Nothing is written if the run could not begin.

    OptionError for a budget that is no number of requests, ConfigError for `write` with a read-only
    lab and for a file `to` that is not a service.toml, all before the first request.
    """
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < 1:
        raise OptionError([Problem("budget", "must be a whole number of requests, 1 or more")])
    if write and client.settings.read_only:
        raise ConfigError("--write creates objects, but this lab is read-only")
    if to is not None:
        read_existing_service(Path(to))  # refuses a file that is no service.toml
    if calls is not None:
        report = report_recorded_calls(read_har(Path(calls)).calls, client.service)
    else:
        first_number = client.calls[-1].number if client.calls else 0
        probing_client = client.with_service(client.service, orders=NewOrders)
        search = SettingsSearch(probing_client, budget, pace, start=first_number)
        report = _report_run(search, write=write, is_confirmed=sandbox)
    if to is not None and not report.hopeless:
        report.write(Path(to))
    return report


def _report_run(search: SettingsSearch, *, write: bool, is_confirmed: bool) -> Report:
    """Go through a service, and report how far it came and what was proven."""
    run = ServiceRun(search)
    client = search.client
    calls = list[Call]()
    stop_listening = client.calls.listen(calls.append)  # the log itself drops its oldest calls
    try:
        stop_reason = _run_or_explain(search, run, write=write, is_confirmed=is_confirmed)
    finally:
        stop_listening()
    finding_by_key = {
        setting_key: ProbeFinding(setting_key, REFUSED, why=describe_error(error))
        for setting_key, error in search.refusals.items()
    }
    if not stop_reason:  # nothing is written after a run that had to stop
        finding_by_key |= search.proofs
    first_stop_reason = next((stage.stop for stage in run.stages if stage.stop), "")
    reason_unreached = first_stop_reason if write else WITHOUT_WRITE
    findings = _make_findings(finding_by_key, run.done, reason_unreached)
    return Report(
        tuple(describe_reach(run.stages)),
        findings,
        search.service,
        sent=search.sent,
        made=tuple(run.made),
        address=client.settings.base_url,
        on=client.clock().date(),
        hopeless=stop_reason,
        works=not write or any(stage.moves_money for stage in run.stages),
        blanks=search.blanks,
        calls=tuple(calls),
    )


def _run_or_explain(
    search: SettingsSearch, run: ServiceRun, *, write: bool, is_confirmed: bool
) -> str:
    """Run all stages, and return the sentence that says why the run had to stop, or ""."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the report has the differences of which a client warns
        try:
            answered_list = _read_any_list(search)
            if write:
                require_sandbox(search, answered_list, is_confirmed=is_confirmed)
            run.run_stages(write=write)
        except (HopelessError, BudgetError) as error:
            return str(error)
    return ""


def _read_any_list(search: SettingsSearch) -> str:
    """Read one list, and return its name; HopelessError with one sentence when none can be read."""
    failures = list[PaylabError]()
    address = search.client.settings.base_url
    for list_name in FIRST_LISTS:
        read_list = partial(read_first_page, name=list_name)
        try:
            search.run(read_list, ("signing.", "lists.", "rate_limits."))
        except PaylabError as error:
            failures.append(error)
            sentence = explain_failure(error, address)
            if sentence:
                raise HopelessError(sentence) from error
        else:
            return list_name
    raise HopelessError(explain_missing_lists(failures, address)) from failures[0]


def report_recorded_calls(calls: Iterable[Call], service: Service) -> Report:
    """Report what recorded calls show; nothing is sent."""
    calls = tuple(calls)
    done_operations = set[str]()
    proof_by_key = dict[str, ProbeFinding]()
    for call_number, call in enumerate(calls, 1):
        route = service.match(call.path)[0].get(call.method)
        if route is None or call.failed:
            continue
        done_operations.add(route.operation)
        for contradiction in find_contradictions(call, route.operation, service):
            for setting_key, setting_value in contradiction.items():
                if setting_key not in proof_by_key and setting_value != service.value(setting_key):
                    proof_by_key[setting_key] = ProbeFinding(
                        setting_key, PROVEN, setting_value, call=call_number
                    )
    proven_values = {setting_key: proof.value for setting_key, proof in proof_by_key.items()}
    return Report(
        (f"{len(calls)} recorded calls",),
        _make_findings(proof_by_key, done_operations, "not in the recorded calls"),
        service.with_values(proven_values),
        calls=calls,
    )


def _make_findings(
    finding_by_key: Mapping[str, ProbeFinding], done_operations: set[str], reason_unreached: str
) -> tuple[ProbeFinding, ...]:
    """Make a finding for each key: what was shown, else whether a done operation rests on it.

    `reason_unreached` says why other operations were not reached.
    """
    findings = []
    for setting_key in setting_keys():
        if setting_key in finding_by_key:
            finding = finding_by_key[setting_key]
        elif setting_key.startswith(NEVER_SHOWN):
            finding = ProbeFinding(setting_key, NOT_REACHED, why=NOT_SHOWN)
        elif done_operations.isdisjoint(find_operations(setting_key)):
            finding = ProbeFinding(setting_key, NOT_REACHED, why=reason_unreached or NOT_SHOWN)
        else:
            finding = ProbeFinding(setting_key, ASSUMED)
        findings.append(finding)
    return tuple(findings)


@cache
def find_operations(key: str) -> frozenset[str]:
    """Find the operations that rest on a key: those of the resource that it names, or all.

    For `lists.transfers.cursor` they are the operations of transfers, for `paths.quotes` the one
    that has this path.
    """
    key_parts = key.split(".")
    table_name = key_parts[0]
    if table_name == "paths":
        return frozenset(
            operation.name
            for operation in OPERATIONS.values()
            if setting_key_of(operation.path) == key
        )
    if table_name in SHOWN_BY:
        return frozenset({SHOWN_BY[table_name]})
    operation_names = set[str]()
    for operation in OPERATIONS.values():
        fields_table = setting_key_of(operation.names).partition(".")[0]
        if operation.resource in key_parts or fields_table in key_parts:
            operation_names.add(operation.name)
    return frozenset(operation_names or OPERATIONS)
