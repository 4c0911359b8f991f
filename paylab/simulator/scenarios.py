"""The values that cause an outcome in the simulator, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..errors.arguments import explain_arguments
from ..errors.names import unknown_name_error, with_name_suggestions
from ..errors.text import printable_lines
from ..spec.assumptions import SCENARIOS, Scenario
from ..spec.codes import STATUS_DETAIL_CODES
from ..spec.service.service import Service
from ..spec.text import JsonObject


def _make_code_scenario(code: str, service: Service) -> Scenario:
    """The family name that causes a status detail code."""
    status = "rejected" if code in service.verification.terminal_codes else "action_required"
    family_name = code.replace("_", " ").title()
    return Scenario("individual, family_name", family_name, f"{status} with {code}")


def _name_scenario(scenario: Scenario) -> str | None:
    """The name of a value: transfer_failed for "scenario:failed". None for a row of many values."""
    value_prefix, _, outcome = scenario.value.partition(":")
    if value_prefix == "scenario":
        return f"{scenario.where.partition(',')[0]}_{outcome}".replace(" ", "_")
    return SCENARIO_NAMES.get((scenario.where, scenario.value))


SCENARIO_NAMES = {
    ("individual, family_name", "Under Review"): "under_review",
    (
        "individual, family_name",
        "Verification Image Blurry Then Passes",
    ): "verification_image_blurry_then_passes",
    ("deposit, sender_name", ""): "deposit_held",
    ("deposit, sender_name", "Scenario Failed"): "deposit_failed",
}


def name_field_scenarios(service: Service) -> dict[str, Scenario]:
    """The scenarios of values of fields, by name. The service's terminal codes reject."""
    scenario_by_name = {code: _make_code_scenario(code, service) for code in STATUS_DETAIL_CODES}
    for scenario in SCENARIOS:
        scenario_name = _name_scenario(scenario)
        if scenario_name:
            scenario_by_name[scenario_name] = scenario
    return scenario_by_name


@with_name_suggestions
@explain_arguments
class Scenarios:
    """`lab.simulator.scenarios.transfer_failed` is the text to send; call it for the list.

    These are values for requests of your own; `lab.scenarios.transfer_failed()` makes the requests
    and shows what happens.
    """

    def __init__(
        self, list_scenarios: Callable[[], list[dict[str, str]]], service: Service
    ) -> None:
        """`service` decides the named scenarios; `list_scenarios` asks the simulator for all."""
        self._list_scenarios = list_scenarios
        self._scenario_by_name = name_field_scenarios(service)

    def __call__(self) -> list[dict[str, str]]:
        """The service's own list: where, value, outcome."""
        return self._list_scenarios()

    def __getattr__(self, name: str) -> str:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> str:
        if name not in self._scenario_by_name:
            raise unknown_name_error("scenario", name, self._scenario_by_name)
        return self._scenario_by_name[name].value

    def __dir__(self) -> list[str]:
        return sorted(self._scenario_by_name)

    _ipython_key_completions_ = __dir__

    def __iter__(self) -> Iterator[str]:
        return iter(self._scenario_by_name)

    def __len__(self) -> int:
        return len(self._scenario_by_name)

    def rows(self) -> list[JsonObject]:
        """All names with field, value and outcome.

        >>> lab.simulator.scenarios.rows()[0]["name"]
        'verification_front_image_needed'
        """
        return [
            {"name": scenario_name, **vars(scenario), "value": scenario.value or '"" (empty)'}
            for scenario_name, scenario in self._scenario_by_name.items()
        ]

    def __repr__(self) -> str:
        name_width = max(map(len, self._scenario_by_name))
        scenario_lines = [f"  {row['name']:<{name_width}}  {row['outcome']}" for row in self.rows()]
        return printable_lines("\n".join([f"<{len(scenario_lines)} scenarios>", *scenario_lines]))
