"""Checks the values that cause an outcome: a misspelt one would be an ordinary value."""

from __future__ import annotations

from ..errors.base import Problem
from ..errors.suggestions import find_nearest_name
from ..spec.text import JsonMapping

_WORD = "scenario"
"""What such values begin with; after it comes a colon, or a space in a name."""


def check_scenario(subject: str, body: JsonMapping, field: str) -> list[Problem]:
    """Check that a field which begins like a scenario names one. Assumption `scenario.unknown`.

    `subject` is what the body creates: `transfer`, `conversion account` or `deposit`.

    >>> from paylab.simulator.scenario_values import check_scenario
    >>> check_scenario("deposit", {"sender_name": "Scenario Fialed"}, "sender_name")[0].message
    'names no scenario of the simulator: is Scenario Failed meant?'
    """
    field_value = body.get(field)
    if not isinstance(field_value, str) or not field_value.lower().startswith(_WORD):
        return []
    from ..spec.assumptions import SCENARIOS  # only a scenario needs the texts of all assumptions

    known_values = [
        known_scenario.value
        for known_scenario in SCENARIOS
        if known_scenario.where == f"{subject}, {field}" and known_scenario.value
    ]
    # Scenarios of a field have a colon or a space after the word. Without it, the value begins with
    # another word, such as "scenarios".
    separator = known_values[0][len(_WORD)]
    if not field_value[len(_WORD) :].startswith(separator):
        return []
    scenario_value = ":".join(field_value.split(":")[:2])  # any text may follow a second colon
    if scenario_value in known_values:
        return []
    nearest_value = find_nearest_name(scenario_value, known_values)
    hint = f"is {nearest_value} meant?" if nearest_value else f"known are {', '.join(known_values)}"
    message = f"names no scenario of the simulator: {hint}"
    return [Problem(field, message, "scenario.unknown")]
