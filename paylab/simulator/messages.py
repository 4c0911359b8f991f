"""Requests, replies and refusals of the simulator, and the operation of a path."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from ..errors.base import Problem
from ..signing.canonical import ReceivedRequest

JSON = {"content-type": "application/json"}

PRODUCT = "paylab-simulator"
"""The Server header of every response, by which a client recognises a simulator."""

KEY = "idempotency-key"
"""The header of the idempotency key, as requests have it here."""
MOST_BYTES = 256 * 1024 * 1024
"""Maximum bytes of a body; ten images of 15 MB need 210 MB."""
TOO_LARGE = f"the body is larger than {MOST_BYTES} bytes"

NO_CONTENT = 204

DEEPEST = 64
"""Maximum nesting of a body; deeper ones could not always be written again."""


@dataclass(frozen=True, slots=True)
class Request(ReceivedRequest):
    """A request; `at` is the time used to check its date, None for the world's clock.

    `id` is the id in its path, after routing. `keys` are the secrets by API key to verify it with,
    None for the world's own. A trusted request to the control API came with its token; a trusted
    request to an operation is one of the simulator's owner. Neither is verified.
    """

    at: datetime | None = None
    keys: Mapping[str, str] | None = None
    id: str = ""
    is_trusted: bool = False

    def query_items(self) -> dict[str, str]:
        """The query parameters; the last value of a repeated one is used."""
        return dict(parse_qsl(self.query, keep_blank_values=True, errors="replace"))

    def json(self, deepest: int = DEEPEST, *, exact: bool = False) -> dict[str, Any]:
        """The body as an object; a 400 that says why it is not one.

        With `exact`, numbers keep their text.
        """
        number = ExactNumber if exact else _finite
        try:
            value = json.loads(self.body.decode(), parse_constant=_no_constant, parse_float=number)
        except ValueError as error:
            raise RefusedError(400, f"the body is not JSON: {str(error)[:100]}") from None
        except RecursionError:
            raise RefusedError(400, _TOO_DEEP) from None
        if not isinstance(value, dict):
            raise RefusedError(400, "the body must be a JSON object")
        if _is_deeper(value, deepest):
            raise RefusedError(400, _TOO_DEEP)
        return value


@dataclass(frozen=True)
class Reply:
    """A reply; the rest says how the transport must damage it when a fault requires that.

    `cut` is the kind of the damage; of a body that is cut, `kept` bytes are sent. The reply is
    delayed by `delay` seconds, and its body takes `slow` seconds. With `wait`, the request is
    answered again until its answer is another one, or so many seconds have passed.
    """

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: str | None = None
    kept: int | None = None
    delay: float = 0.0
    slow: float = 0.0
    wait: float = 0.0

    @classmethod
    def json(cls, status: int, value: object, **headers: str) -> Reply:
        """A reply with a JSON body in ASCII."""
        return cls(status, dump(value), {**JSON, **headers})


class RefusedError(Exception):
    """A refusal: status, message and field problems."""

    def __init__(
        self,
        status: int,
        text: str,
        problems: Iterable[Problem] = (),
        headers: Mapping[str, str] | None = None,
        **extra: object,
    ) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.extra = extra
        self.problems = tuple(problems)
        self.headers = headers or {}


class KeyRefusedError(RefusedError):
    """The refusal of an Idempotency-Key: missing, malformed, or used with another body."""


class CursorError(RefusedError):
    """The refusal whose body is shown in the spec, whatever the format of others."""

    def __init__(self) -> None:
        super().__init__(400, "Invalid pagination token")


_ENCODER = json.JSONEncoder(separators=(",", ":"))


def dump(value: object) -> bytes:
    """JSON in the form of the service."""
    return _ENCODER.encode(value).encode()


def require(problems: Iterable[Problem], status: int = 400) -> None:
    """Refuse with a text that lists every problem at once."""
    all_problems = tuple(problems)
    if all_problems:
        raise RefusedError(status, "; ".join(map(str, all_problems)), all_problems)


def _is_deeper(value: object, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deeper(item, levels - 1) for item in inner)


_TOO_DEEP = "the body is nested too deeply"


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _no_constant(text[:20])


class ExactNumber(float):
    """A number of a body that keeps its text, as an amount needs."""

    __slots__ = ("text",)

    text: str

    def __new__(cls, text: str) -> ExactNumber:
        """Read a number; ValueError when it is too large to be one."""
        number = super().__new__(cls, _finite(text))
        number.text = text
        return number


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
