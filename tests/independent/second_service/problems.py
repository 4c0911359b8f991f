"""What is wrong with a request, and the many forms in which services say it."""

import json
from dataclasses import dataclass

JSON = "application/json"


class RefusedError(Exception):
    """A request that is refused: a status, and problems or a text."""

    def __init__(self, status, text="", problems=()):
        super().__init__(text)
        self.status, self.text, self.problems = status, text, list(problems)


@dataclass(frozen=True)
class Problem:
    """A problem of a field: `missing`, `unknown` or `invalid` with the words for it."""

    field: str
    kind: str
    words: str = ""


def answer(error, errors, headers=()):
    """The answer to a refused request: status, headers, body."""
    problems = [
        (_path(each.field, errors["path"]), _words(each, errors)) for each in error.problems
    ]
    if errors["count"] == "first":
        problems = problems[:1]
    text = error.text or "; ".join(sentence(*each) for each in problems)
    content, body = STYLES[errors["style"]](error.status, text, problems)
    raw = body if isinstance(body, str) else json.dumps(body)
    return error.status, [("Content-Type", content), *headers], raw.encode()


def sentence(field, words):
    """A problem as one sentence, where the words do not name the field themselves."""
    return words if field in words else f"{field} {words}"


def _words(problem, errors):
    words = problem.words or errors["words"][problem.kind]
    return words.replace("{field}", problem.field).replace("{last}", problem.field.split(".")[-1])


def _path(field, form):
    if form == "last":
        return field.rpartition(".")[2]
    if form == "brackets":
        head, *rest = field.split(".")
        return head + "".join(f"[{part}]" for part in rest)
    return field


def _pointer(field):
    return "/" + field.replace(".", "/")


def _listed(_, text, problems):
    return JSON, {"error": text, "errors": [{"field": f, "message": w} for f, w in problems]}


def _problem(status, text, _):
    kind = "about:blank"
    return "application/problem+json", {"type": kind, "title": "Error", "status": status} | {
        "detail": text
    }


def _invalid_params(status, text, problems):
    named = [{"name": field, "reason": words} for field, words in problems]
    body = {"title": "Your request is not valid", "status": status, "invalid-params": named}
    return "application/problem+json", body if problems else {"title": text, "status": status}


def _json_api(status, text, problems):
    each = [
        {"status": str(status), "source": {"pointer": _pointer(field)}, "detail": words}
        for field, words in problems
    ]
    return "application/vnd.api+json", {
        "errors": each or [{"status": str(status), "title": "Error", "detail": text}]
    }


def _message(status, text, _):
    return JSON, {"statusCode": status, "message": text}


def _param(_, text, problems):
    error = {"type": "invalid_request_error", "message": text}
    return JSON, {"error": error | ({"param": problems[0][0]} if problems else {})}


def _by_field(_, text, problems):
    fields = {}
    for field, words in problems:
        fields.setdefault(field, []).append(words)
    return JSON, {"message": text, "errors": fields} if problems else {"message": text}


def _located(_, text, problems):
    each = [{"loc": ["body", *field.split(".")], "msg": words} for field, words in problems]
    return JSON, {"detail": each or text}


def _sentences(status, text, problems):
    said = [sentence(*each) for each in problems]
    return JSON, {"statusCode": status, "message": said or text, "error": "Bad Request"}


def _violations(status, text, problems):
    each = [{"propertyPath": field, "message": words} for field, words in problems]
    return JSON, {"code": status, "violations": each} if problems else {"code": text}


STYLES = {
    "listed": _listed,
    "problem": _problem,
    "invalid-params": _invalid_params,
    "json-api": _json_api,
    "message": _message,
    "param": _param,
    "by-field": _by_field,
    "located": _located,
    "sentences": _sentences,
    "violations": _violations,
    "html": lambda status, text, _: ("text/html", f"<html><h1>{status}</h1></html>"),
    "html-words": lambda status, text, _: ("text/html", f"<html><body><p>{text}</p></html>"),
    "empty": lambda *_: ("text/plain", ""),
    "text": lambda status, text, _: ("text/plain", text),
    "bare-list": lambda status, text, found: (JSON, [sentence(*each) for each in found] or [text]),
}
