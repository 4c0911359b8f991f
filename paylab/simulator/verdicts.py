"""The verdict of each layer of the simulator on a request, for the journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors.base import Problem
from ..journal.record import RequestRecord
from ..spec.service.service import Service
from ..spec.text import JsonObject
from .messages import KEY_HEADER, KeyRefusedError, RefusedError, Request
from .strictness import find_remarks

if TYPE_CHECKING:
    from ..signing.findings import Finding

LAYERS = ("signature", "route", "strictness", "rules", "done")
"""The layers that a request passes, in order."""


@dataclass(slots=True)
class Passage:
    """How far a request came, and what stopped it.

    `layer` is the one that answered the request. `finding` is the mistake in its signature, also
    when a fault answered. `fault` is the fault that was applied, and `takes_key` is whether the
    operation takes an Idempotency-Key.
    """

    service: Service
    layer: str = "signature"
    refused: RefusedError | None = None
    finding: Finding | None = None
    fault: Mapping[str, object] | None = None
    has_fault_answer: bool = False
    takes_key: bool = False

    def to_json(self, request_record: RequestRecord) -> JsonObject:
        """The verdict of each layer on its request as JSON."""
        request = request_record.request
        problems: list[Problem] = []
        if isinstance(request, Request):
            problems = find_remarks(
                self.service, request_record.operation, request, now=request_record.at
            )
        strictness_verdict = self._judge_layer("strictness")
        strictness_verdict["remarks"] = [_write_problem(problem) for problem in problems]
        rules_verdict = self._judge_layer("rules")
        # The key is checked before the rules, within the same layer.
        if isinstance(self.refused, KeyRefusedError):
            rules_verdict = {"result": "skipped"}
        return {
            "signature": self._judge_signature(),
            "route": self._judge_layer("route"),
            "rules": rules_verdict,
            "idempotency": self._judge_idempotency(request_record),
            "fault": self.fault,
            "strictness": strictness_verdict,
        }

    def _judge_signature(self) -> JsonObject:
        """The verdict on the signature. It is checked also when a fault answers."""
        if not self.has_fault_answer:
            return self._judge_layer("signature")
        if self.finding is None:
            return {"result": "passed"}
        return {
            "result": "refused",
            "message": self.finding.message,
            **_write_finding(self.finding),
        }

    def _judge_layer(self, layer: str) -> JsonObject:
        """The result of a layer: passed, refused or skipped."""
        reached_index = LAYERS.index(self.layer)
        layer_index = LAYERS.index(layer)
        if layer_index < reached_index:
            return {"result": "passed"}
        if layer_index > reached_index or self.refused is None:
            return {"result": "skipped"}
        verdict: JsonObject = {"result": "refused", "message": self.refused.text}
        if self.finding is not None:
            verdict |= _write_finding(self.finding)
        if self.refused.problems:
            verdict["problems"] = [_write_problem(problem) for problem in self.refused.problems]
        return verdict

    def _judge_idempotency(self, request_record: RequestRecord) -> str:
        """The verdict on the Idempotency-Key of a request."""
        if not self.takes_key or self.layer in ("signature", "route"):
            return "none"
        if isinstance(self.refused, KeyRefusedError):
            is_conflict = self.refused.status == 409
            return "conflict" if is_conflict else f"refused: {self.refused.text}"
        if KEY_HEADER not in request_record.request.headers:
            return "no key"
        return "replayed" if "idempotency-replayed" in request_record.reply.headers else "new"


def _write_finding(finding: Finding) -> JsonObject:
    """The mistake in a signature as JSON."""
    return {"reason": finding.reason, "mistake": finding.mistake, "line": finding.line}


def _write_problem(problem: Problem) -> dict[str, str]:
    """A problem of a field as JSON."""
    return {"field": problem.field, "message": problem.message, "source": problem.source}
