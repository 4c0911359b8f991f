"""Requests, replies and refusals of the simulator, and the operation of a path."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import NoReturn
from urllib.parse import parse_qsl

from ..errors.base import Problem
from ..journal.record import SENT_NOTHING, SENT_PART, Ending
from ..light_dataclass import light_dataclass
from ..signing.canonical import ReceivedRequest
from ..spec.text import JsonObject

JSON_HEADERS = {"content-type": "application/json"}

PRODUCT = "paylab-simulator"
"""The Server header of every response, by which a client recognises a simulator."""

KEY_HEADER = "idempotency-key"
"""The header of the idempotency key, as requests have it here."""
BODY_BYTES_MAX = 256 * 1024 * 1024
"""Maximum bytes of a body; ten images of 15 MB need 210 MB."""

NO_CONTENT = 204

NESTING_MAX = 64
"""Maximum nesting of a body; deeper ones could not always be written again."""


@dataclass(frozen=True, slots=True)
class Request(ReceivedRequest):
    """A request. `at` is the time used to check its date, None for the world's clock.

    `id` is the id in its path, after routing. `keys` are the secrets by API key to verify it with,
    None for the world's own. A trusted request to the control API came with its token; a trusted
    request to an operation is one of the simulator's owner. Neither is verified. `ending` is where
    the transport records how much of the reply it sent.
    """

    at: datetime | None = None
    keys: Mapping[str, str] | None = None
    id: str = ""
    is_trusted: bool = False
    ending: Ending | None = None

    def with_id(self, path_id: str) -> Request:
        """The request with the id in its path."""
        return self._copy(self.keys, path_id, is_trusted=self.is_trusted)

    def with_access(self, keys: Mapping[str, str], *, is_trusted: bool) -> Request:
        """The request with the secrets to verify it with, unless it is trusted."""
        return self._copy(keys, self.id, is_trusted=is_trusted)

    def _copy(self, keys: Mapping[str, str] | None, path_id: str, *, is_trusted: bool) -> Request:
        """The request with other keys, path id and trust."""
        # Every request passes here: `dataclasses.replace` takes three times as long.
        request_values = (self.method, self.path, self.query, self.headers, self.body, self.at)
        return Request(*request_values, keys, path_id, is_trusted, self.ending)

    def query_items(self) -> dict[str, str]:
        """The query parameters. A repeated parameter has its last value."""
        return dict(parse_qsl(self.query, keep_blank_values=True, errors="replace"))

    def json(self, deepest: int = NESTING_MAX, *, exact: bool = False) -> JsonObject:
        """The body as an object. RefusedError with status 400 says why it is not one.

        `deepest` is the maximum nesting. With `exact`, numbers keep their text.
        """
        read_number = ExactNumber if exact else _read_finite
        try:
            json_value = json.loads(
                self.body.decode(), parse_constant=_raise_not_json, parse_float=read_number
            )
        except ValueError as error:
            raise RefusedError(400, f"the body is not JSON: {str(error)[:100]}") from None
        except RecursionError:
            raise RefusedError(400, TOO_DEEP_MESSAGE) from None
        if not isinstance(json_value, dict):
            raise RefusedError(400, "the body must be a JSON object")
        if _is_deeper(json_value, deepest):
            raise RefusedError(400, TOO_DEEP_MESSAGE)
        return json_value


@light_dataclass(frozen=True)
class Reply:
    """A reply, and how the transport must delay or damage it for a fault.

    `cut` is the kind of the damage; of a body that is cut, `kept` bytes are sent. The reply starts
    after `delay_seconds`, and its body takes `body_seconds`. With `wait_seconds`, the request is
    answered again until its answer is another one, for at most so long.
    """

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: str | None = None
    kept: int | None = None
    delay_seconds: float = 0.0
    body_seconds: float = 0.0
    wait_seconds: float = 0.0

    def with_headers(self, headers: Mapping[str, str]) -> Reply:
        """The reply with other headers."""
        seconds = (self.delay_seconds, self.body_seconds, self.wait_seconds)
        return Reply(self.status, self.body, headers, self.cut, self.kept, *seconds)

    @classmethod
    def json(cls, status: int, value: object, **headers: str) -> Reply:
        """A reply with a JSON body in ASCII."""
        return cls(status, encode_json(value), {**JSON_HEADERS, **headers})


def plan_cut(reply: Reply) -> tuple[str, int]:
    """The part of a reply that is sent before the connection is cut.

    The result is SENT_PART or SENT_NOTHING, and the number of bytes of the body.
    """
    if reply.cut != "truncate":
        return SENT_NOTHING, 0
    if reply.kept is None:
        return SENT_PART, len(reply.body) // 2
    return SENT_PART, min(reply.kept, len(reply.body))


PIECES_MAX = 20
"""Maximum pieces in which a slow reply is sent."""


def split_body(reply: Reply) -> list[bytes]:
    """The pieces of the body of a slow reply: PIECES_MAX, or one for each byte of a short body."""
    body_length = len(reply.body)
    piece_count = min(PIECES_MAX, body_length)
    piece_ends = [number * body_length // piece_count for number in range(1, piece_count + 1)]
    return [reply.body[start:end] for start, end in pairwise([0, *piece_ends])]


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
        """Refuse with a text; `extra` are further members of the body."""
        super().__init__(text)
        self.status = status
        self.text = text
        self.extra = extra
        self.problems = tuple(problems)
        self.headers = headers or {}


class KeyRefusedError(RefusedError):
    """The refusal of an Idempotency-Key: missing, malformed, or used with another body."""


class BodyTooLargeError(RefusedError):
    """The refusal of a body that has more bytes than a limit."""

    def __init__(self, bytes_max: int, headers: Mapping[str, str] | None = None) -> None:
        """Name the limit in bytes."""
        super().__init__(413, f"the body is larger than {bytes_max} bytes", headers=headers)


class CursorError(RefusedError):
    """The refusal whose body is shown in the spec, whatever the format of others."""

    def __init__(self) -> None:
        """Use the text that the spec shows."""
        super().__init__(400, "Invalid pagination token")


_ENCODER = json.JSONEncoder(separators=(",", ":"))


def encode_json(value: object) -> bytes:
    """The bytes of a value as JSON in the format of the service."""
    return _ENCODER.encode(value).encode()


def raise_if_problems(problems: Iterable[Problem], status: int = 400) -> None:
    """Refuse with a text that lists every problem; nothing happens without problems."""
    all_problems = tuple(problems)
    if all_problems:
        raise RefusedError(status, "; ".join(map(str, all_problems)), all_problems)


def _is_deeper(json_value: object, levels_max: int) -> bool:
    """Whether a JSON value is nested more than `levels_max` levels."""
    if not isinstance(json_value, dict | list):
        return False
    if levels_max == 0:
        return True
    members = json_value.values() if isinstance(json_value, dict) else json_value
    return any(_is_deeper(member, levels_max - 1) for member in members)


TOO_DEEP_MESSAGE = "the body is nested too deeply"


def _read_finite(number_text: str) -> float:
    """The number of a JSON text. ValueError when it is too large for a float."""
    finite_number = float(number_text)
    if not math.isfinite(finite_number):
        _raise_not_json(number_text[:20])
    return finite_number


class ExactNumber(float):
    """A number of a body that keeps its text, as an amount needs."""

    __slots__ = ("text",)

    text: str

    def __new__(cls, text: str) -> ExactNumber:
        """Read a number. ValueError when it is too large for a float."""
        exact_number = super().__new__(cls, _read_finite(text))
        exact_number.text = text
        return exact_number


def _raise_not_json(constant_name: str) -> NoReturn:
    """Refuse a constant that Python reads and JSON does not have, such as NaN."""
    raise ValueError(f"{constant_name} is not JSON")
