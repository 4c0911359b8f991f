"""The controls of the journal: its requests, all its records, and the name of the test."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors.base import Problem
from ..journal.rows import journal_rows, request_rows
from .messages import RefusedError, Reply, Request, raise_if_problems
from .world import World


def list_requests(world: World, request: Request) -> Reply:
    """GET /_simulator/requests: the journal, oldest first.

    `after` is the number of the last request that the client knows.
    """
    after_number = read_after(request.query_items())
    rows_after = request_rows(world.journal, _find_secrets(world, request), after_number)
    return Reply.json(200, rows_after)


def _find_secrets(world: World, request: Request) -> set[str]:
    """The keys and secrets that a journal must not show."""
    secrets_by_key = {**world.secrets, **world.served_secrets, **(request.keys or {})}
    return {*secrets_by_key, *secrets_by_key.values()}


def read_journal(world: World, request: Request) -> Reply:
    """GET /_simulator/journal: requests, deliveries, events and controls in one sequence.

    `after` is the last sequence number that the client knows. With `raw=1`, requests also have
    both bodies as they came, in Base64.
    """
    query_parameters = request.query_items()
    raw_text = query_parameters.get("raw", "0")
    if raw_text not in ("0", "1"):
        raise RefusedError(400, "raw: must be 0 or 1")
    secrets = _find_secrets(world, request)
    all_rows = journal_rows(
        world.journal, secrets, read_after(query_parameters), raw=raw_text == "1"
    )
    return Reply.json(200, all_rows)


def name_test(world: World, request: Request) -> Reply:
    """POST /_simulator/test {"name", "expects"}: the test of all that follows."""
    fields = request.json()
    problems = [
        Problem(field_name, "is not known: name and expects are", "control")
        for field_name in fields
        if field_name not in ("name", "expects")
    ]
    for field_name in ("name", "expects"):
        if not isinstance(fields.get(field_name, ""), str):
            problems.append(Problem(field_name, "must be text", "control"))
    if "name" not in fields:
        problems.append(Problem("name", "is missing; an empty one ends the test", "control"))
    raise_if_problems(problems)
    world.journal.name_test(fields["name"], fields.get("expects", ""))
    return Reply.json(200, world.summary())


def read_after(query: Mapping[str, str]) -> int:
    """The number of the last entry that the client has. RefusedError if it is no number."""
    after_text = query.get("after", "0")
    is_number = after_text.isascii() and after_text.isdecimal()
    if not is_number:
        raise RefusedError(400, "after: must be a number")
    return int(after_text[:18])  # no journal is longer; more digits would only cost time to read
