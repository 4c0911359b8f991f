"""Walks through a second service, which differs in ways that the probe was not made for."""

import random
from collections import defaultdict
from datetime import UTC, datetime
from functools import cache

import httpx
import pytest
from second_service import DEVIATIONS, Service
from second_service.deviations import changes_of
from second_service.dialect import keys_of

from paylab import Lab
from paylab.client import Client
from paylab.client.settings import Settings
from paylab.errors import PaylabError
from paylab.probe.probe import probe_service
from paylab.probe.report import PROVEN
from paylab.spec.service import Service as Settled

FOLLOWABLE = sorted(name for name, each in DEVIATIONS.items() if each.followable)
HARMLESS = sorted(name for name in FOLLOWABLE if DEVIATIONS[name].harmless)
WALLET = "financial_accounts.crypto_wallet"
LISTS = ("individuals", "transfers", "conversion_accounts", "conversions")
SAMPLE = [
    (
        ("wallet-both", "deposits-nested", "accounts-opening"),
        {
            f"{WALLET}.fields.address": "public_key",
            f"{WALLET}.fields.network": "ledger",
            "paths.sandbox_deposits": "/v1/conversion_accounts/{id}/deposits",
            "statuses.conversion_accounts": ("under_review", "disabled", "opening"),
        },
    ),
    (
        ("networks-others", "people-need-street", "deposit-204", "sign-unversioned"),
        {
            f"{WALLET}.allowed": ("stellar", "tron"),
            "individuals.required": (
                *("product_types", "given_name", "family_name", "country", "address"),
                *("address.line_1", "address.city", "address.postal_code"),
            ),
            "success_codes.sandbox_deposits": 204,
            "signing.signed_path": "unversioned",
        },
    ),
    (
        ("payout-account-by-id", "pages-pagination"),
        {f"lists.{name}.more": "pagination.has_more" for name in LISTS}
        | {f"lists.{name}.cursor": "pagination.next" for name in LISTS[:3]}
        | {"conversion_accounts.fields.payout_account_id": "payout_account_id"},
    ),
    (
        ("errors-of-json-api-first", "deposit-answers-conversion"),
        {
            "financial_accounts.BR.pix.fields.pix_key": "key",
            "financial_accounts.BR.pix.fields.pix_key_type": "key_type",
        },
    ),
]
COMBINATIONS = 20
ROWS = 130
NOW = 1_800_000_000.25


class Connected:
    """The second service with deviations, and clients of it on a simulated clock."""

    def __init__(self, *deviations):
        self._now = NOW
        self._service = Service(deviations, clock=lambda: self._now)
        self._service.seed(ROWS)

    def _wait(self, seconds):
        self._now += seconds

    def _answer(self, request):
        target, pairs = request.url.raw_path.decode(), request.headers.multi_items()
        status, headers, body = self._service.handle(request.method, target, pairs, request.read())
        return httpx.Response(status, headers=headers, content=body)

    def parts(self, service=None):
        """What a client or a lab is made of."""
        started = {"service": service} if service else {}
        keys = (self._service.api_key, self._service.secret_key)
        return {
            "settings": Settings("http://127.0.0.1", *keys, **started),
            "transport": httpx.MockTransport(self._answer),
            "clock": lambda: datetime.fromtimestamp(self._now, UTC),
            "sleep": self._wait,
        }


def walk(*deviations, service=None):
    """Walk through the service with deviations."""
    with Client(**Connected(*deviations).parts(service)) as client:
        return probe_service(client, write=True, sandbox=True)


@cache
def first_walk(*deviations):
    """The walk without a file, which each check of the same deviations starts from."""
    return walk(*deviations)


def is_usable(report):
    """Whether both on-ramps and all payouts came to the end."""
    needed = ("MX on-ramp: ", "PH on-ramp: ", "Payouts: ")
    ends = [line for line in report.reached if line.startswith(needed)]
    return len(ends) == 3 and not any("stops" in line or "not reached" in line for line in ends)


def rows(*deviations, service):
    """The number of transfers in a frame."""
    with Lab(**Connected(*deviations).parts(service)) as lab:
        return len(lab.transfers.frame())


def check_calls(report):
    """Each written value has a call that succeeded."""
    calls = {call.number: call for call in report.calls}
    written = report.where(PROVEN)
    assert {each.key for each in written} >= {*report.service.diff()}
    assert [each.key for each in written if calls[each.call].failed] == []


def is_followed(*deviations):
    """Whether the service is usable with the file that a walk has written."""
    written = first_walk(*deviations).service
    if not is_usable(walk(*deviations, service=written)):
        return False
    try:
        return rows(*deviations, service=written) == ROWS
    except PaylabError:
        return False


def check_proofs(*deviations):
    """Each written value has a call that succeeded, and is found again or missed without it."""
    first = first_walk(*deviations)
    check_calls(first)
    written = first.where(PROVEN)
    # A wait that is too long works as well, so one setting of rate limits hides the other. The
    # names in the envelope of a list are read together, and a short list needs only some of them.
    left_out = defaultdict(list)
    for each in (each for each in written if not each.key.startswith("rate_limits.")):
        without = each.key.rpartition(".")[0] if each.key.startswith("lists.") else each.key
        left_out[without].append(each)
    for without, values in left_out.items():
        given = first.service.given.items()
        rest = {key: value for key, value in given if not key.startswith(without)}
        again = walk(*deviations, service=Settled(rest))
        if is_usable(again):
            assert [each.key for each in values if again[each.key].value != each.value] == []


@cache
def combinations():
    """Random sets of three to six deviations that set different things."""
    names = [name for name in FOLLOWABLE if not DEVIATIONS[name].mute]
    chance, found = random.Random(22), []
    while len(found) < COMBINATIONS:
        chosen, size = [], chance.randint(3, 6)
        for name in chance.sample(names, len(names)):
            new = {leaf for change in changes_of([name]) for leaf in keys_of(change)}
            old = {leaf for change in changes_of(chosen) for leaf in keys_of(change)}
            if len(chosen) < size and not new & old:
                chosen.append(name)
        found.append(tuple(sorted(chosen)))
    return found


@pytest.mark.parametrize(("deviations", "found"), SAMPLE)
def test_a_walk_follows_a_service_that_it_does_not_know(deviations, found):
    """With the written file, both on-ramps, a payout and a frame work; it has nothing else."""
    assert is_followed(*deviations)
    first = first_walk(*deviations)
    assert first.service.diff() == found
    check_calls(first)


def test_a_walk_follows_several_differences_at_once():
    """A random set of differences, some of which the walk tries in more than one order."""
    assert is_followed(*combinations()[2])


@pytest.mark.whole_table
def test_nearly_all_deviations_are_followed():
    """At least 95 % of those that a client can follow, and of the random sets."""
    missed = [name for name in FOLLOWABLE if not is_followed(name)]
    assert len(missed) <= len(FOLLOWABLE) * 0.05, missed
    missed = [names for names in combinations() if not is_followed(*names)]
    assert len(missed) <= COMBINATIONS * 0.05, missed


@pytest.mark.whole_table
@pytest.mark.parametrize("deviation", sorted(DEVIATIONS))
def test_every_written_value_is_proven(deviation):
    """Whether or not a deviation can be followed."""
    check_proofs(deviation)


@pytest.mark.whole_table
@pytest.mark.parametrize("deviation", HARMLESS)
def test_a_file_breaks_no_service_that_works(deviation):
    """A service that needs no file works with the file."""
    assert is_usable(walk(deviation))
    assert is_followed(deviation)
