"""Items: how lists are read, page by page."""

from __future__ import annotations

from collections.abc import Iterator

from .facts import RequestFacts
from .history import History
from .item import Item, Observation, Situation, note_right, note_wrong

GROWING = frozenset({"transfers.create", "conversion_accounts.create", "individuals.create"})
"""Operations of an integration that add rows to a list."""

GROWING_CONTROLS = frozenset({"objects_seeded", "transfers.create", "individuals.create"})
"""Controls that add rows to a list."""


def _is_answered_with_page(request: RequestFacts) -> bool:
    """Whether a request was answered with a page of a list."""
    return request.operation.endswith(".list") and "has_next_page" in request.answer


def _find_walks(history: History) -> Iterator[list[RequestFacts]]:
    """Yield the requests for the pages of each walk through a list, of two pages or more."""
    # By operation and cursor: each page answers with the cursor of the next one.
    pages_by_cursor: dict[tuple[str, str], list[RequestFacts]] = {}
    walks: list[list[RequestFacts]] = []
    for request in history.requests:
        if not _is_answered_with_page(request):
            continue
        cursor = str(request.query.get("cursor") or "")
        walk_pages = pages_by_cursor.get((request.operation, cursor), []) if cursor else []
        if not walk_pages:  # no page had its cursor: it begins a walk
            walks.append(walk_pages)
        walk_pages.append(request)
        next_cursor = request.answer.get("cursor")
        if next_cursor:
            pages_by_cursor[(request.operation, str(next_cursor))] = walk_pages
    yield from (walk_pages for walk_pages in walks if len(walk_pages) > 1)


def observe_pages(history: History) -> Iterator[Observation]:
    """Observe whether a list is read to its last page, with the same filters on each page."""
    for walk_pages in _find_walks(history):
        first_filters = _read_filters(walk_pages[0])
        changed_pages = [page for page in walk_pages if _read_filters(page) != first_filters]
        if changed_pages:
            difference_text = f"other filters than the first page, call {walk_pages[0].number}"
            yield note_wrong(changed_pages[0], difference_text)
        elif not walk_pages[-1].answer.get("has_next_page"):
            yield note_right(walk_pages[-1], f"the last of {len(walk_pages)} pages")


def _read_filters(page: RequestFacts) -> dict[str, object]:
    """The query parameters of a page besides its cursor and its size."""
    return {
        parameter_name: parameter_value
        for parameter_name, parameter_value in page.query.items()
        if parameter_name not in ("cursor", "limit")
    }


def observe_growing_lists(history: History) -> Iterator[Observation]:
    """Observe whether a list is read to its last page while rows are added."""
    for walk_pages in _find_walks(history):
        first_page = walk_pages[0]
        last_page = walk_pages[-1]
        if last_page.answer.get("has_next_page"):
            continue
        is_added_by_request = any(
            request.operation in GROWING and request.is_ok
            for request in history.between(first_page, last_page)
        )
        is_added_by_control = any(
            first_page.sequence < control_note.sequence < last_page.sequence
            and control_note["control"] in GROWING_CONTROLS
            for control_note in history.notes
        )
        if is_added_by_request or is_added_by_control:
            yield note_right(
                last_page, f"the last of {len(walk_pages)} pages; rows were added meanwhile"
            )


def observe_dead_cursor(history: History) -> Iterator[Observation]:
    """Observe whether a list is read from its beginning after a cursor that is refused."""
    for request in history.requests:
        cursor = request.query.get("cursor")
        if not cursor or request.status != 400:
            continue
        later_requests = [
            list_reading
            for list_reading in history.of(request.operation)
            if list_reading.sequence > request.sequence and list_reading.scope == request.scope
        ]
        if not later_requests:
            continue
        next_request = later_requests[0]
        if next_request.query.get("cursor") == cursor:
            observation_text = f"the cursor of call {request.number} again, which was refused"
            yield note_wrong(next_request, observation_text)
        elif "cursor" not in next_request.query:
            yield note_right(next_request, f"from the beginning after call {request.number}")


ITEMS = (
    Item(
        "lists.pages",
        "Lists are read to the last page, with the same filters",
        "has_next_page says whether there is another page; cursor is null when there is none.",
        "spec: GET /v1/transfers",
        "Seed 130 transfers and read them all: seed(transfers=130).",
        needs="lists",
        observe=observe_pages,
        situation=Situation("read all transfers", seed=130),
    ),
    Item(
        "lists.growing",
        "Lists are read to the last page while rows are added",
        "A page never repeats or skips a row when rows are added.",
        "list.order",
        "Create a transfer between two pages.",
        needs="lists",
        observe=observe_growing_lists,
        situation=Situation(
            "read all transfers",
            # Pages that come at once are all read before a row can be added between two.
            {"kind": "custom", "operation": "transfers.list", "delay": 1, "times": 20},
            seed=130,
            after="transfers.list",
            grows=True,
        ),
    ),
    Item(
        "lists.dead-cursor",
        "A cursor that is refused leads back to the beginning",
        "Error 400 when cursor is not a valid token from an earlier response.",
        "spec: GET /v1/transfers",
        'Refuse a cursor: faults.on("transfers.list", "bad_cursor", times=1).',
        needs="lists",
        observe=observe_dead_cursor,
        holds_under_faults=True,
        situation=Situation(
            "read all transfers", {"kind": "bad_cursor", "operation": "transfers.list"}, seed=130
        ),
    ),
)
