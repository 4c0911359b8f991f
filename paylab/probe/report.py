"""The report of a probe: a finding for every key, and the resulting service."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from .. import files
from ..client.call import Call
from ..client.har import har
from ..errors import ConfigError, ServiceError
from ..spec import assumptions
from ..spec.service import Service
from ..spec.service_keys import Value
from ..spec.text import plain

HOLDS, DIFFERS = "holds", "differs"
NOT_ASKED, UNCLEAR = "not asked", "could not tell"
OUTCOMES = (DIFFERS, UNCLEAR, NOT_ASKED, HOLDS)
ANSWERED = (HOLDS, DIFFERS)


@dataclass(frozen=True)
class ProbeFinding:
    """The finding of one key.

    `value` is the found value, `why` the reason if there is none, or a remark, and `calls` the
    evidence.
    """

    key: str
    outcome: str
    value: Value | None = None
    why: str = ""
    calls: tuple[Call, ...] = field(default=(), repr=False)

    @property
    def ask(self) -> str:
        """The question, to ask the provider."""
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
    """The findings of a probe, in the order of the assumptions.

    `service` has the initial values with the found ones; `sent` is the number of requests, `made`
    the created objects, and `remarks` are notes for the reader.
    """

    findings: tuple[ProbeFinding, ...]
    service: Service
    sent: int = 0
    made: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    address: str = ""
    on: date | None = None
    complete: bool = True

    def __getitem__(self, key: str) -> ProbeFinding:
        return next(each for each in self.findings if each.key == key)

    def where(self, *outcomes: str) -> tuple[ProbeFinding, ...]:
        """The findings with one of these outcomes."""
        return tuple(each for each in self.findings if each.outcome in outcomes)

    @property
    def summary(self) -> str:
        """A line with the number of findings by outcome."""
        counts = Counter(each.outcome for each in self.findings)
        ends = ", ".join(f"{counts[outcome]} {outcome}" for outcome in reversed(OUTCOMES))
        return f"{len(self.findings)} questions, {self.sent} requests: {ends}"

    def rows(self) -> list[dict[str, Any]]:
        """A flat row per key, for a frame."""
        return [
            {"key": each.key, "outcome": each.outcome, "value": each.value, "why": each.why}
            | {"ask": each.ask, "calls": [str(call) for call in each.calls]}
            for each in self.findings
        ]

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-like data."""
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
        """Calls as HAR entries, without personal data."""
        found: list[dict[str, Any]] = har(calls)["log"]["entries"]
        return found

    def write(self, to: str | Path) -> Path:
        """Write the service.toml; found values have the date as a comment.

        Values set by hand in an existing service.toml stay where the probe has no answer. If
        comments or values would be lost, the old file is kept as service.toml.bak. ConfigError for
        any other file.
        """
        self.save(Path(to))
        return Path(to)

    def save(self, path: Path) -> Path | None:
        """Write the service.toml as `write` does; the copy of the old file, if there is one."""
        service, loses = self.service, False
        old = existing_service(path)
        if old is not None:
            own = _set_by_hand(old)
            service = _with_values(service, own)
            is_changed = path.read_text(encoding="utf-8") not in ("", old.to_toml())
            loses = is_changed or any(service.value(key) != own[key] for key in own)
        aside = files.keep_aside(path) if loses else None
        with files.replace(path) as sink:
            sink.write(service.to_toml().encode())
        return aside

    def table(self, *outcomes: str) -> str:
        """The findings as lines for a terminal: with these outcomes, or all except `holds`."""
        chosen = self.where(*(outcomes or OUTCOMES[:-1]))
        width = max((len(each.key) for each in chosen), default=0)
        lines = [f"{each.key:<{width}}  {plain(each.words, 300)}" for each in chosen]
        return "\n".join(lines)

    def __repr__(self) -> str:
        parts = [self.summary, *self.remarks, self.table(DIFFERS, UNCLEAR)]
        return "\n".join(part for part in parts if part)


def service_of(base: Service, findings: Mapping[str, ProbeFinding], on: date) -> Service:
    """The service with the found values.

    A value that contradicts others is left out; it is only in the report.
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


def existing_service(path: Path) -> Service | None:
    """The service in a file, None without a file; ConfigError for a file of another kind."""
    files.require_writable(path)
    try:
        return Service.load(path) if path.exists() else None
    except ServiceError as error:
        words = f"{path} is not replaced, because it is not a service.toml: name another file"
        raise ConfigError(f"{words} ({error})") from None


def _set_by_hand(service: Service) -> dict[str, Value]:
    """The values of a file that are not the answers of a probe."""
    found = {key: each.value for key, each in service.probed.items()}
    return {key: value for key, value in service.given.items() if found.get(key) != value}


def _with_values(service: Service, values: Mapping[str, Value]) -> Service:
    """The service with values for keys that it leaves open, unless they contradict the others."""
    rest = {key: value for key, value in values.items() if key not in service.given}
    while rest:
        try:
            return service.with_values(rest)
        except ServiceError as error:
            rest.pop(error.key if error.key in rest else next(iter(rest)))
    return service
