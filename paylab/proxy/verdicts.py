"""The verdicts of the proxy on an exchange, in the form of those of the simulator."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors.base import Problem
from ..journal.record import RequestRecord
from ..simulator.messages import KeyRefusedError, RefusedError, Reply
from ..simulator.verdicts import Passage
from ..spec.error_body import read_error
from ..spec.operations.records import OPERATIONS
from ..spec.service.service import Service
from ..spec.text import JsonObject

if TYPE_CHECKING:
    from ..signing.findings import Finding

_TEXT_MAX = 300
"""Maximum characters of a refusal of the service in a verdict."""


@dataclass(slots=True)
class ProxiedRequest:
    """What the proxy finds out about a request: its signature, its answer, and problems of both.

    `is_checked` is whether its signature was verified, and `finding` is a mistake in it. `refused`
    is the refusal of the proxy, and `failure` says why its client got no answer of the service.
    `signed_for` is the host of the new signature, and `seconds` how long the service took.
    `answered_status` is the status of the service's answer. The problems are those by the document.
    """

    service: Service
    host: str
    operation: str = ""
    is_checked: bool = False
    finding: Finding | None = None
    refused: RefusedError | None = None
    failure: str = ""
    signed_for: str = ""
    seconds: float | None = None
    answered_status: int | None = None
    request_problems: Sequence[Problem] = ()
    answer_problems: Sequence[Problem] = field(default=())

    def to_json(self, record: RequestRecord) -> JsonObject:
        """The verdict of each layer on the request as JSON."""
        verdict_by_layer = self._estimate_passage(record).to_json(record)
        if not self.is_checked:
            verdict_by_layer["signature"] = {"result": "skipped"}
        elif self.finding is not None and self.refused is None:
            # The proxy forwarded the request in spite of the mistake.
            verdict_by_layer["signature"] = {
                "result": "passed",
                "message": f"{self.finding.message} (the service decides)",
                "reason": self.finding.reason,
                "mistake": self.finding.mistake,
            }
        return {
            **verdict_by_layer,
            "contract": self._write_contract_verdict(),
            "proxy": self._write_proxy_verdict(),
        }

    def _estimate_passage(self, request_record: RequestRecord) -> Passage:
        """Estimate how far the request came in the service, by its answer.

        Only a refusal shows where it ended. Any other request is taken to have passed all layers.
        """
        operation = OPERATIONS.get(self.operation) if self.operation else None
        takes_key = bool(operation and operation.takes_key(self.service))
        passage = Passage(self.service, layer="done", takes_key=takes_key)
        if self.refused is not None:
            passage.layer = "signature" if self.finding is not None else "route"
            passage.refused = self.refused
            passage.finding = self.finding
            return passage
        status = request_record.reply.status
        if self.failure or not 400 <= status < 500:
            return passage  # a failure is no refusal
        refusal_text = _read_refusal_text(request_record.reply.body, self.service)
        passage.layer = _find_refusing_layer(status, has_operation=bool(self.operation))
        if takes_key and status == 409:
            passage.refused = KeyRefusedError(status, refusal_text)
        else:
            passage.refused = RefusedError(status, f"the service says: {refusal_text}")
        return passage

    def _write_contract_verdict(self) -> JsonObject:
        """Write whether the document of the service allows the request and the answer.

        Their problems are listed by side: {"result": "broken", "request": [...], "answer": []}.
        """
        if self.refused is not None:
            return {"result": "skipped"}
        problem_texts = [
            *(f"request: {problem}" for problem in self.request_problems),
            *(f"answer: {problem}" for problem in self.answer_problems),
        ]
        if not problem_texts:
            return {"result": "passed"}
        return {
            "result": "broken",
            "message": "; ".join(problem_texts),
            "request": _write_problem_rows(self.request_problems),
            "answer": _write_problem_rows(self.answer_problems),
        }

    def _write_proxy_verdict(self) -> JsonObject:
        """Write where the request went, and whether it was signed again."""
        if self.refused is not None:
            return {"result": "not sent"}
        verdict: JsonObject = {
            "result": "failed" if self.failure else "sent",
            "host": self.host,
            "signed_again": bool(self.signed_for),
            "seconds": self.seconds,
        }
        if self.failure:
            verdict["message"] = self.failure
        return verdict


def _write_problem_rows(problems: Sequence[Problem]) -> list[JsonObject]:
    """Write the field and the message of each problem as JSON."""
    return [{"field": problem.field, "message": problem.message} for problem in problems]


def _find_refusing_layer(status: int, *, has_operation: bool) -> str:
    """The layer of a service that refuses with a status: "signature", "route" or "rules".

    A 404 comes from "route" only if the service has no operation at the path. Else an object is
    missing, which is a rule.
    """
    if status == 401:
        return "signature"
    if status in (404, 405) and not has_operation:
        return "route"
    return "rules"


def _read_refusal_text(body: bytes, service: Service) -> str:
    """Read the error text in the body of a refusal of the service, cut to `_TEXT_MAX`."""
    try:
        json_value = json.loads(body)
    except (ValueError, RecursionError):
        json_value = body.decode(errors="replace")
    return read_error(json_value, service.errors).text[:_TEXT_MAX]


def failure_reply(status: int, text: str) -> Reply:
    """Make the answer of the proxy in place of one of the service."""
    return Reply.json(status, {"error": f"paylab proxy: {text}"})
