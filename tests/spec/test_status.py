"""The four status machines have exactly the moves of the spec and of the assumptions."""

from __future__ import annotations

import itertools
import re

import pytest

from paylab.spec import codes
from paylab.spec.status import (
    CONVERSION,
    CONVERSION_ACCOUNT,
    INDIVIDUAL,
    TRANSFER,
    IllegalMove,
    detail,
)

MACHINES = [INDIVIDUAL, TRANSFER, CONVERSION, CONVERSION_ACCOUNT]
# From, to: first the moves of "States and transitions" in the spec, then the assumed moves.
MOVES = {
    "individual": """
        action_required pending, pending active, pending action_required, pending rejected,
        pending under_review, under_review active, under_review rejected
    """,
    "transfer": """
        awaiting_funds started, started completed, started failed, awaiting_funds expired,
        awaiting_funds cancelled, started under_review, under_review started, under_review failed
    """,
    "conversion": """
        pending started, started completed, pending failed, started failed
    """,
    "conversion account": "pending active",
}
FINAL = {
    "individual": {"active", "rejected"},
    "transfer": {"completed", "failed", "expired", "cancelled"},
    "conversion": {"completed", "failed"},
    "conversion account": {"active"},
}


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_each_machine_has_exactly_the_moves_of_the_table_above(machine):
    """Each machine has exactly the moves of the table above."""
    wanted = {tuple(pair.split()) for pair in MOVES[machine.name].split(",")}
    pairs = itertools.product(machine.states, repeat=2)
    assert {pair for pair in pairs if pair[1] in machine.onward(pair[0])} == wanted


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_the_final_states_are_those_listed_above(machine):
    """The final states are those listed above; an unknown state and None are not final."""
    assert machine.final == FINAL[machine.name]
    assert not machine.is_final("unheard_of")
    assert not machine.is_final(None)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_trigger_and_target_agree(machine):
    """The trigger that `toward` returns leads to the same state in `after` and `legal`."""
    for (state, _), to in machine.moves.items():
        assert machine.after(state, machine.toward(state, to)) == to
        assert machine.legal(state)[machine.toward(state, to)] == to


@pytest.mark.parametrize("ask", ["after", "toward"])
def test_the_error_says_which_moves_are_legal(ask):
    """The error says which moves are legal."""
    with pytest.raises(IllegalMove, match="completed, failed, under_review") as raised:
        getattr(TRANSFER, ask)("started", "nowhere")
    assert raised.value.legal == ("completed", "failed", "under_review")
    with pytest.raises(IllegalMove, match="the state is final"):
        getattr(TRANSFER, ask)("completed", "fail")


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("canceled", "canceled, which is none of its statuses (cancelled, "),
        ("gone", "gone, which is none of its statuses ("),
        ("awaiting_funds", "from completed to awaiting_funds; legal: none"),
    ],
)
def test_the_error_for_an_unknown_state_lists_all_the_nearest_first(wanted, words):
    """A state that exists is not called unknown."""
    with pytest.raises(IllegalMove, match=re.escape(words)) as raised:
        TRANSFER.toward("completed", wanted)
    has_all_states = all(state in str(raised.value) for state in TRANSFER.states)
    assert has_all_states == (wanted not in TRANSFER.states)


def test_the_states_are_the_services_words():
    """The states of the machines are the statuses of the spec."""
    assert INDIVIDUAL.states == codes.INDIVIDUAL_STATUSES
    assert TRANSFER.states == codes.TRANSFER_STATUSES
    assert CONVERSION.states == codes.CONVERSION_STATUSES
    assert CONVERSION_ACCOUNT.states == codes.CONVERSION_ACCOUNT_STATUSES


def test_a_path_leads_around_a_state():
    """A path that must not pass a state is found around it, or not at all."""
    assert TRANSFER.path("started", "failed", without="under_review") == ["failed"]
    assert CONVERSION.path("pending", "completed", without="started") == []
    assert TRANSFER.path("awaiting_funds", "completed") == ["started", "completed"]
    assert TRANSFER.path("under_review", "completed") == ["started", "completed"]
    assert INDIVIDUAL.path("action_required", "rejected") == ["pending", "rejected"]
    assert TRANSFER.path("completed", "started") == TRANSFER.path("started", "started") == []


@pytest.mark.parametrize(
    ("code", "terminal_codes", "is_terminal", "asks", "sides"),
    [
        ("verification_selfie_needed", None, False, True, ("selfie",)),
        ("verification_image_blurry", None, False, False, codes.IMAGE_SIDES),
        (
            "verification_image_blurry",
            ["verification_image_blurry"],
            True,
            False,
            codes.IMAGE_SIDES,
        ),
        ("verification_age_mismatch", None, True, False, ()),
        ("verification_age_mismatch", (), False, False, ()),
        ("verification_new", None, False, False, codes.IMAGE_SIDES),
        (None, None, False, False, codes.IMAGE_SIDES),
    ],
)
def test_the_advice_of_a_code_says_which_images_to_send(
    code, terminal_codes, is_terminal, asks, sides
):
    """A code says which images to send again; the terminal ones are those of the service."""
    advice = detail(code, terminal_codes)
    assert (advice.code, advice.terminal, advice.asks) == (str(code), is_terminal, asks)
    assert advice.sides == sides
    assert ("does not know" in advice.meaning) == (code in ("verification_new", None))
