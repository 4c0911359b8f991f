"""The verdicts of a simulator's layers on a request, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..spec.text import JsonMapping
from .request_differences import json_text

USUAL_VERDICTS = ("new", "no key")
HIDDEN_FAULT_DETAILS = ("id", "times", "left", "probability", "seed", "seconds")
"""Details of a fault that are left out of a text."""


def find_notable_verdicts(journal_row: JsonMapping) -> Iterator[tuple[str, str]]:
    """Yield each layer that did more than pass or skip a request, and its verdict as text."""
    for layer_name, verdict in journal_row["verdicts"].items():
        if not isinstance(verdict, Mapping):
            verdict_text = "" if verdict in (None, "none") else str(verdict)
        elif layer_name == "fault":
            verdict_text = _describe_fault(verdict)
        else:
            verdict_text = _describe_verdict(verdict)
        if verdict_text:
            yield layer_name, verdict_text


def _describe_fault(fault: JsonMapping) -> str:
    """The details of a fault in a line, such as "kind status, status 503"."""
    return ", ".join(
        f"{detail_name} {json_text(detail_value)}"
        for detail_name, detail_value in fault.items()
        if detail_name not in HIDDEN_FAULT_DETAILS
    )


def _describe_verdict(verdict: JsonMapping) -> str:
    """The message, mistake and remarks of a layer. Empty if it has none."""
    verdict_texts: list[str] = []
    if verdict["result"] == "refused":
        verdict_texts.append("refused")
    if "message" in verdict:
        verdict_texts.append(str(verdict["message"]))
    if verdict.get("mistake"):
        verdict_texts.append(f"mistake {verdict['mistake']}")
    if verdict["result"] != "refused":  # the message of a refusal has the remarks
        remarks = verdict.get("remarks", ())
        verdict_texts += [f"{remark['field']} {remark['message']}" for remark in remarks]
    return "; ".join(verdict_texts)
