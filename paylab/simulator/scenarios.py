"""The values that cause an outcome in the simulator, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..errors.arguments import explain_arguments
from ..errors.base import UnknownNameError
from ..errors.names import find_nearest_names
from ..errors.text import printable_lines
from ..spec.assumptions import SCENARIOS, Scenario
from ..spec.codes import STATUS_DETAIL_CODES
from ..spec.service.service import Service


def _of_code(code: str, service: Service) -> Scenario:
    end = "rejected" if code in service.verification.terminal_codes else "action_required"
    value = code.replace("_", " ").title()
    return Scenario("individual, family_name", value, f"{end} with {code}")


def _named(scenario: Scenario) -> str | None:
    """The name of one value; None for a row with many values."""
    kind, _, outcome = scenario.value.partition(":")
    if kind == "scenario":
        return f"{scenario.where.partition(',')[0]}_{outcome}".replace(" ", "_")
    return _NAMES.get((scenario.where, scenario.value))


_NAMES = {
    ("individual, family_name", "Under Review"): "under_review",
    ("deposit, sender_name", ""): "deposit_held",
    ("deposit, sender_name", "Scenario Failed"): "deposit_failed",
}


def named_scenarios(service: Service) -> dict[str, Scenario]:
    """The values that cause an outcome, by name; the service's terminal codes reject."""
    codes = {code: _of_code(code, service) for code in STATUS_DETAIL_CODES}
    return codes | {name: scenario for scenario in SCENARIOS if (name := _named(scenario))}


@explain_arguments
class Scenarios:
    """`lab.simulator.scenarios.transfer_failed` is the text to send; call it for the list."""

    def __init__(self, ask: Callable[[], list[dict[str, str]]], service: Service) -> None:
        self._ask = ask
        self._named = named_scenarios(service)

    def __call__(self) -> list[dict[str, str]]:
        """The service's own list: where, value, outcome."""
        return self._ask()

    def __getattr__(self, name: str) -> str:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> str:
        if name not in self._named:
            raise UnknownNameError("scenario", name, find_nearest_names(name, self._named))
        return self._named[name].value

    def __dir__(self) -> list[str]:
        return sorted(self._named)

    _ipython_key_completions_ = __dir__

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)

    def rows(self) -> list[dict[str, Any]]:
        """All names with field, value and outcome.

        >>> lab.simulator.scenarios.rows()[0]["name"]
        'verification_front_image_needed'
        """
        return [
            {"name": name, **vars(scenario), "value": scenario.value or '"" (empty)'}
            for name, scenario in self._named.items()
        ]

    def __repr__(self) -> str:
        width = max(map(len, self._named))
        lines = [f"  {row['name']:<{width}}  {row['outcome']}" for row in self.rows()]
        return printable_lines("\n".join([f"<{len(lines)} scenarios>", *lines]))
