"""Lists and waiting."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from ...errors import Problem, WaitTimeoutError
from ...spec import codes
from ...spec.paging import Pager, RawPage
from ...spec.printable import plain
from ...spec.resource import Resource
from .. import encoding
from ..request import Options
from ..response import Answer

R = TypeVar("R", bound=Resource)


def pager(  # noqa: PLR0913 - what is listed, and how it is asked for
    send: Callable[..., Answer],
    path: str,
    kind: type[R],
    params: Mapping[str, Any],
    options: Options,
    *,
    bare: bool = False,
) -> Pager[R]:
    """A list that is fetched as it is walked; filters go along with every cursor.

    `bare` is whether the answer may be an array, which is then the whole list.
    """

    def fetch(cursor: str | None) -> RawPage:
        answer = send("GET", path, params={**params, "cursor": cursor}, **options)
        return answer.page(bare=bare)

    return Pager(fetch, kind.model_validate, params.get("cursor"))


def created(resource: Any) -> datetime:
    """When a resource was created; one without a readable time counts as the oldest."""
    moment = getattr(resource, "created_at", None)
    return moment if isinstance(moment, datetime) else datetime.min.replace(tzinfo=UTC)


def check(limit: int | None, product_type: str | None = None) -> None:
    """RuleError for a page size or a product the spec does not have."""
    problems = []
    whole = isinstance(limit, int) and not isinstance(limit, bool)
    if limit is not None and not (whole and 1 <= limit <= codes.PAGE_MAX):
        problems.append(Problem("limit", f"must be a whole number from 1 to {codes.PAGE_MAX}"))
    if product_type is not None and product_type not in codes.PRODUCTS:
        problems.append(Problem("product_type", f"must be one of {', '.join(codes.PRODUCTS)}"))
    encoding.refuse(problems)


W = TypeVar("W")

TIMEOUT = 120.0
EVERY = 1.0

Until = str | Collection[str] | Callable[[Any], bool]
"""A status, several, or a function of the resource that says when to stop."""


@dataclass(frozen=True)
class Patience:
    """How long to wait and how often to ask; the time is counted by the sleeps alone."""

    sleep: Callable[[float], None]
    timeout: float = TIMEOUT
    every: float = EVERY

    def poll(
        self, look: Callable[[], W | None], until: Until, what: str, final: Set[str] = frozenset()
    ) -> W:
        """What `look` sees once `until` holds; WaitTimeoutError carries what it saw last.

        A status in `final` that is not the one waited for ends the wait: nothing follows it.
        """
        reached, waited = _reached(until), 0.0
        while True:
            seen = look()
            if seen is not None and reached(seen):
                return seen
            if not callable(until) and getattr(seen, "status", None) in final:
                raise WaitTimeoutError(f"{what} {_state(seen)}, which is final", seen)
            if waited >= self.timeout:
                raise WaitTimeoutError(f"{what} {_state(seen)} after {waited:g} s", seen)
            pause = min(self.every, self.timeout - waited)
            self.sleep(pause)
            waited += pause


def _reached(until: Until) -> Callable[[Any], bool]:
    if callable(until):
        return until
    statuses = {until} if isinstance(until, str) else set(until)
    return lambda seen: seen.status in statuses


def _state(seen: Any) -> str:
    return "was not there" if seen is None else f"was {plain(str(seen.status), 60)}"
