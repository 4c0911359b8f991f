"""Lists: a Pager over an operation that answers in pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from ... import codes
from ...errors import Problem
from ...models import Resource
from ...paging import Pager, RawPage
from .. import wire
from ..http import Sender
from ..operations import Options

R = TypeVar("R", bound=Resource)


def pager(  # noqa: PLR0913 - what is listed, and how it is asked for
    sender: Sender,
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
        answer = sender.send("GET", path, params={**params, "cursor": cursor}, **options)
        return answer.page(bare=bare)

    return Pager(fetch, kind.model_validate, params.get("cursor"))


def check(limit: int | None, product_type: str | None = None) -> None:
    """RuleError for a page size or a product the spec does not have."""
    problems = []
    whole = isinstance(limit, int) and not isinstance(limit, bool)
    if limit is not None and not (whole and 1 <= limit <= codes.PAGE_MAX):
        problems.append(Problem("limit", f"must be a whole number from 1 to {codes.PAGE_MAX}"))
    if product_type is not None and product_type not in codes.PRODUCTS:
        problems.append(Problem("product_type", f"must be one of {', '.join(codes.PRODUCTS)}"))
    wire.refuse(problems)
