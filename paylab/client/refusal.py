"""The words and field problems of a refusal, without secrets.

The text is redacted before it is read, and its words once more afterwards: markup and entities may
have split a secret.
"""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import Any

from ..redaction.redaction import Redaction
from ..spec.error_body import ErrorBody, read_error
from ..spec.text import plain, read_json


def read_refusal(status: int, content: bytes, redaction: Redaction, form: Any = None) -> ErrorBody:
    """The message of a refusal, or the name of the status.

    `form` are the [errors] of a service: where its words stand, before all other places.
    """
    text = redaction.text(content.decode("utf-8", "replace"))
    try:
        body = redaction.json(read_json(content.decode("utf-8-sig")))
        found = read_error(body, form)
    except (ValueError, RecursionError):
        found = replace(read_error(text), body=text or None)
    # Again: the reader has removed what may have split a secret.
    problems = tuple(
        replace(each, field=redaction.text(each.field), message=redaction.text(each.message))
        for each in found.problems
    )
    words = plain(redaction.text(found.text)) or _name(status)
    return replace(found, text=words, problems=problems)


def _name(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "no reason given"
