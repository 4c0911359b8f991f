"""Shapes of error bodies, as other services write them."""


def _first(refusal):
    return refusal.problems[0] if refusal.problems else ("", refusal.text)


def problem_details(refusal):
    """RFC 7807."""
    problems = [{"name": name, "reason": message} for name, message in refusal.problems]
    body = {"type": "about:blank", "title": "Request failed", "status": refusal.status}
    return body | {"detail": refusal.text} | ({"invalid-params": problems} if problems else {})


def code_and_param(refusal):
    """One problem: a code and the name of the field, without a sentence."""
    name, message = _first(refusal)
    if not name:
        return {"code": refusal.text.upper().replace(" ", "_")[:40]}
    return {"code": "MISSING_FIELD" if "required" in message else "INVALID_FIELD", "param": name}


def nested(refusal):
    """An object inside `error`."""
    name, message = _first(refusal)
    return {"error": {"type": "invalid_request", "message": message, "param": name or None}}


def array(refusal):
    """A bare array with paths."""
    problems = refusal.problems or [("", refusal.text)]
    return [{"path": name.split("."), "message": message} for name, message in problems]


def by_field(refusal):
    """Messages by field."""
    messages = {name: [message] for name, message in refusal.problems}
    return {"message": "The given data was invalid.", "errors": messages or [refusal.text]}


def pointers(refusal):
    """JSON:API."""
    problems = refusal.problems or [("", refusal.text)]
    return {
        "errors": [
            {
                "status": str(refusal.status),
                "detail": message,
                "source": {"pointer": "/" + name.replace(".", "/")},
            }
            for name, message in problems
        ]
    }


def locations(refusal):
    """A list with locations in `detail`."""
    problems = refusal.problems or [("", refusal.text)]
    return {"detail": [{"loc": ["body", *name.split(".")], "msg": text} for name, text in problems]}


def violations(refusal):
    """Field violations inside details."""
    details = [{"field": name, "description": text} for name, text in refusal.problems]
    error = {"code": refusal.status, "message": refusal.text, "status": "INVALID_ARGUMENT"}
    return {"error": error | {"details": [{"fieldViolations": details}]}}


def text(refusal):
    """Plain text."""
    return "; ".join(f"{n} {message}" for n, message in refusal.problems) or refusal.text


def page(refusal):
    """An HTML page."""
    return f"<html><head><title>{refusal.status}</title></head><body>{text(refusal)}</body></html>"


def number(refusal):
    """A number that only a manual explains."""
    return {"errorCode": 40000 + refusal.status, "traceId": "7f3a"}


def nothing(_refusal):
    """No body."""
    return ""


SHAPES = {
    "problem-details": problem_details,
    "code-and-param": code_and_param,
    "nested": nested,
    "array": array,
    "by-field": by_field,
    "pointers": pointers,
    "locations": locations,
    "violations": violations,
    "text": text,
    "html": page,
    "number": number,
    "empty": nothing,
}
