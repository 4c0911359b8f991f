"""Triggering events of new and existing resources by legal moves."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from paylab.errors import ConfigError, NotFoundError, SimulatorError
from paylab.lab.trigger import trigger
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.spec import codes


@pytest.mark.parametrize("kind", codes.EVENT_TYPES)
def test_each_of_the_eleven_of_a_new_resource(lab, kind):
    """Without an id, `trigger` creates a resource and returns the event, for all eleven types."""
    assert kind in [event.type for event in trigger(lab, kind)]


@pytest.mark.parametrize(
    ("kind", "types"),
    [
        ("transfer.funded", ["funded"]),
        ("transfer.payout_initiated", ["funded", "payout_initiated"]),
        ("transfer.completed", ["funded", "completed"]),
        ("transfer.failed", ["funded", "failed"]),
        ("transfer.expired", ["expired"]),
    ],
)
def test_a_transfer_of_ones_own(lab, kind, types):
    """An existing transfer makes only the moves that lead to the event."""
    (created, *_) = trigger(lab, "transfer.created")
    events = trigger(lab, kind, created.id)
    assert [event.type.partition(".")[2] for event in events] == types


@pytest.mark.parametrize("kind", ["payout_initiated", "completed", "failed"])
def test_a_conversion_of_ones_own(lab, kind):
    """An existing conversion moves on to the event."""
    (created, *_) = trigger(lab, "conversion.created")
    assert trigger(lab, f"conversion.{kind}", created.id)[-1].type == f"conversion.{kind}"


def test_a_conversion_account_of_ones_own(lab):
    """With the id of a conversion account, `trigger` makes a new deposit into it."""
    (created, *_) = trigger(lab, "conversion.created")
    account = created.resource.conversion_account_id
    event = trigger(lab, "conversion.completed", account)[-1]
    assert event.resource.conversion_account_id == account
    assert event.id != created.id


@pytest.mark.parametrize(
    ("to", "status"), [(None, "active"), ("rejected", "rejected"), ("under_review", "under_review")]
)
def test_an_individual_of_ones_own(lab, to, status):
    """An individual moves to its next status, or to the status that is given."""
    (changed, *_) = trigger(lab, "individual.status_changed")
    assert trigger(lab, "individual.status_changed", changed.id, to=to)[-1].status == status


@pytest.mark.parametrize("to", ["pending", "active", "rejected", "under_review"])
def test_a_new_individual_goes_on_to_the_status_that_is_named(lab, to):
    """A new individual moves to the given status."""
    event = trigger(lab, "individual.status_changed", to=to)[-1]
    assert (event.status, lab.individuals.get(event.id).status) == (to, to)


def test_a_status_is_chosen_for_individuals_only(lab):
    """`to` with an event of a transfer is an error, and nothing is created."""
    before = len(lab.events())
    with pytest.raises(ConfigError, match=r"for individual\.status_changed, not for transfer"):
        trigger(lab, "transfer.completed", to="active")
    assert len(lab.events()) == before


@pytest.mark.parametrize(
    ("first", "then", "words"),
    [
        ("transfer.funded", "transfer.expired", "legal moves: completed, failed, under_review"),
        ("transfer.funded", "transfer.created", "is started"),
        ("transfer.funded", "transfer.funded", "is started"),
        ("transfer.completed", "transfer.failed", "none, this status is final"),
        ("transfer.completed", "transfer.payout_initiated", "is completed"),
        ("conversion.completed", "conversion.failed", "none, this status is final"),
    ],
)
def test_what_cannot_follow_says_what_can(lab, first, then, words):
    """An event that cannot follow is an error with the legal moves or the status; nothing moves."""
    row = trigger(lab, first)[-1].id
    before = len(lab.events(row))
    with pytest.raises(SimulatorError, match=words):
        trigger(lab, then, row)
    assert len(lab.events(row)) == before


@pytest.mark.parametrize("kind", codes.EVENT_TYPES)
def test_nobody_is_moved_by_an_unknown_id(lab, kind):
    """An unknown id raises NotFoundError; nothing is created, and no event is sent."""
    trigger(lab, "conversion.created")
    before = lab.simulator.snapshot()
    with pytest.raises(NotFoundError):
        trigger(lab, kind, "nobody")
    assert lab.simulator.snapshot() == before


def test_an_unknown_event_names_the_known_ones(lab):
    """The error for an unknown event lists the known ones."""
    with pytest.raises(ConfigError, match=r"transfer\.created, transfer\.funded"):
        trigger(lab, "transfer.cancelled")


CELL = """
import paylab
from paylab.lab.trigger import trigger
lab = paylab.connect()
print([trigger(lab, kind)[-1].id for kind in ("transfer.created", "conversion.created")])
"""
SHELL = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for _ in range(2):
    shell.run_cell(CELL, store_history=True).raise_error()
"""


def test_a_cell_that_is_run_again_makes_another(tmp_path):
    """A notebook cell that triggers payments makes new ones each time it runs."""
    with Server(Simulator(frozen=False, speed=1000)) as server:
        keys = {"API_KEY": server.simulator.api_key, "SECRET_KEY": server.simulator.secret_key}
        named = {"BASE_URL": server.base_url, "LEDGER": str(tmp_path / "ledger"), **keys}
        env = {**os.environ, **{f"PAYLAB_{name}": value for name, value in named.items()}}
        command = [sys.executable, "-c", SHELL.replace("CELL", repr(CELL))]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert (len(set(lines)), done.returncode) == (2, 0), done.stdout[-900:]
