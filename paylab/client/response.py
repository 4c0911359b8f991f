"""A response: sent for with retries where safe, its body read as a resource or a page."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from random import Random
from typing import Any, NamedTuple, Self, TypeVar

from ..errors import APIResponseError, ConfigWarning, PagingError, PaylabError
from ..spec.paging import ENVELOPE, ListForm, RawPage, is_usual, read_page
from ..spec.resource import Resource
from ..spec.text import EXACT, plain, write_json
from .call import Call, DeferredCall
from .connection import Deadline
from .request import Exchange, OutgoingRequest
from .retries import asked_wait, is_lost, wait_before_retry
from .settings import Settings
from .translation import ANSWERS, Translation

R = TypeVar("R", bound=Resource)


class Identified(Resource):
    """Anything with an id."""

    id: str = ""


# Keys of a body that describes an error although the status is a success.
ERROR_KEYS = ("error", "errors")
MARKUP = re.compile(rb"\s*<")
SHOWN = ("transfers", "conversions")
"""Lists whose envelope the spec shows; others may also be a bare array."""

CLOCKS_AGREE = 2.0
"""Seconds; Date has no fractions."""

WORTH_SAYING = 30.0
"""Seconds of difference from which on it is said, long before it is an error."""

TIMES = 4
"""All attempts of a call together may take so many times its timeout; pauses are not counted."""

SLOWEST = 50_000
"""Bytes a second at which an upload is still waited for."""

log = logging.getLogger("paylab")


class Delivered(NamedTuple):
    """The request that was answered, what came back, and whether an earlier attempt was lost."""

    request: OutgoingRequest
    exchange: Exchange
    deferred: DeferredCall
    after_lost: bool


Look = Callable[[Delivered, datetime], OutgoingRequest | None]
"""Finds what a lost attempt made: the GET of it, or None."""


@dataclass
class Delivery:
    """Sends requests with retries; `ahead` is by how much the service's clock is ahead, if known.

    `attempt` sends once, and `keep` stores the record of each attempt. `product` is the Server
    header of the latest answer; None before the first answer. `ask` asks a simulator for its
    time, and `reading` is its answer, when it came, and its seconds per real second.
    """

    settings: Settings
    deadline: Deadline
    attempt: Callable[[OutgoingRequest, int], tuple[Exchange, DeferredCall]]
    keep: Callable[[DeferredCall], None]
    clock: Callable[[], datetime]
    sleep: Callable[[float], None]
    random: Random
    ahead: float | None = None
    product: str | None = None
    is_skew_told: bool = False
    ask: Callable[[], datetime] | None = None
    reading: tuple[datetime, datetime, float] | None = None

    def __post_init__(self) -> None:
        self._much = min(WORTH_SAYING, self.settings.service.signing.tolerance)

    def send(self, request: OutgoingRequest, look: Look) -> Delivered:
        """Send a request with retries, within the deadline of the call."""
        seconds = TIMES * (request.timeout or self.settings.timeout)
        begun, lost = self.clock() if request.find else None, False
        with self.deadline.within(seconds + (request.length or 0) / SLOWEST):
            for number in count(1):
                exchange, deferred = self.attempt(request, number)
                self.keep(deferred)
                if exchange.status:
                    self.product = exchange.headers.get("server", "")
                if not deferred.patient or log.isEnabledFor(logging.DEBUG):
                    log.debug("%s", deferred.call)
                if exchange.skew is not None:
                    self.ahead, is_much = exchange.skew, abs(exchange.skew) >= self._much
                    if is_much and not self.is_skew_told:
                        self._warn_of_skew(exchange.skew)
                    self.is_skew_told = is_much
                if exchange.went_well:
                    break
                if begun and is_lost(exchange):
                    found = look(Delivered(request, exchange, deferred, lost), begun)
                    if found is not None:
                        return self.send(found, look)
                wait = self._wait(request, exchange, number)
                if wait is None:
                    break
                lost = lost or is_lost(exchange)
                log.debug("trying again in %.2f s", wait)
                self.deadline.extend(wait)
                self.sleep(wait)
        return Delivered(request, exchange, deferred, lost)

    def seen(self) -> datetime:
        """The service's time as far as the latest answer tells; nothing is asked."""
        now, ahead = self.clock(), self.ahead or 0.0
        if abs(ahead) < CLOCKS_AGREE:
            return now
        with suppress(OverflowError):
            return now + timedelta(seconds=ahead)
        return now

    def earliest(self) -> datetime:
        """The earliest that it may be at the service, by which an order is dated.

        A simulator behind a URL is asked only if it was not yet, or if its clock was moved since.
        """
        if self.reading is not None:
            theirs, at, speed = self.reading
            with suppress(OverflowError):
                return theirs + (self.clock() - at) * speed
            return theirs
        return self.ask() if self.ask is not None else min(self.clock(), self.seen())

    def least_ahead(self) -> timedelta:
        """The minimum time by which the service's clock is ahead: Date has only whole seconds."""
        ahead, tolerance = self.ahead, self.settings.service.signing.tolerance
        known = ahead is not None and abs(ahead) < tolerance
        return timedelta(seconds=ahead - 2 if ahead is not None and known else -tolerance)

    def _wait(self, request: OutgoingRequest, exchange: Exchange, number: int) -> float | None:
        """Seconds to wait before the next attempt; None when there must be none."""
        if number > self.settings.max_retries or self.deadline.has_passed:
            return None
        limits = self.settings.service.rate_limits
        asked = asked_wait(exchange.headers, self.clock(), limits.header, limits.unit)
        return wait_before_retry(request.repeatable, exchange, number, asked, self.random)

    def _warn_of_skew(self, skew: float) -> None:
        """Warn about a clock difference before it becomes an error."""
        tolerance = self.settings.service.signing.tolerance
        side = "ahead of" if skew > 0 else "behind"
        verdict = "too much: every request is refused" if abs(skew) > tolerance else "much"
        words = f"{abs(skew):.0f} s {side} this machine's, which is {verdict}"
        allowed = f"{tolerance} s are allowed: set this machine's clock"
        log.warning("the service's clock is %s; %s", words, allowed)


@dataclass(frozen=True)
class Response:
    """A response and the record of its call; `body` is as the service sent it."""

    request: OutgoingRequest
    exchange: Exchange = field(repr=False)
    deferred: DeferredCall
    translation: Translation = field(repr=False)
    place: Callable[[], str] = field(repr=False)
    body: Any = None
    replayed: bool = False

    @property
    def call(self) -> Call:
        """The record of the call."""
        return self.deferred.call

    def parsed(self) -> Self:
        """The response with its body; APIResponseError when it is not JSON. No body is None.

        Where the request takes any body, plain text is accepted too, but never a web page.
        """
        content = self.exchange.content
        try:
            body = EXACT.decode(content.decode("utf-8-sig")) if content.strip() else None
            return replace(self, body=body, replayed=self.exchange.replayed)
        except (ValueError, ArithmeticError, RecursionError):
            pass  # Raised below: the parser's error would contain the whole body.
        if self.request.any_body and not MARKUP.match(content):
            return replace(self, body=plain(content.decode("utf-8", "replace")))
        kind = plain(self.call.response_headers.get("content-type", "no content type"), 80)
        raise self._wrong(f"is not JSON ({kind})")

    def read(self, kind: type[R]) -> R:
        """The body as a resource, which must have an id."""
        body = self._resource(kind)
        if body is None:
            what = (
                "an id" if "id" in kind.model_fields else f"any of {', '.join(kind.model_fields)}"
            )
            lacks = f" with {what}" if isinstance(self.body, dict) else ""
            raise self._wrong(f"must be an object, a {kind.__name__}{lacks}")
        return self.resource(kind, body)

    def read_or(self, kind: type[R], known: Mapping[str, Any]) -> R:
        """The body as a resource; an empty body gives a resource of the known fields."""
        body = self._resource(kind)
        if body is not None:
            return self.resource(kind, body)
        self.done()
        resource = kind.model_validate(dict(known))
        resource._replayed, resource._place = self.replayed, self.place
        resource._raw = self.body if isinstance(self.body, dict) else {}
        return resource

    @property
    def identified(self) -> dict[str, Any]:
        """The object with an id, as sent; APIResponseError when there is none."""
        body = self._resource(Identified)
        if body is None:
            raise self._wrong("must be an object with an id")
        return body

    def done(self) -> None:
        """APIResponseError when the body describes an error."""
        wrapped = self.body.get("data") if isinstance(self.body, dict) else None
        if _is_error(self.body) or _is_error(wrapped) or self.body is False:
            raise self._wrong(f"describes an error: {plain(str(self.body), 200)}")

    def page(self, form: ListForm) -> RawPage:
        """The body as a page; an array is the whole list where the spec shows no envelope."""
        error: PaylabError
        try:
            page = read_page(self.body, form, bare=form.name not in SHOWN)
            if page.cursor or not page.has_next_page:
                return page
            error = PagingError("the list says it has a next page but gives no cursor for it")
        except ValueError as wrong:
            error = self._wrong(str(wrong))
        from .assumption_hints import name_assumptions, of_page

        name_assumptions(error, of_page(self.body, form))
        raise error

    def _resource(self, kind: type[Resource]) -> dict[str, Any] | None:
        """The object with the id: the body, or the object in its `data`."""
        body = self.body
        wrapped = body.get("data") if isinstance(body, dict) else None
        if _is_error(body) or (wrapped and _is_error(wrapped)):
            return None
        for one in (wrapped, body):
            if not isinstance(one, dict):
                continue
            if "id" in kind.model_fields:
                id_ = one.get("id")
                has_id = isinstance(id_, str | int) and not isinstance(id_, bool)
                if has_id and str(id_).strip():
                    return one
            elif one.keys() & kind.model_fields.keys():
                return one
        return None

    def resource(self, kind: type[R], body: dict[str, Any]) -> R:
        """An object of the service as a resource in our names; `raw` is the object as sent."""
        if kind.__name__ in ANSWERS or body.get("deposit_instructions"):
            self._warn_of_names(kind, body)
        if self.translation.is_idle:
            resource = kind.model_validate(body)
        else:
            resource = kind.model_validate(self.translation.answer(kind.__name__, body))
        resource._raw = body
        resource._replayed, resource._place = self.replayed, self.place
        return resource

    def _warn_of_names(self, kind: type[Resource], body: dict[str, Any]) -> None:
        """Warn of a field that seems to have another name than the settings say."""
        from .assumption_hints import of_answer

        for key, name in of_answer(kind, body, self.translation.service):
            message = f"has {plain(name, 60)!r}, but no {key.rpartition('.')[2]}"
            message = f"the answer to {self.call.method} {self.call.path} {message}"
            message = f"{message}: if they are the same, set {key} in service.toml"
            warnings.warn(message, ConfigWarning, stacklevel=3)

    def _wrong(self, what: str) -> APIResponseError:
        message = f"the answer to {self.call.method} {self.call.path} {what}"
        return APIResponseError(message, self.call)


_NAMES = [f'"{name}"'.encode() for name in ENVELOPE]


def own_envelope(response: Response, form: ListForm) -> bytes:
    """A page in the envelope of the spec; numbers keep their digits."""
    content = response.exchange.content
    ends = content[:100] + content[-1000:]  # searching a whole page takes 0.1 ms
    if is_usual(form) and all(name in ends or name in content for name in _NAMES):
        return content
    page = response.parsed().page(form)
    return write_json(
        {"data": page.data, "has_next_page": page.has_next_page, "cursor": page.cursor}
    ).encode()


def _is_error(body: object) -> bool:
    """Whether an object describes an error."""
    if not isinstance(body, dict):
        return False
    return any(body.get(key) for key in ERROR_KEYS) or body.get("success") is False
