"""Lists by cursor: newest first, and stable while rows are added."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from ... import codes, instants, paging
from ...errors import Problem
from ..exchange import Refused, Reply, Request, require
from ..showing import plain
from ..table import Place, Row, place
from ..world import World

_WHOLE = re.compile(r"[0-9]{1,9}")


def page(
    world: World,
    request: Request,
    kind: str,
    *,
    lane: str | None = None,
    show: Callable[[Row], Row] = plain,
) -> Reply:
    """One page: `data`, `has_next_page`, `cursor`. Gaps `list.order`, `list.cursor`."""
    items = request.query_items()
    before, limit = _place(items.get("cursor")), _limit(items.get("limit"))
    rows = list(islice(world.tables[kind].newest(lane, before=before), limit + 1))
    more = len(rows) > limit
    data = [show(row) for row in rows[:limit]]
    cursor = _cursor(rows[limit - 1]) if more else None
    return Reply.json(200, {"data": data, "has_next_page": more, "cursor": cursor})


def _limit(text: str | None) -> int:
    """1 to 100, 20 when absent. Gap `page.limit`."""
    if text is None:
        return codes.PAGE_DEFAULT
    if _WHOLE.fullmatch(text) and 1 <= int(text) <= codes.PAGE_MAX:
        return int(text)
    require([Problem("limit", f"must be a whole number from 1 to {codes.PAGE_MAX}")])
    raise AssertionError


def _place(cursor: str | None) -> Place | None:
    if cursor is None:
        return None
    try:
        position = paging.decode_cursor(cursor)
        instants.from_text(position["created_at"])
    except ValueError:
        raise Refused(400, "Invalid pagination token") from None
    return position["created_at"], position["id"]


def _cursor(row: Row) -> str:
    created_at, row_id = place(row)
    return paging.encode_cursor({"created_at": created_at, "id": row_id, "direction": "next"})
