"""The bodies of requests in paylab's names, and the JSON of rows, in the names of the service."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice

from ..errors.base import Problem
from ..spec import paging, timestamps
from ..spec.answers import add_missing_values, drop_nulls
from ..spec.json_path import set_value_at
from ..spec.operations.records import OPERATIONS, answer_names
from ..spec.operations.refusals import read_status_code
from ..spec.request_body import RequestBody, read_request
from ..spec.service.lists import ListForm
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from ..spec.translation import Translation
from .messages import NO_CONTENT, CursorError, RefusedError, Reply, Request, raise_if_problems
from .table import INTERNALS, Position, Row, row_position
from .world import World


def read_body(world: World, request: Request, operation: str) -> RequestBody:
    """The body of an operation in paylab's names."""
    request_json = request.json(exact=world.service.amounts.requests == "number")
    return read_request(world.service, operation, request_json)


def refuse_if_problems(body: RequestBody, problems: Iterable[Problem], status: int = 400) -> None:
    """Refuse a body that has problems, with all of them in the service's names."""
    raise_if_problems(body.problems(problems), status)


def without_internals(row: Row) -> Row:
    """A row without the simulator's internal fields."""
    return {
        field_name: field_value
        for field_name, field_value in row.items()
        if field_name != INTERNALS
    }


def individual_json(world: World, row: Row) -> Row:
    """An individual with its accounts, without fields that have no value."""
    account_row_by_id = world.tables["financial_accounts"].rows
    accounts = [
        account_json(world, account_row_by_id[account_id])
        for account_id in row[INTERNALS]["accounts"]
    ]
    fields = {**without_internals(row), "financial_accounts": accounts}
    complete_fields = add_missing_values(world.service, "Individual", dict(drop_nulls(fields)))
    if world.service.is_default:  # saves time on each row of a page
        return complete_fields
    return answer_names("Individual", world.service).to_theirs(complete_fields)


def account_json(world: World, row: Row) -> Row:
    """A financial account, its details in the names of the service."""
    country = world.tables["individuals"].rows[row[INTERNALS]["owner"]]["country"]
    fields = add_missing_values(world.service, "FinancialAccount", without_internals(row))
    return Translation(world.service).write_answer("FinancialAccount", fields, country)


def answer_row(world: World, operation: str, row: Row) -> Row:
    """A row as the answer of an operation, in the names of the service."""
    model_name = OPERATIONS[operation].answer
    fields = add_missing_values(world.service, model_name, without_internals(row))
    return Translation(world.service).write_answer(model_name, fields)


def answer_reply(world: World, operation: str, row: Row) -> Reply:
    """The reply of an operation that succeeded: its status and a row."""
    status = success_status(world.service, operation)
    if status == NO_CONTENT:
        return Reply(status)
    return Reply.json(status, answer_row(world, operation, row))


def success_status(service: Service, operation: str) -> int:
    """The status of a success of an operation, such as 201."""
    return read_status_code(OPERATIONS[operation].success[0], service)


def conversion_account_json(world: World, row: Row) -> Row:
    """A conversion account with the whole payout account inside."""
    account_row = world.tables["financial_accounts"].rows[row[INTERNALS]["payout_account_id"]]
    # The fields of account details have other names in some countries of owners.
    country = world.tables["individuals"].rows[account_row[INTERNALS]["owner"]]["country"]
    fields = {**without_internals(row), "payout_account": without_internals(account_row)}
    fields = add_missing_values(world.service, "ConversionAccount", fields)
    return Translation(world.service).write_answer("ConversionAccount", fields, country)


def row_json(world: World, kind: str, row: Row) -> Row:
    """The JSON that the operations of its kind return for a row."""
    if kind == "individuals":
        return individual_json(world, row)
    if kind == "conversion_accounts":
        return conversion_account_json(world, row)
    operation_name = f"{kind}.get"
    if operation_name in OPERATIONS:
        return answer_row(world, operation_name, row)
    return without_internals(row)


def require_row(world: World, kind: str, row_id: object, noun: str = "") -> Row:
    """A row by its id. RefusedError with status 404 if there is none, in which `noun` names it."""
    row = world.find(kind, row_id)
    if row is None:
        noun = noun or kind.removesuffix("s").replace("_", " ")
        raise RefusedError(404, f"{noun} not found")
    return row


def find_named_row(world: World, kind: str, row_id: object, noun: str = "") -> Row | None:
    """The row that a body names.

    None if the body names none: the rules report this.
    """
    if not isinstance(row_id, str) or not row_id.strip():
        return None
    return require_row(world, kind, row_id, noun)


def read_row(world: World, request: Request, kind: str) -> Reply:
    """Read the row that the path names."""
    return Reply.json(200, row_json(world, kind, require_row(world, kind, request.id)))


def image_list_json(row: Row) -> Row:
    """An individual's stored images, one per side."""
    return {"individual_id": row["id"], "images": list(row[INTERNALS]["images"].values())}


PAGE_SIZE_PATTERN = re.compile(r"[0-9]{1,9}")


def list_page(
    world: World, request: Request, kind: str, is_listed: Callable[[Row], bool] | None = None
) -> Reply:
    """One page of all rows, or of those that `is_listed` is true for, in the list's envelope.

    Assumptions `list.envelope`, `list.order`.
    """
    list_form = world.service.list(kind)
    kind_table = world.tables[kind]
    # Without a condition, `filter` keeps all rows, since none of them is empty.
    if list_form.is_array:
        listed_rows = filter(is_listed, kind_table.list_rows())
        return Reply.json(200, [row_json(world, kind, page_row) for page_row in listed_rows])
    query_parameters = request.query_items()
    start_position = _read_cursor(query_parameters.get(list_form.cursor_parameter))
    row_limit = _read_limit(query_parameters.get(list_form.parameters.get("limit", "")), list_form)
    listed_rows = filter(is_listed, kind_table.list_rows(start_position))
    # One more than the page, to know whether it is the last one.
    first_rows = list(islice(listed_rows, row_limit + 1))
    has_more = len(first_rows) > row_limit
    page_rows = first_rows[:row_limit]
    next_cursor = _write_cursor(page_rows[-1]) if has_more else None
    row_objects = [row_json(world, kind, page_row) for page_row in page_rows]
    return Reply.json(200, _make_page(list_form, row_objects, next_cursor))


def _make_page(list_form: ListForm, row_objects: list[Row], next_cursor: str | None) -> Row:
    """The envelope of a page with its rows; another page follows if there is a next cursor."""
    page: Row = {}
    set_value_at(page, list_form.items, row_objects)
    if list_form.more != NONE:
        set_value_at(page, list_form.more, next_cursor is not None)
    set_value_at(page, list_form.cursor, next_cursor)
    return page


def _read_limit(limit_text: str | None, settings: ListForm) -> int:
    """The number of rows on a page. RefusedError for a wrong one; assumption `page.limit`."""
    if limit_text is None:
        return settings.default_limit
    # Text that is no number counts as 0, which is refused below.
    limit = int(limit_text) if PAGE_SIZE_PATTERN.fullmatch(limit_text) else 0
    if limit > settings.max_limit and settings.over_limit == "cap":
        return settings.max_limit
    if 1 <= limit <= settings.max_limit:
        return limit
    message = f"must be a whole number from 1 to {settings.max_limit}"
    problem = Problem(settings.limit_parameter, message, "page.limit")
    raise RefusedError(400, str(problem), [problem])


def _read_cursor(cursor: str | None) -> Position | None:
    """The position after which a page starts. None for the first page."""
    if cursor is None:
        return None
    try:
        cursor_position = paging.decode_cursor(cursor)
        timestamps.from_text(cursor_position["created_at"])
    except ValueError:
        raise CursorError from None
    return cursor_position["created_at"], cursor_position["id"]


def _write_cursor(last_row: Row) -> str:
    """The cursor of the page that follows a row."""
    created_at, row_id = row_position(last_row)
    return paging.encode_cursor({"created_at": created_at, "id": row_id, "direction": "next"})
