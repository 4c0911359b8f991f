"""The statuses that an object has had, as a simulator knows them or as the calls have shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from ..client.call import Call
from ..errors.base import PaylabError
from ..spec import timestamps
from ..spec.text import JsonObject, JsonValue

if TYPE_CHECKING:
    from ..simulator.controls import Controls

History = list[tuple[str, datetime | None]]
"""Statuses with the time when each began, oldest first; None for a time that is not known."""


class Histories:
    """Reads the history of an object; `find_controls` returns a simulator's controls, or None."""

    def __init__(
        self, calls: Iterable[Call], find_controls: Callable[[], Controls | None] = lambda: None
    ) -> None:
        self._calls = calls
        self._find_controls = find_controls

    def read(self, object_id: str) -> History:
        """The whole history from a simulator, else the statuses in `lab.calls`."""
        with suppress(PaylabError):  # another process may have stopped the simulator
            controls = self._find_controls()
            history = None if controls is None else controls.history(object_id)
            if history is not None:
                from ..views.forms.timeline import WholeHistory

                return WholeHistory(history)
        return read_seen_history(self._calls, object_id)


def read_seen_history(calls: Iterable[Call], object_id: str) -> History:
    """The statuses of an object in the answers of calls, without repetitions in a row."""
    history = History()
    for call in calls:
        if object_id not in call.response_body.text:
            continue
        for resource_object in _find_objects(call.response_body.text, object_id):
            status = str(resource_object["status"])
            if not history or history[-1][0] != status:
                history.append((status, _read_time(resource_object.get("updated_at"))))
    return history


def _find_objects(json_text: str, object_id: str) -> Iterator[JsonObject]:
    """The objects of a JSON text, at any depth, that have this id and a status."""
    try:
        unread_values: list[JsonValue] = [json.loads(json_text)]
    except (ValueError, RecursionError):
        return
    while unread_values:
        json_value = unread_values.pop()
        if isinstance(json_value, list):
            unread_values.extend(json_value)
        elif isinstance(json_value, dict):
            unread_values.extend(json_value.values())
            if json_value.get("id") == object_id and isinstance(json_value.get("status"), str):
                yield json_value


def _read_time(json_value: JsonValue) -> datetime | None:
    """The time that a JSON value is; None for any other value."""
    try:
        return timestamps.from_text(str(json_value))
    except ValueError:
        return None
