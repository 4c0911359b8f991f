"""The four status machines, as tables: who may go where, and by what.

Rows without a remark are the spec's ("States and transitions"); the others are the gaps
`individual.under-review`, `transfer.other-moves` and `conversion.other-moves`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Moves = Mapping[tuple[str, str], str]


class IllegalMove(ValueError):  # noqa: N818 - named for what it is, as in "illegal move"
    """A move that a machine does not have; `legal` lists the states it has from there."""

    def __init__(self, machine: str, state: str, wanted: str, legal: tuple[str, ...]) -> None:
        self.legal = legal
        onward = ", ".join(legal) or "nothing: the state is final"
        super().__init__(f"{machine} cannot go from {state} to {wanted}; legal: {onward}")


@dataclass(frozen=True)
class Machine:
    """A status machine: `moves` maps (state, trigger) to the next state."""

    name: str
    states: tuple[str, ...]
    moves: Moves

    def legal(self, state: str) -> dict[str, str]:
        """The triggers that apply in a state, and where each leads."""
        return {trigger: to for (at, trigger), to in self.moves.items() if at == state}

    def after(self, state: str, trigger: str) -> str:
        """The state that follows, or IllegalMove."""
        try:
            return self.moves[state, trigger]
        except KeyError:
            raise IllegalMove(self.name, state, f"'{trigger}'", self.onward(state)) from None

    def onward(self, state: str) -> tuple[str, ...]:
        """The states reachable in one move, each once."""
        return tuple(dict.fromkeys(self.legal(state).values()))

    def toward(self, state: str, wanted: str) -> str:
        """The trigger that leads from a state to another, or IllegalMove."""
        for trigger, to in self.legal(state).items():
            if to == wanted:
                return trigger
        raise IllegalMove(self.name, state, wanted, self.onward(state))

    @property
    def final(self) -> frozenset[str]:
        """The states that are reached and never left."""
        return frozenset(self.moves.values()) - {at for at, _ in self.moves}

    def is_final(self, state: str | None) -> bool:
        """True when nothing follows; an unknown state is not final."""
        return isinstance(state, str) and state in self.final


INDIVIDUAL = Machine(
    "individual",
    ("pending", "under_review", "active", "rejected", "action_required"),
    {
        ("action_required", "submit"): "pending",
        ("pending", "pass"): "active",
        ("pending", "ask"): "action_required",
        ("pending", "reject"): "rejected",
        ("pending", "review"): "under_review",  # gap
        ("under_review", "pass"): "active",  # gap
        ("under_review", "reject"): "rejected",  # gap
    },
)

TRANSFER = Machine(
    "transfer",
    (
        "pending",
        "awaiting_funds",
        "started",
        "completed",
        "cancelled",
        "failed",
        "expired",
        "under_review",
    ),
    {
        ("awaiting_funds", "fund"): "started",
        ("awaiting_funds", "expire"): "expired",
        ("awaiting_funds", "cancel"): "cancelled",  # gap
        ("started", "settle"): "completed",
        ("started", "fail"): "failed",
        ("started", "review"): "under_review",  # gap
        ("under_review", "release"): "started",  # gap
        ("under_review", "fail"): "failed",  # gap
    },
)

CONVERSION = Machine(
    "conversion",
    ("pending", "awaiting_funds", "started", "completed", "cancelled", "failed", "expired"),
    {
        ("pending", "broadcast"): "started",
        ("started", "confirm"): "completed",
        ("pending", "fail"): "failed",  # gap
        ("started", "fail"): "failed",  # gap
    },
)

CONVERSION_ACCOUNT = Machine(
    "conversion account",
    ("pending", "active"),
    {("pending", "provision"): "active"},
)
