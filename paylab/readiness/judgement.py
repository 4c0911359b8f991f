"""Judge an integration: the journals of its worlds become a verdict on every item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..spec.text import JsonMapping
from .facts import NoteFacts, RecordFacts, RequestFacts
from .history import History
from .item import Evidence, Item, JudgedItem, Observation
from .items import ITEMS, find_uses
from .report import Readiness

EVIDENCE_MAX = 5
"""Maximum observations that a row shows as evidence."""


def judge(rows_by_world: Mapping[str, Iterable[JsonMapping]]) -> Readiness:
    """Judge an integration by the rows of the journals of its worlds, by the name of each."""
    histories = [History(rows, world_name) for world_name, rows in rows_by_world.items()]
    is_used_by_name = find_uses(histories)
    judged_items = [judge_item(item, histories, is_used_by_name) for item in ITEMS]
    request_count = sum(len(history.requests) for history in histories)
    return Readiness(judged_items, request_count, len(histories))


def judge_item(
    item: Item, histories: Sequence[History], is_used_by_name: Mapping[str, bool]
) -> JudgedItem:
    """The verdict on an item from all worlds: one mistake outweighs all that is shown.

    `is_used_by_name` tells whether the integration uses what an item needs.
    """
    if item.observe is None:
        return JudgedItem(item, "question", remark="Nobody outside can see it: answer it yourself.")
    observations = [
        observation for history in histories for observation in _observe_item(item, history)
    ]
    mistakes = [observation for observation in observations if observation.effect == "broken"]
    if mistakes:
        return JudgedItem(item, "broken", _choose_evidence(mistakes))
    proofs = [observation for observation in observations if observation.effect == "shown"]
    missing_subjects = _find_missing_subjects(observations)
    if missing_subjects:
        remark_text = f"Not seen yet: {', '.join(missing_subjects)}."
        return JudgedItem(item, "not seen", _choose_evidence(proofs), remark_text)
    if proofs:
        return JudgedItem(item, "shown", _choose_evidence(proofs))
    if not is_used_by_name[item.needs]:
        return JudgedItem(item, "not applicable", remark=f"The integration uses no {item.needs}.")
    return JudgedItem(item, "not seen")


def _find_missing_subjects(observations: Iterable[Observation]) -> list[str]:
    """The subjects that an item needs and that were not shown, such as an outcome of a corridor."""
    subjects_by_effect: dict[str, set[str]] = {"needed": set(), "shown": set(), "broken": set()}
    for observation in observations:
        subjects_by_effect[observation.effect].add(observation.subject)
    return sorted(subjects_by_effect["needed"] - subjects_by_effect["shown"])


def _observe_item(item: Item, history: History) -> Iterator[Observation]:
    """Yield what an item observes, without mistakes that are excused."""
    if item.observe is None:
        return
    for observation in item.observe(history):
        if observation.effect != "broken" or not _is_excused(observation.record, item):
            yield observation


def _is_excused(record: RecordFacts, item: Item) -> bool:
    """Whether a mistake does not count: the test expects it, or a simulated fault caused it."""
    if not isinstance(record, RequestFacts):
        return False
    return record.is_expected or (bool(record.fault) and not item.holds_under_faults)


def _choose_evidence(observations: Sequence[Observation]) -> tuple[Evidence, ...]:
    """The first observation of each subject in each test, up to the limit."""
    first_observation_by_test: dict[tuple[str, ...], Observation] = {}
    for observation in observations:
        first_observation_by_test.setdefault(
            (observation.subject, *observation.record.scope), observation
        )
    chosen_observations = [*first_observation_by_test.values()][:EVIDENCE_MAX]
    return tuple(_make_evidence(observation) for observation in chosen_observations)


def _make_evidence(observation: Observation) -> Evidence:
    """An observation with the world, the test and the call or note that shows it."""
    record = observation.record
    if isinstance(record, RequestFacts):
        call_text = f"call {record.number}"
    elif isinstance(record, NoteFacts):
        call_text = f"{record.kind} {record.sequence}"
    else:
        call_text = ""
    # In a test run each test has a world of its own, of the same name.
    world_name = "" if record.world == record.test else record.world
    return Evidence(world_name, record.test, call_text, observation.text)
