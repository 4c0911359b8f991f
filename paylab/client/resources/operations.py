"""What the operations share: typed parameters, options, lists and waiting."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, wraps
from inspect import Parameter, signature
from itertools import chain
from typing import Any, ParamSpec, TypeVar

from ...errors import Problem, WaitTimeoutError
from ...rules.fields import dotted
from ...spec import codes
from ...spec.models import Address, Document, FinancialAccount
from ...spec.names import meant, nearest_name
from ...spec.paging import ListForm
from ...spec.service import Service
from ...spec.text import plain
from .. import encoding


def created(resource: Any) -> datetime:
    """The creation time of a resource; the earliest time when it cannot be read."""
    moment = getattr(resource, "created_at", None)
    return moment if isinstance(moment, datetime) else datetime.min.replace(tzinfo=UTC)


def check(limit: int | None, form: ListForm, product_type: str | None = None) -> None:
    """RuleError for a page size or a product that neither the spec nor the service has.

    A page size of the spec is good everywhere: a service with smaller pages is asked for those.
    """
    problems, most = [], max(codes.PAGE_MAX, form.max_limit)
    whole = isinstance(limit, int) and not isinstance(limit, bool)
    if limit is not None and not (whole and 1 <= limit <= most):
        problems.append(Problem("limit", f"must be a whole number from 1 to {most}"))
    if product_type is not None and product_type not in codes.PRODUCTS:
        problems.append(Problem("product_type", f"must be one of {', '.join(codes.PRODUCTS)}"))
    encoding.refuse(problems)


W = TypeVar("W")

TIMEOUT = 120.0
EVERY = 1.0

Until = str | Collection[str] | Callable[[Any], bool]
"""A status, several, or a function of the resource that says when to stop."""

Shown = Callable[[], AbstractContextManager[Callable[[str], None]]]


def unseen() -> AbstractContextManager[Callable[[str], None]]:
    """Show nothing of a wait."""
    return nullcontext(lambda _: None)


@dataclass(frozen=True)
class Patience:
    """How long to wait and how often to poll; only sleeps count as waiting time.

    `shown` gives a function that is told how the wait goes, once a round.
    """

    sleep: Callable[[float], None]
    timeout: float = TIMEOUT
    every: float = EVERY
    shown: Shown = unseen

    def poll(
        self, look: Callable[[], W | None], until: Until, what: str, final: Set[str] = frozenset()
    ) -> W:
        """Poll `look` until `until` holds; WaitTimeoutError carries the last state.

        A status in `final` that is not the expected one ends the wait.
        """
        with self.shown() as tell:
            return self._poll(look, until, what, final, tell)

    def _poll(
        self,
        look: Callable[[], W | None],
        until: Until,
        what: str,
        final: Set[str],
        tell: Callable[[str], None],
    ) -> W:
        reached, waited = _reached(until), 0.0
        while True:
            seen = look()
            if seen is not None and reached(seen):
                tell(f"{what} {_state(seen)} after {waited:g} s")
                return seen
            left = self.timeout - waited
            tell(
                f"waiting: {what} {_state(seen)}; {waited:.0f} s so far, at most {left:.0f} s more"
            )
            if not callable(until) and getattr(seen, "status", None) in final:
                raise WaitTimeoutError(f"{what} {_state(seen)}, which is final", seen)
            if waited >= self.timeout:
                raise WaitTimeoutError(f"{what} {_state(seen)} after {waited:g} s", seen)
            pause = min(self.every, left)
            self.sleep(pause)
            waited += pause


def _reached(until: Until) -> Callable[[Any], bool]:
    if callable(until):
        return until
    statuses = {until} if isinstance(until, str) else set(until)
    return lambda seen: seen.status in statuses


def _state(seen: Any) -> str:
    return "was not there" if seen is None else f"was {plain(str(seen.status), 60)}"


P = ParamSpec("P")
A = TypeVar("A")


def takes(*groups: Any) -> Callable[[Callable[P, A]], Callable[P, A]]:
    """Refuse unknown parameters with a TypeError that names the likely one.

    `groups` are the TypedDicts behind `**options`; the signature shows their keys one by one.
    """

    def decorate(function: Callable[P, A]) -> Callable[P, A]:
        own = [p for p in signature(function).parameters.values() if p.kind != p.VAR_KEYWORD]
        options = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for group in groups
            for name, kind in group.__annotations__.items()
        ]
        known = {p.name for p in (*own, *options)}

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> A:
            if not kwargs.keys() <= known:
                raise TypeError(_unknown(function.__qualname__, kwargs.keys() - known, known))
            return function(*args, **kwargs)

        shown = signature(function).replace(parameters=[*own, *options])
        call.__signature__ = shown  # type: ignore[attr-defined] # what inspect and IDEs look for
        return call

    return decorate


def _unknown(operation: str, names: Iterable[str], known: Iterable[str]) -> str:
    name = min(names)
    like = meant(name, {*known} - {"self"})
    asked = f" (is {like!r} meant?)" if like else ""
    way = f"; extra={{{name!r}: ...}} sends an unknown body field" if "extra" in known else ""
    return f"{operation}() has no parameter {name!r}{asked}; nothing was sent{way}"


Body = dict[str, Any]

ADDRESS = frozenset(Address.model_fields)
DOCUMENT = frozenset(Document.model_fields)
ENTRY = frozenset({"type", "details"})
# How alike a name in details and a known one are when one is a slip for the other.
SLIP = 0.85


@lru_cache(maxsize=16)
def detail_names(service: Service, kind: str) -> frozenset[str]:
    """The names that details of a type can have, ours and the service's; of any type if unknown."""
    kinds = {kind} & {*codes.ACCOUNT_TYPES} or codes.ACCOUNT_TYPES
    forms = [form for one in kinds for form in service.accounts_of(one)]
    theirs = (name for form in forms for name in form.names.ours)
    return frozenset(chain(theirs, *(form.fields for form in forms)))


def check_individual(body: Body, service: Service) -> None:
    """RuleError for an unknown field in address, document or financial_accounts."""
    entries = body.get("financial_accounts")
    listed = enumerate(entries if isinstance(entries, list) else [])
    problems = [
        *unknown(body.get("address"), ADDRESS, "address"),
        *unknown(body.get("document"), DOCUMENT, "document"),
        *(
            each
            for at, entry in listed
            for each in _entry(entry, f"financial_accounts.{at}", service)
        ),
    ]
    encoding.refuse(problems)


def check_detail_names(details: object, kind: object, service: Service) -> None:
    """RuleError for a name in details that looks like a misspelt field."""
    encoding.refuse([*_details(kind, details, "details", service)])


def unknown(value: object, known: Collection[str], at: str) -> Iterator[Problem]:
    """The unknown names of a nested object."""
    for name in value if isinstance(value, Mapping) else ():
        if name not in known:
            like = nearest_name(str(name), known)
            meant = f"is {like} meant?" if like else f"known are {', '.join(sorted(known))}"
            way = "extra={...} sends what is not known"
            yield Problem(dotted(at, str(name)), f"is no field; {meant} ({way})")


def _entry(entry: object, at: str, service: Service) -> Iterator[Problem]:
    yield from unknown(entry, ENTRY, at)
    if isinstance(entry, Mapping):
        below = dotted(at, "details")
        yield from _details(entry.get("type"), entry.get("details"), below, service)


def _details(kind: object, details: object, at: str, service: Service) -> Iterator[Problem]:
    """Problems for likely misspellings only, because the names in details are mostly assumed."""
    known = detail_names(service, str(kind))
    details = details if isinstance(details, Mapping) else {}
    for name in details:
        like = None if name in known else nearest_name(str(name), known, SLIP)
        if like and like not in details:
            yield Problem(
                dotted(at, str(name)),
                f"is no known field; is {like} meant? (extra={{...}} sends it as it is)",
            )


Account = FinancialAccount | str | Mapping[str, Any]

# An account as the service shows it is as good as its id.
KNOWN = frozenset({*FinancialAccount.model_fields, "individual_id"})


def reference(account: Account | None, field: str = "financial_account") -> dict[str, Any] | None:
    """An account as `{"id": ...}`; None stays None."""
    if account is None:
        return None
    if isinstance(account, Mapping):
        encoding.refuse(unknown(account, KNOWN, field))
    if isinstance(account, Mapping) and account.get("id") is None:
        encoding.refuse([Problem(f"{field}.id", "is required")])
    return {"id": encoding.check_identifier(account, f"{field}.id")}


def id_from(value: object, field: str) -> str | None:
    """The id of a value or a result; None stays None."""
    return None if value is None else encoding.check_identifier(value, field)
