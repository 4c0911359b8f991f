"""The four status machines, move by move, against the tables of the spec and the gaps."""

from __future__ import annotations

import itertools

import pytest

from paylab.spec import codes
from paylab.spec.status import CONVERSION, CONVERSION_ACCOUNT, INDIVIDUAL, TRANSFER, IllegalMove

MACHINES = [INDIVIDUAL, TRANSFER, CONVERSION, CONVERSION_ACCOUNT]
# From, to: "States and transitions"; then the gaps.
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
def test_exactly_these_moves(machine):
    """Every pair of states: a move of the tables, or none."""
    wanted = {tuple(pair.split()) for pair in MOVES[machine.name].split(",")}
    pairs = itertools.product(machine.states, repeat=2)
    assert {pair for pair in pairs if pair[1] in machine.onward(pair[0])} == wanted


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_final(machine):
    """Reached and never left; what nobody knows is not final."""
    assert machine.final == FINAL[machine.name]
    assert not machine.is_final("unheard_of")
    assert not machine.is_final(None)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_trigger_and_target_agree(machine):
    """`toward` names the trigger that `after` follows."""
    for (state, _), to in machine.moves.items():
        assert machine.after(state, machine.toward(state, to)) == to
        assert machine.legal(state)[machine.toward(state, to)] == to


@pytest.mark.parametrize("ask", ["after", "toward"])
def test_an_illegal_move(ask):
    """The error says which moves are legal."""
    with pytest.raises(IllegalMove, match="completed, failed, under_review") as raised:
        getattr(TRANSFER, ask)("started", "nowhere")
    assert raised.value.legal == ("completed", "failed", "under_review")
    with pytest.raises(IllegalMove, match="the state is final"):
        getattr(TRANSFER, ask)("completed", "fail")


def test_the_states_are_the_services_words():
    """As the spec lists them."""
    assert INDIVIDUAL.states == codes.INDIVIDUAL_STATUSES
    assert TRANSFER.states == codes.TRANSFER_STATUSES
    assert CONVERSION.states == codes.CONVERSION_STATUSES
    assert set(CONVERSION_ACCOUNT.states) <= set(codes.CONVERSION_ACCOUNT_STATUSES)
