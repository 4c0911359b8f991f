"""A status machine as a line of its states: where it is, and what can come next."""

from __future__ import annotations

from ...status import Machine
from .. import page


def line(machine: Machine, state: str | None) -> str:
    """The states as a list, the one that holds marked for the eye and for a screen reader."""
    shown = list(machine.states)
    if state and state not in shown:
        shown.append(state)  # the service knows one that we do not
    items = "".join(_item(one, one == state) for one in shown)
    return f'<ul class="paylab-states" aria-label="Status">{items}</ul>{_next(machine, state)}'


def onward(machine: Machine, state: str | None) -> str:
    """What can come next, in words."""
    following = machine.onward(state or "")
    if following:
        return f"Can come next: {', '.join(following)}."
    return "Nothing comes after this." if machine.is_final(state) else "What follows is not known."


def _item(state: str, current: bool) -> str:
    mark = ' aria-current="step"' if current else ""
    return f"<li{mark}>{page.escape(state)}</li>"


def _next(machine: Machine, state: str | None) -> str:
    return f'<div class="paylab-hint">{page.escape(onward(machine, state))}</div>'
