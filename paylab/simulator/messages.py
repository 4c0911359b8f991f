"""What goes in and out of `respond`: a request as received, a reply, and a refusal."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from ..errors import Problem
from ..signing.canonical import Received

JSON = {"content-type": "application/json"}

MOST_BYTES = 256 * 1024 * 1024
"""A body past this is refused before it is read: ten images of 15 MB need 210 MB."""
TOO_LARGE = f"the body is larger than {MOST_BYTES} bytes"

DEEPEST = 64
"""Levels a body may nest: more could be read, but not always be written again."""


@dataclass(frozen=True, slots=True)
class Request(Received):
    """A request; `at` is the instant its date is judged by, None for the world's clock.

    `id` is the id in its path, once it was routed. `keys` are the secrets by API key it is
    judged by, None for the world's own.
    """

    at: datetime | None = None
    keys: Mapping[str, str] | None = None
    id: str = ""

    def query_items(self) -> dict[str, str]:
        """The query parameters; of a repeated one the last counts."""
        return dict(parse_qsl(self.query, keep_blank_values=True, errors="replace"))

    def json(self, deepest: int = DEEPEST) -> dict[str, Any]:
        """The body as an object, or a 400 that says why it is none."""
        try:
            value = json.loads(self.body.decode(), parse_constant=_no_constant, parse_float=_finite)
        except ValueError as error:
            raise Refused(400, f"the body is not JSON: {str(error)[:100]}") from None
        except RecursionError:
            raise Refused(400, _TOO_DEEP) from None
        if not isinstance(value, dict):
            raise Refused(400, "the body must be a JSON object")
        if _is_deeper(value, deepest):
            raise Refused(400, _TOO_DEEP)
        return value


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; `cut` says how a shell must spoil it on its way, if a fault asks for that."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: str | None = None

    @classmethod
    def json(cls, status: int, value: object, **headers: str) -> Reply:
        """An answer with a JSON body; only ASCII, so that any text can be written."""
        return cls(status, dump(value), {**JSON, **headers})


class Refused(Exception):  # noqa: N818 - not an error of ours: an answer
    """A request that is refused: status, the service's words, and the field problems."""

    def __init__(
        self,
        status: int,
        text: str,
        problems: Iterable[Problem] = (),
        headers: Mapping[str, str] | None = None,
        **extra: object,
    ) -> None:
        super().__init__(text)
        self.status, self.text, self.extra = status, text, extra
        self.problems, self.headers = tuple(problems), headers or {}

    def reply(self) -> Reply:
        """The answer: `error`, and `errors` where fields are to blame. Gap `errors.body`."""
        body: dict[str, object] = {"error": self.text, **self.extra}
        if self.problems:
            body["errors"] = [
                {"field": each.field, "message": each.message} for each in self.problems
            ]
        return Reply.json(self.status, body, **self.headers)


def dump(value: object) -> bytes:
    """JSON as the service writes it."""
    return json.dumps(value, separators=(",", ":")).encode()


def require(problems: Iterable[Problem]) -> None:
    """Refuse with a 400 that lists every problem at once."""
    found = tuple(problems)
    if found:
        raise Refused(400, "; ".join(map(str, found)), found)


def missing(what: str) -> NoReturn:
    """Refuse with a 404."""
    raise Refused(404, f"{what} not found")


def conflict(text: str) -> NoReturn:
    """Refuse with a 422: the request is good, the state of things is not."""
    raise Refused(422, text)


def _is_deeper(value: object, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deeper(each, levels - 1) for each in inner)


_TOO_DEEP = "the body is nested too deeply"


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _no_constant(text[:20])


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
