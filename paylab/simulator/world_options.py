"""The options of a world that a request creates, and the first time of its clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from ..errors.base import Problem, ServiceError
from ..errors.suggestions import find_nearest_name
from ..spec import timestamps
from ..spec.service.service import Service
from ..spec.text import JsonObject
from .messages import RefusedError, raise_if_problems


def read_world_options(requested_options: JsonObject) -> dict[str, Any]:
    """The options of a new simulator. Its clock runs unless `frozen` is set."""
    raise_if_problems(_find_option_problems(requested_options))
    options = {"frozen": False, **requested_options}
    if "start" in requested_options:
        options["start"] = read_start_time(requested_options["start"])
    if "service" in requested_options:
        try:
            options["service"] = Service().with_values(requested_options["service"])
        except ServiceError as error:
            raise RefusedError(400, f"service: {error}") from None
    return options


def _find_option_problems(requested_options: JsonObject) -> Iterator[Problem]:
    """A problem for each option that is not known, or whose value has another type."""
    for option_name, option_value in requested_options.items():
        option_type = _OPTION_TYPES.get(option_name)
        if option_type is None:
            nearest_name = find_nearest_name(option_name, _OPTION_TYPES)
            known_names_text = ", ".join(_OPTION_TYPES)
            suggestion_text = (
                f"is {nearest_name} meant?" if nearest_name else f"{known_names_text} are"
            )
            yield Problem(option_name, f"is not known: {suggestion_text}")
        elif type(option_value) is not option_type:
            yield Problem(option_name, f"must be {_TYPE_NAMES[option_type]}")


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
    """The first time of a clock, such as 2026-11-22T12:00Z; "now" is the machine's time.

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
