"""The statuses that an object has had."""

from __future__ import annotations

import pytest

import paylab
from paylab.errors import NotFoundError
from paylab.lab.histories import Histories
from paylab.views.specimens import specimen

SIDES = ("document-front", "document-back", "selfie")
SENT_BACK = ["action_required", "pending", "action_required"]


@pytest.fixture
def lab():
    """A lab with a person whose images were refused."""
    lab = paylab.connect()
    fields = paylab.examples.individual("MX", consent_at=lab.clock())
    blurry = {**fields, "family_name": "Verification Image Blurry"}
    person = lab.individuals.create(**blurry)
    lab.individuals.upload_images(person.id, {side: specimen(side) for side in SIDES})
    lab.simulator.clock.advance(5)
    return lab


def test_a_simulator_knows_every_status(lab):
    """The simulator has each status with its time, also one that no call has shown."""
    person = lab.individuals.list().first()
    history = Histories((), lambda: lab.simulator).read(person.id)
    assert [status for status, _ in history] == SENT_BACK
    assert (history[0][1], history[-1][1]) == (person.created_at, person.updated_at)
    with pytest.raises(NotFoundError):
        lab.simulator.history("ind_1")


def test_of_a_real_service_the_calls_tell(lab):
    """Without a simulator, the statuses are those of the answers, each once in a row."""
    person = lab.individuals.list().first()
    lab.individuals.get(person.id)
    history = Histories(lab.calls).read(person.id)
    assert [status for status, _ in history] == ["action_required"]
    assert Histories(lab.calls).read("ind_1") == []


def test_what_was_seeded_has_no_history(lab):
    """A transfer that was added as completed says nothing of its way."""
    assert lab.simulator.history(lab.transfers.list().first().id) is None
