"""Refusals, and the formats in which different services write an error body."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from http import HTTPStatus

Problem = tuple[str, str]
"""The dotted path of a field ("" is the body itself) and the message."""

REQUIRED = "Required"


class Refusal(Exception):  # noqa: N818 - an answer, not a fault
    """An error answer, raised as an exception."""

    def __init__(
        self,
        status: int,
        words: str,
        problems: Sequence[Problem] = (),
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(words)
        self.status = status
        self.words = words
        self.problems = list(problems)
        self.headers = headers or {}


def refuse(problems: Sequence[Problem]) -> None:
    """Raise a 400 that names every problem, if there is any."""
    if problems:
        raise Refusal(400, "; ".join(map(sentence, problems)), problems)


def sentence(problem: Problem) -> str:
    """The path and the message; only the message when it names the field or the path is empty."""
    path, words = problem
    named = words.startswith(("Unrecognized key", f'"{path}"'))
    return words if named or not path else f"{path}: {words}"


def _error(refusal: Refusal) -> object:
    body: dict[str, object] = {"error": refusal.words}
    if refusal.problems:
        body["errors"] = [{"field": path, "message": words} for path, words in refusal.problems]
    return body


def _jsonapi(refusal: Refusal) -> object:
    title = HTTPStatus(refusal.status).phrase
    common = {"status": str(refusal.status), "title": title}
    rows = [
        {**common, "source": {"pointer": "/" + path.replace(".", "/")}, "detail": words}
        for path, words in refusal.problems
    ]
    return {"errors": rows or [{**common, "detail": refusal.words}]}


def _details(refusal: Refusal) -> object:
    if not refusal.problems:
        return {"message": refusal.words}
    rows = [{"path": path, "message": words} for path, words in refusal.problems]
    return {"message": "Validation failed", "details": rows}


def _issues(refusal: Refusal) -> object:
    def path_of(text: str) -> list[str | int]:
        return [int(part) if part.isdigit() else part for part in text.split(".") if part]

    if not refusal.problems:
        return {"success": False, "error": {"name": "Error", "message": refusal.words}}
    rows = []
    for path, words in refusal.problems:
        code = "unrecognized_keys" if words.startswith("Unrecognized key") else "invalid_type"
        rows.append({"code": code, "path": path_of(path), "message": words})
    return {"success": False, "error": {"name": "ZodError", "issues": rows}}


def _fields(refusal: Refusal) -> object:
    rows: dict[str, list[str]] = {}
    for path, words in refusal.problems:
        rows.setdefault(path or "base", []).append(words)
    return {"errors": rows or {"base": [refusal.words]}}


def _problem(refusal: Refusal) -> object:
    body: dict[str, object] = {
        "type": "about:blank",
        "title": HTTPStatus(refusal.status).phrase,
        "status": refusal.status,
        "detail": refusal.words,
    }
    if refusal.problems:
        body["invalid-params"] = [{"name": path, "reason": why} for path, why in refusal.problems]
    return body


def _code(refusal: Refusal) -> object:
    code = HTTPStatus(refusal.status).phrase.lower().replace(" ", "_")
    body: dict[str, object] = {"code": code, "message": refusal.words}
    if refusal.problems:
        body["param"] = refusal.problems[0][0]
    return {"error": body}


JSON_STYLES: dict[str, Callable[[Refusal], object]] = {
    "error": _error,
    "jsonapi": _jsonapi,
    "details": _details,
    "issues": _issues,
    "fields": _fields,
    "problem": _problem,
    "code": _code,
    "message": lambda refusal: {"message": refusal.words},
    "list": lambda refusal: [sentence(each) for each in refusal.problems] or [refusal.words],
}
MEDIA_TYPES = {"jsonapi": "application/vnd.api+json", "problem": "application/problem+json"}


def written(refusal: Refusal, style: str) -> tuple[str, bytes]:
    """The content type and the body of a refusal. The pagination error has one format only."""
    if refusal.words == "Invalid pagination token":
        style = "error"
    if style == "empty":
        return "", b""
    if style == "text":
        return "text/plain; charset=utf-8", refusal.words.encode()
    if style == "html":
        title = f"{refusal.status} {HTTPStatus(refusal.status).phrase}"
        page = (
            f"<html><head><title>{title}</title></head><body>{escape(refusal.words)}</body></html>"
        )
        return "text/html; charset=utf-8", page.encode()
    body = json.dumps(JSON_STYLES[style](refusal)).encode()
    return MEDIA_TYPES.get(style, "application/json"), body
