"""The options of a world that a request creates, and the first time of its clock."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ..errors.base import Problem, ServiceError
from ..errors.names import find_nearest_name
from ..spec import timestamps
from ..spec.service.service import Service
from ..spec.text import JsonObject
from .messages import RefusedError, raise_if_problems


def read_world_options(requested_options: JsonObject) -> dict[str, Any]:
    """The options of a new simulator. Its clock runs unless `frozen` is set."""
    problems: list[Problem] = []
    for option_name, option_value in requested_options.items():
        if option_name not in _OPTION_TYPES:
            nearest = find_nearest_name(option_name, _OPTION_TYPES)
            suggestion = (
                f": is {nearest} meant?" if nearest else f": {', '.join(_OPTION_TYPES)} are"
            )
            problems.append(Problem(option_name, f"is not known{suggestion}"))
        elif type(option_value) is not _OPTION_TYPES[option_name]:
            problems.append(
                Problem(option_name, f"must be {_TYPE_NAMES[_OPTION_TYPES[option_name]]}")
            )
    raise_if_problems(problems)
    options = {"frozen": False, **requested_options}
    if "start" in requested_options:
        options["start"] = read_start_time(requested_options["start"])
    if "service" in requested_options:
        try:
            options["service"] = Service().with_values(requested_options["service"])
        except ServiceError as error:
            raise RefusedError(400, f"service: {error}") from None
    return options


_OPTION_TYPES: Mapping[str, type] = {
    "seed": int,
    "strict": bool,
    "frozen": bool,
    "production_like": bool,
    "start": str,
    "service": dict,
}
_TYPE_NAMES: Mapping[type, str] = {
    int: "a whole number",
    bool: "true or false",
    str: "text",
    dict: "an object",
}


def read_start_time(time_text: str) -> datetime:
    """The first time of a clock, such as 2026-11-22T12:00Z, or that of the machine for "now".

    RefusedError for another form.
    """
    if time_text == "now":
        time_text = datetime.now(UTC).isoformat()
    try:
        start_time = datetime.fromisoformat(time_text)
    except ValueError:
        start_time = datetime.min
    if start_time.tzinfo is None or not 1 < start_time.year < 9000:
        raise RefusedError(
            400, "start: must be a time with its zone, like 2026-11-22T12:00Z, or now"
        )
    return timestamps.from_text(timestamps.to_text(start_time))
