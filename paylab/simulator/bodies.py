"""The bodies of requests in paylab's names, and the JSON of rows, in the names of the service."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from ..errors.base import Problem
from ..spec import paging, timestamps
from ..spec.answers import NESTED, answer_form
from ..spec.json_path import set_value_at
from ..spec.operations.records import OPERATIONS, answer_names
from ..spec.operations.refusals import read_status_code
from ..spec.request_body import RequestBody, read_request
from ..spec.service.lists import ListForm
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from .messages import NO_CONTENT, CursorError, RefusedError, Reply, Request, require
from .table import Place, Row, row_place
from .world import World


def read_body(world: World, request: Request, operation: str) -> RequestBody:
    """The body of an operation in paylab's names."""
    request_json = request.json(exact=world.service.amounts.requests == "number")
    return read_request(world.service, operation, request_json)


def require_fields(body: RequestBody, problems: Iterable[Problem], status: int = 400) -> None:
    """Refuse a body with all its problems, in the service's names."""
    require(body.problems(problems), status)


def as_shown(row: Row) -> Row:
    """A row without the simulator's internal fields."""
    return {key: value for key, value in row.items() if key != "_"}


def individual_json(world: World, row: Row) -> Row:
    """An individual with its accounts, without fields that have no value."""
    accounts = world.tables["financial_accounts"].rows
    own_accounts = [
        account_json(world, accounts[account_id]) for account_id in row["_"]["accounts"]
    ]
    shown_row = dict(without_null({**as_shown(row), "financial_accounts": own_accounts}))
    complete = presented(world.service, "Individual", shown_row)
    return answer_names("Individual", world.service).send(complete)


def account_json(world: World, row: Row) -> Row:
    """A financial account, its details in the names of the service."""
    country = world.tables["individuals"].rows[row["_"]["owner"]]["country"]
    complete = presented(world.service, "FinancialAccount", as_shown(row))
    return world.translation.send_answer("FinancialAccount", complete, country)


def sent(world: World, operation: str, row: Row) -> Row:
    """A row as the answer of an operation, in the names of the service."""
    model = OPERATIONS[operation].answer
    return world.translation.send_answer(model, presented(world.service, model, as_shown(row)))


def answer(world: World, operation: str, row: Row) -> Reply:
    """The answer of an operation that succeeded: its status and a row."""
    status = success(world.service, operation)
    if status == NO_CONTENT:
        return Reply(status)
    return Reply.json(status, sent(world, operation, row))


def success(service: Service, operation: str) -> int:
    """The status of a success."""
    return read_status_code(OPERATIONS[operation].success[0], service)


def presented(service: Service, model: str, row: Row) -> Row:
    """An object with its missing values as the service has them. Assumption `object.missing`."""
    missing = service.objects.missing
    if missing == "absent":
        return dict(without_null(row))
    if missing == "as_specified":
        return row
    with_absent = {**dict.fromkeys(answer_form(model).absent), **row}
    inside = (
        (name, kind) for name, kind in NESTED.items() if isinstance(with_absent.get(name), dict)
    )
    return {
        **with_absent,
        **{name: presented(service, kind, with_absent[name]) for name, kind in inside},
    }


def without_null(value: Any) -> Any:
    """The value without null fields and list items, at any depth."""
    if isinstance(value, list):
        return [without_null(item) for item in value if item is not None]
    if not isinstance(value, dict):
        return value
    return {key: without_null(item) for key, item in value.items() if item is not None}


def conversion_account(world: World, row: Row) -> Row:
    """A conversion account with the whole payout account inside."""
    account = world.tables["financial_accounts"].rows[row["_"]["payout_account_id"]]
    country = world.tables["individuals"].rows[account["_"]["owner"]]["country"]
    complete = {**as_shown(row), "payout_account": as_shown(account)}
    complete = presented(world.service, "ConversionAccount", complete)
    return world.translation.send_answer("ConversionAccount", complete, country)


def shown(world: World, kind: str, row: Row) -> Row:
    """A row as the operations of its kind return it."""
    if kind == "individuals":
        return individual_json(world, row)
    if kind == "conversion_accounts":
        return conversion_account(world, row)
    return sent(world, f"{kind}.get", row) if f"{kind}.get" in OPERATIONS else as_shown(row)


def existing(world: World, kind: str, row_id: object, words: str = "", status: int = 404) -> Row:
    """A row by its id, or a 404; `words` name it in the message."""
    row = world.find(kind, row_id)
    if row is None:
        raise RefusedError(status, f"{words or kind.removesuffix('s').replace('_', ' ')} not found")
    return row


def named_row(
    world: World, kind: str, row_id: object, words: str = "", status: int = 404
) -> Row | None:
    """The row that a body names; None if it names none, which the rules report."""
    if not isinstance(row_id, str) or not row_id.strip():
        return None
    return existing(world, kind, row_id, words, status)


def read_row(world: World, request: Request, kind: str) -> Reply:
    """Read the row that the path names."""
    return Reply.json(200, shown(world, kind, existing(world, kind, request.id)))


def image_list(row: Row) -> Row:
    """An individual's stored images, one per side."""
    return {"individual_id": row["id"], "images": list(row["_"]["images"].values())}


_WHOLE = re.compile(r"[0-9]{1,9}")


def page(
    world: World, request: Request, kind: str, fits: Callable[[Row], bool] | None = None
) -> Reply:
    """One page, of all rows or those that fit, in the envelope of its list.

    Assumptions `list.envelope`, `list.order`.
    """
    form = world.service.list(kind)
    table = world.tables[kind]
    if form.is_array:
        rows = filter(fits, table.listed())
        return Reply.json(200, [shown(world, kind, row) for row in rows])
    items = request.query_items()
    start = _place(items.get(form.cursor_parameter))
    limit = _limit(items.get(form.parameters.get("limit", "")), form)
    page_rows = list(islice(filter(fits, table.listed(start)), limit + 1))
    has_more = len(page_rows) > limit
    page_body: Row = {}
    set_value_at(page_body, form.items, [shown(world, kind, row) for row in page_rows[:limit]])
    if form.more != NONE:
        set_value_at(page_body, form.more, has_more)
    set_value_at(page_body, form.cursor, _cursor(page_rows[limit - 1]) if has_more else None)
    return Reply.json(200, page_body)


def _limit(text: str | None, form: ListForm) -> int:
    """From 1 to the largest page; assumption `page.limit`."""
    if text is None:
        return form.default_limit
    size = int(text) if _WHOLE.fullmatch(text) else 0
    if size > form.max_limit and form.over_limit == "cap":
        return form.max_limit
    if 1 <= size <= form.max_limit:
        return size
    message = f"must be a whole number from 1 to {form.max_limit}"
    problem = Problem(form.limit_parameter, message, "page.limit")
    raise RefusedError(400, str(problem), [problem])


def _place(cursor: str | None) -> Place | None:
    if cursor is None:
        return None
    try:
        position = paging.decode_cursor(cursor)
        timestamps.from_text(position["created_at"])
    except ValueError:
        raise CursorError from None
    return position["created_at"], position["id"]


def _cursor(row: Row) -> str:
    created_at, row_id = row_place(row)
    return paging.encode_cursor({"created_at": created_at, "id": row_id, "direction": "next"})
