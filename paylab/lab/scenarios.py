"""The simulated outcomes by name, to run with a click or by code: `lab.scenarios`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError, UnknownNameError
from ..errors.extras import bundle_or_text, display_or_text
from ..errors.names import with_name_suggestions
from ..errors.suggestions import find_nearest_names
from ..errors.text import printable_lines
from ..light_dataclass import light_dataclass
from ..simulator.scenarios import name_field_scenarios
from ..spec.service.service import Service
from .place import ServiceLocator, is_local
from .scenario_steps import RUNNERS, HistoryStep, ScenarioParts

if TYPE_CHECKING:
    from ..client.client import Client
    from ..views.scenarios import ScenarioPage
    from ..webhooks.event import Event
    from ..webhooks.inbox import Inbox

SCENARIOS_WITHOUT_VALUE: Mapping[str, tuple[str, str]] = {
    "lost_answer": ("call", "the answer to a payout is lost, and the retry pays nothing twice"),
    "duplicate_event": ("event", "an event is delivered twice, and an inbox keeps it once"),
}
"""The scenarios that no value of a field causes: their subject, and what happens."""

LABELS: Mapping[str, str] = {
    "under_review": "Under review",
    "deposit_held": "Held deposit",
    "deposit_failed": "Failed conversion",
    "transfer_failed": "Failed payout",
    "transfer_expired": "Expired transfer",
    "transfer_under_review": "Payout under review",
    "transfer_cancelled": "Cancelled transfer",
    "conversion_account_slow": "Slow provisioning",
    "lost_answer": "Lost answer",
    "duplicate_event": "Duplicate event",
}
"""The text of a button; that of a status detail code is its own words."""

SYNONYMS: Mapping[str, str] = {
    "payout": "transfer",
    "payment": "transfer",
    "deposit": "conversion",
    "provisioning": "conversion",
    "response": "answer",
    "webhook": "event",
    "canceled": "cancelled",
}
"""Other words for those of a name."""

SILENT_WORDS = frozenset({"verification", "kyc", "account"})
"""Words of a scenario's name that can be left out."""

NOT_SIMULATED = (
    "only a simulator runs scenarios: without PAYLAB_BASE_URL, paylab.connect() uses one in this "
    "process"
)


@light_dataclass(frozen=True)
class NamedScenario:
    """A scenario: its name, the object that it is about, its value, what happens, its button."""

    name: str
    subject: str
    value: str
    outcome: str
    label: str


@light_dataclass(frozen=True)
class ScenarioRun:
    """The result of a scenario: the last state of the object, and its steps."""

    scenario: NamedScenario
    resource: Any
    way: tuple[HistoryStep, ...]
    place: str

    @property
    def id(self) -> str:
        """The id of the object."""
        return str(getattr(self.resource, "id", ""))

    @property
    def status(self) -> str:
        """The last status of the object."""
        return str(getattr(self.resource, "status", ""))

    def __repr__(self) -> str:
        """The outcome, and a line for each step."""
        run_lines = [f"{self.scenario.label}: {self.id} is {self.status}  [{self.place}]"]
        for step in self.way:
            time_text = f"{step.at:%H:%M:%S}" if step.at else ""
            run_lines.append(f"  {time_text:<8}  {step.status:<16}  {step.what}")
        return printable_lines("\n".join(run_lines))


def list_scenarios(service: Service) -> dict[str, NamedScenario]:
    """The scenarios of a service by name."""
    scenario_by_name: dict[str, NamedScenario] = {}
    for scenario_name, field_scenario in name_field_scenarios(service).items():
        scenario_by_name[scenario_name] = NamedScenario(
            scenario_name,
            subject=field_scenario.where.partition(",")[0],  # of "individual, family_name"
            value=field_scenario.value,
            outcome=field_scenario.outcome.partition(";")[0],  # without its note
            label=_write_label(scenario_name),
        )
    for scenario_name, (subject_name, outcome_text) in SCENARIOS_WITHOUT_VALUE.items():
        scenario_by_name[scenario_name] = NamedScenario(
            scenario_name,
            subject=subject_name,
            value="",
            outcome=outcome_text,
            label=LABELS[scenario_name],
        )
    return scenario_by_name


def _write_label(scenario_name: str) -> str:
    """The text of a button, such as "Image blurry" for verification_image_blurry."""
    spaced_name = scenario_name.removeprefix("verification_").replace("_", " ")
    label_text = LABELS.get(scenario_name, spaced_name)
    return label_text[:1].upper() + label_text[1:]


@with_name_suggestions
@explain_arguments
class ScenarioRunner:
    """The simulated outcomes; each name is a function that creates the object and shows its way.

    `lab.simulator.scenarios` has the values that cause them, for requests of your own.
    A notebook shows a card of buttons. Nothing is sent before a click or a call, and nothing but a
    simulator is used.
    """

    def __init__(
        self,
        client: Client,
        locator: ServiceLocator,
        list_events: Callable[[str], list[Event]],
        open_inbox: Callable[[str], Inbox],
    ) -> None:
        """Keep what runs them: `list_events` of an id, `open_inbox` of an event type."""
        self._client = client
        self._locator = locator
        self._list_events = list_events
        self._open_inbox = open_inbox
        self._scenarios = list_scenarios(client.service)

    def run(self, name: str) -> ScenarioRun:
        """Run a scenario: create the object, let it take its way, and return both.

        The words of a name can have any order. ConfigError if the service is no simulator.

        >>> lab.scenarios.run("failed payout").status
        'failed'
        """
        scenario = self._scenarios[self._find_name(name)]
        controls = self._locator.find_controls()
        if controls is None:
            raise ConfigError(NOT_SIMULATED)
        scenario_parts = ScenarioParts(self._client, controls, self._list_events, self._open_inbox)
        scenario_outcome = RUNNERS[scenario.subject](scenario_parts, scenario.value)
        return ScenarioRun(
            scenario, scenario_outcome.resource, scenario_outcome.way, str(self._locator.place)
        )

    def _find_name(self, scenario_name: object) -> str:
        """The exact name of a scenario, whose words may be in another order or synonyms.

        UnknownNameError names similar ones.
        """
        if isinstance(scenario_name, str):
            if scenario_name in self._scenarios:
                return scenario_name
            name_words = _split_words(scenario_name)
            for known_name in self._scenarios:
                if name_words and name_words == _split_words(known_name):
                    return known_name
        similar_names = self._find_similar_names(str(scenario_name))
        raise UnknownNameError(
            "scenario", str(scenario_name), nearest=similar_names, known=self._scenarios
        )

    def _find_similar_names(self, scenario_name: str) -> Sequence[str]:
        """The names that are similar, or whose button has a similar text; each once."""
        name_by_spelling: dict[str, str] = {}
        for scenario in self._scenarios.values():
            name_by_spelling[scenario.label.lower()] = scenario.name
        for known_name in self._scenarios:  # after the labels: the nearest are in this order
            name_by_spelling[known_name] = known_name
        nearest_spellings = find_nearest_names(scenario_name.lower(), name_by_spelling)
        similar_names = [name_by_spelling[spelling] for spelling in nearest_spellings]
        return list(dict.fromkeys(similar_names))

    def list(self) -> tuple[str, ...]:
        """The names of the scenarios. `run` plays a scenario by its name.

        >>> "verification_image_blurry" in lab.scenarios.list()
        True
        """
        return tuple(self._scenarios)

    def __getattr__(self, name: str) -> Callable[[], ScenarioRun]:
        """A function that runs the scenario of this name, as in lab.scenarios.lost_answer()."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Callable[[], ScenarioRun]:
        """A function that runs a scenario; UnknownNameError names similar ones."""
        return partial(self.run, self._find_name(name))

    def __dir__(self) -> Sequence[str]:
        """The names of the scenarios too, which an editor completes."""
        return sorted({*self._scenarios, "list", "run"})

    def _ipython_key_completions_(self) -> Sequence[str]:
        """The names to complete in brackets."""
        return list(self._scenarios)

    def __iter__(self) -> Iterator[str]:
        """The names of the scenarios."""
        return iter(self._scenarios)

    def __len__(self) -> int:
        """The number of scenarios."""
        return len(self._scenarios)

    def __contains__(self, name: object) -> bool:
        """Whether a scenario has exactly this name."""
        return name in self._scenarios

    def __repr__(self) -> str:
        """The name and the outcome of each scenario."""
        name_width = max(map(len, self._scenarios))
        scenario_lines = [
            f"  {scenario.name:<{name_width}}  {scenario.outcome}"
            for scenario in self._scenarios.values()
        ]
        return printable_lines(
            "\n".join([f"<{len(scenario_lines)} scenarios; run(name)>", *scenario_lines])
        )

    def _make_page(self) -> ScenarioPage:
        """Make the card with a button for each scenario, or with the reason why none can run."""
        from ..views.scenarios import ScenarioPage

        known_place = self._locator.known
        # `may_be_live` is that the kind of the place is not known: a click asks a local address.
        may_be_simulator = known_place.may_be_live and is_local(self._client.settings)
        problem_text = ""
        if not known_place.is_simulator and not may_be_simulator:
            problem_text = f"{NOT_SIMULATED[:1].upper()}{NOT_SIMULATED[1:]}."
        page = ScenarioPage(tuple(self._scenarios.values()), self.run, problem_text)
        page.show_service_name(str(known_place))
        return page

    def _repr_mimebundle_(self, **_: object) -> Any:
        """The card for Jupyter, by MIME type."""
        return bundle_or_text(self._make_page, repr(self))

    def _ipython_display_(self) -> None:
        """Show the card in a notebook."""
        display_or_text(self._make_page)


def _split_words(scenario_name: str) -> frozenset[str]:
    """The words of a name, with one word for all synonyms and without silent words.

    "failed payout" and "transfer_failed" both have {"failed", "transfer"}.
    """
    name_words = re.findall(r"[a-z]+", scenario_name.lower())
    return frozenset(SYNONYMS.get(word, word) for word in name_words) - SILENT_WORDS
