"""What a probe found: an answer for every key, and the service that follows from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from .. import files
from ..client.call import Call
from ..client.calls import har
from ..errors import ServiceError
from ..spec import assumptions
from ..spec.assumptions import Value
from ..spec.service import Service
from ..spec.text import plain

HOLDS, DIFFERS = "holds", "differs"
NOT_ASKED, UNCLEAR = "not asked", "could not tell"
OUTCOMES = (DIFFERS, UNCLEAR, NOT_ASKED, HOLDS)
ANSWERED = (HOLDS, DIFFERS)


@dataclass(frozen=True)
class Finding:
    """How the question of one key ended.

    `value` is what the service was found to have, `why` the reason of an end without an answer or
    a remark, and `calls` the requests behind it.
    """

    key: str
    outcome: str
    value: Value | None = None
    why: str = ""
    calls: tuple[Call, ...] = field(default=(), repr=False)

    @property
    def ask(self) -> str:
        """The question, as one to ask the provider."""
        return assumptions.KEYS[self.key].ask

    @property
    def words(self) -> str:
        """The outcome with the value or the reason."""
        if self.outcome == DIFFERS:
            return f"differs: {_shown(self.value)}" + (f" ({self.why})" if self.why else "")
        if self.outcome == UNCLEAR:
            return f"could not tell ({self.why}): ask your provider and set {self.key}"
        return f"{self.outcome} ({self.why})" if self.why else self.outcome


def _shown(value: Value | None) -> str:
    """A value of a key as a reader sees it."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none at all"
    return str(value)


@dataclass(frozen=True)
class Report:
    """What a probe found, in the order of the assumptions.

    `service` has the values that were found laid over those it began with; `sent` is the number
    of requests, `made` what the probe created, and `remarks` what a reader should look at.
    """

    findings: tuple[Finding, ...]
    service: Service
    sent: int = 0
    made: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    address: str = ""
    on: date | None = None
    complete: bool = True

    def __getitem__(self, key: str) -> Finding:
        return next(each for each in self.findings if each.key == key)

    def where(self, *outcomes: str) -> tuple[Finding, ...]:
        """The findings with one of these outcomes."""
        return tuple(each for each in self.findings if each.outcome in outcomes)

    @property
    def summary(self) -> str:
        """One line: how many questions ended how."""
        counts = Counter(each.outcome for each in self.findings)
        ends = ", ".join(f"{counts[outcome]} {outcome}" for outcome in reversed(OUTCOMES))
        return f"{len(self.findings)} questions, {self.sent} requests: {ends}"

    def rows(self) -> list[dict[str, Any]]:
        """One flat row a key, as a frame takes it."""
        return [
            {"key": each.key, "outcome": each.outcome, "value": each.value, "why": each.why}
            | {"ask": each.ask, "calls": [str(call) for call in each.calls]}
            for each in self.findings
        ]

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON can hold it."""
        return {
            "address": self.address,
            "on": self.on.isoformat() if self.on else None,
            "requests": self.sent,
            "complete": self.complete,
            "made": list(self.made),
            "remarks": list(self.remarks),
            "findings": self.rows(),
        }

    @staticmethod
    def entries(calls: Iterable[Call]) -> list[dict[str, Any]]:
        """Calls as entries of a HAR file, without what tells who a person is."""
        found: list[dict[str, Any]] = har(calls)["log"]["entries"]
        return found

    def write(self, to: str | Path) -> Path:
        """Write the service.toml; the values that were found carry the date."""
        path = Path(to)
        with files.replace(path) as sink:
            sink.write(self.service.to_toml().encode())
        return path

    def table(self, *outcomes: str) -> str:
        """The findings as lines for a terminal: those with these outcomes, or all but `holds`."""
        chosen = self.where(*(outcomes or OUTCOMES[:-1]))
        width = max((len(each.key) for each in chosen), default=0)
        lines = [f"{each.key:<{width}}  {plain(each.words, 300)}" for each in chosen]
        return "\n".join(lines)

    def __repr__(self) -> str:
        parts = [self.summary, *self.remarks, self.table(DIFFERS, UNCLEAR)]
        return "\n".join(part for part in parts if part)


def service_of(base: Service, findings: Mapping[str, Finding], on: date) -> Service:
    """The service that follows from what was found.

    A value that cannot stand beside the others is left out: it is in the report all the same.
    """
    found = {
        key: each.value
        for key, each in findings.items()
        if each.outcome in ANSWERED and each.value is not None
    }
    try:
        return base.with_values(found, probed=on)
    except ServiceError as error:
        if error.key not in found:
            raise
        rest = {key: each for key, each in findings.items() if key != error.key}
        return service_of(base, rest, on)
