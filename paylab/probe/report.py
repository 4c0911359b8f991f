"""The report of a run: how far it came, what differs, and what to ask the provider."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from .. import files
from ..client.call import Call, Har
from ..client.har import write_calls
from ..errors.base import ConfigError, ServiceError
from ..errors.names import with_name_suggestions
from ..spec.service.files import SCHEMA_FILE, service_file_text
from ..spec.service.key import Value
from ..spec.service.keys import setting_keys
from ..spec.service.schema import schema_text
from ..spec.service.service import Service
from ..spec.text import plain, printable, printable_lines
from .constants import add_blanks

PROVEN = "proven"
ASSUMED = "assumed"
NOT_REACHED = "not reached"
REFUSED = "refused"
NOTHING = "Nothing beyond the lists worked: no on-ramp and no payout came to the end."
OUTCOMES = (PROVEN, REFUSED, NOT_REACHED, ASSUMED)


@dataclass(frozen=True)
class ProbeFinding:
    """What a run says about one key.

    `proven`: the value differs from the assumption, and `call` is the number of the call that
    shows it. `assumed`: used, and nothing contradicted it. `not reached` and `refused`: `why`.
    """

    key: str
    outcome: str
    value: Value | None = None
    why: str = ""
    call: int | None = None

    @property
    def ask(self) -> str:
        """The question about the key, to ask the provider."""
        return setting_keys()[self.key].question

    @property
    def words(self) -> str:
        """The outcome with the value and its call, or the reason."""
        if self.outcome == PROVEN:
            return f"{PROVEN}: {self._value_text} (call {self.call})"
        return f"{self.outcome} ({self.why})" if self.why else self.outcome

    @property
    def _value_text(self) -> str:
        """The value; the members of a list are separated by commas."""
        if isinstance(self.value, tuple):
            return ", ".join(map(str, self.value)) or "none at all"
        return str(self.value)


@with_name_suggestions
@dataclass(frozen=True)
class Report:
    """The result of a run.

    `reached` are lines that say how far it came, `service` has the proven values over those it
    started with, `sent` is the number of requests, `made` are the created objects. `hopeless` is
    the sentence that says why nothing could work. `works` is whether anything beyond the lists
    did, in a run that creates objects. `blanks` are the constant fields to fill in, by operation
    and place, with the words of the service.
    """

    reached: tuple[str, ...]
    findings: tuple[ProbeFinding, ...]
    service: Service
    sent: int = 0
    made: tuple[str, ...] = ()
    address: str = ""
    on: date | None = None
    hopeless: str = ""
    works: bool = True
    blanks: Mapping[tuple[str, str], str] = field(default_factory=dict)
    calls: tuple[Call, ...] = field(default=(), repr=False)

    def __getitem__(self, key: str) -> ProbeFinding:
        return next(finding for finding in self.findings if finding.key == key)

    @property
    def complete(self) -> bool:
        """Whether the run could begin."""
        return not self.hopeless

    def where(self, *outcomes: str) -> tuple[ProbeFinding, ...]:
        """The findings with one of these outcomes."""
        return tuple(finding for finding in self.findings if finding.outcome in outcomes)

    @property
    def summary(self) -> str:
        """How far the run came, and the numbers of requests and findings."""
        if self.hopeless:
            return self._describe_hopeless()
        count_by_outcome = Counter(finding.outcome for finding in self.findings)
        counts_text = ", ".join(f"{count_by_outcome[outcome]} {outcome}" for outcome in OUTCOMES)
        summary_lines = [*self.reached, f"{self._count_requests()}; settings: {counts_text}"]
        if not self.works:
            summary_lines.insert(0, NOTHING)
        return "\n".join(map(printable, summary_lines))

    def _describe_hopeless(self) -> str:
        """Why nothing could work, the number of requests, and what was created all the same."""
        sentence = f"{self.hopeless}; {self._count_requests()}, nothing was written"
        if self.made:
            sentence += f", created: {', '.join(self.made)}"
        return printable(sentence)

    def _count_requests(self) -> str:
        return f"{self.sent} request{'' if self.sent == 1 else 's'}"

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-like data."""
        fact_names = ("key", "outcome", "value", "why", "ask", "call")
        return {
            "address": self.address,
            "on": self.on.isoformat() if self.on else None,
            "requests": self.sent,
            "complete": self.complete,
            "hopeless": self.hopeless,
            "works": self.works,
            "fill_in": [
                {"operation": operation, "field": field_path, "why": refusal_words}
                for (operation, field_path), refusal_words in self.blanks.items()
            ],
            "reached": list(self.reached),
            "made": list(self.made),
            "findings": [
                {fact_name: getattr(finding, fact_name) for fact_name in fact_names}
                for finding in self.findings
            ],
        }

    def har(self, to: Path | None = None) -> Har:
        """The calls of the run as HAR, without personal data, and as the file `to`."""
        return write_calls(self.calls, to)

    def write(self, path: Path) -> None:
        """Write the service.toml: proven differences, each below its question, and your values.

        Values of an existing service.toml stay unless a request proved another. ConfigError for
        any other file. Its JSON Schema is written beside it, and named in its first line, by which
        editors complete and check the file without a network.
        """
        old_service = read_existing_service(path)
        value_by_key = {finding.key: finding.value for finding in self.where(PROVEN)}
        service = (old_service or self.service).with_values(value_by_key)
        with files.replace(path.with_name(SCHEMA_FILE)) as schema_file:
            schema_file.write(schema_text().encode())
        with files.replace(path) as service_file:
            setting_values = add_blanks(service, self.blanks)
            service_file.write(service_file_text(setting_values, f"./{SCHEMA_FILE}").encode())

    def table(self, *outcomes: str) -> str:
        """The findings as lines for a terminal: with these outcomes, or those to act on."""
        if outcomes:
            return "\n".join(self._finding_lines(outcomes))
        return "\n".join([*self._finding_lines((PROVEN, REFUSED)), *self._blank_lines()])

    def _finding_lines(self, outcomes: tuple[str, ...]) -> Iterator[str]:
        """Yield a line for each finding with one of `outcomes`; a refused one with its question."""
        findings = self.where(*outcomes)
        key_width = max((len(finding.key) for finding in findings), default=0)
        for finding in findings:
            yield f"{finding.key:<{key_width}}  {plain(finding.words, 300)}"
            if finding.outcome == REFUSED:
                yield f"  ask: {finding.ask}"

    def _blank_lines(self) -> Iterator[str]:
        """Yield a line for each constant field to fill in."""
        for (operation, field_path), refusal_words in self.blanks.items():
            blank_key = f'extra."{operation}".{field_path}'
            yield f"{blank_key}  fill in a value: {plain(refusal_words, 300)}"

    def __repr__(self) -> str:
        return printable_lines("\n".join(filter(None, (self.summary, self.table()))))


def read_existing_service(path: Path) -> Service | None:
    """Read the service in a file; None if there is no file, ConfigError for any other file."""
    files.require_writable(path)
    try:
        return Service.load(path) if path.exists() else None
    except ServiceError as error:
        message = f"{path} is not replaced, because it is not a service.toml: name another file"
        raise ConfigError(f"{message} ({error})") from None
