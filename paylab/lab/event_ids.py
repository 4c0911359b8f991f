"""The id of an object whose events are read; ids of objects that have none."""

from __future__ import annotations

from ..client.identifiers import PREFIXES, check_identifier
from ..errors.base import OptionError, Problem, RuleWarning, warn_caller
from ..errors.choices import find_choice
from ..spec import codes
from ..spec.text import plain

_FIELD = "resource_id"
_FAMILIES = sorted({event_type.partition(".")[0] for event_type in codes.EVENT_TYPES})
"""The kinds of objects that have events, such as transfer."""


def read_event_id(resource: object, *, is_simulator: bool) -> str:
    """The id of an object or an id itself; OptionError for the type of an event.

    RuleWarning for an id that does not begin as those of a simulator that have events.
    """
    row_id = check_identifier(resource, _FIELD)
    _refuse_event_type(row_id)
    prefix_by_family = {family: PREFIXES[family] for family in _FAMILIES}
    if is_simulator and not row_id.startswith(tuple(prefix_by_family.values())):
        kinds = [f"{family}s ({prefix}...)" for family, prefix in prefix_by_family.items()]
        message = f"{_FIELD}: {plain(row_id, 60)} has no events; only {', '.join(kinds)} have some"
        warn_caller(message, RuleWarning)
    return row_id


def _refuse_event_type(row_id: str) -> None:
    """OptionError if an id is the type of an event, or a word that means one."""
    family = row_id.partition(".")[0].removesuffix("s")
    meant_type = find_choice(row_id, codes.EVENT_TYPES)
    if family not in _FAMILIES and not meant_type:
        return
    condition = f" == {meant_type!r}" if meant_type else f".startswith('{family}.')"
    message = (
        "must be an object or its id, not a type: write "
        f"[event for event in lab.events() if event.type{condition}]"
    )
    raise OptionError([Problem(_FIELD, message)])
