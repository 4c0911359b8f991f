"""The columns to read: those that a caller names, and those that are needed to choose rows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ..errors.base import Problem, RuleError
from ..errors.names import find_nearest_name
from ..spec.text import plain
from .columns import Schema, currency_of

ROW_COLUMNS = ("id", "status", "created_at", "updated_at")
"""Rows are chosen by these columns, besides those that a filter compares."""

CREATED = "created_at"
Names = str | Collection[str]


def read_columns(columns: Names | None, schema: Schema, *, extra: bool = False) -> list[str] | None:
    """The names of columns; RuleError also for one that is no column, unless there are `extra`."""
    column_names = read_names(columns)
    if column_names is not None and not extra:
        require_columns(column_names, schema.names)
    return column_names


def read_names(columns: Names | None) -> list[str] | None:
    """The names of columns, from a comma-separated text or a list; None for all of them.

    RuleError if there is no name, or one is repeated.
    """
    if columns is None:
        return None
    written_names = columns.split(",") if isinstance(columns, str) else columns
    column_names = [word.strip() if isinstance(columns, str) else word for word in written_names]
    if not any(column_names):
        raise RuleError([Problem("columns", "is empty: name a column, or leave it out for all")])
    if len(set(column_names)) < len(column_names):
        raise RuleError([Problem("columns", "has a name twice")])
    return column_names


def needed_columns(
    wanted: Collection[str] | None, known: Collection[str], more: Collection[str] = ()
) -> list[str]:
    """The known columns to read for those that are wanted, with the currencies of amounts."""
    if wanted is None:
        return list(known)
    require_columns(wanted, known)
    needed = {*wanted, *more, *filter(None, map(currency_of, wanted))}
    return [name for name in known if name in needed]


def require_columns(names: Collection[str], known: Collection[str]) -> None:
    """RuleError for a name that is not known."""
    problems = []
    for column_name in names:
        if column_name in known:
            continue
        nearest = find_nearest_name(str(column_name), known)
        hint = f"nearest: {nearest}" if nearest else f"columns: {', '.join(known)}"
        problems.append(Problem("columns", f"{plain(str(column_name), 60)!r} is no column; {hint}"))
    if problems:
        raise RuleError(problems)


def schema_for(
    schema: Schema, names: Collection[str] | None, compared: Collection[str] = ()
) -> Schema:
    """The schema with only the columns that are needed to choose rows and to sum these columns.

    `compared` are the columns that a filter compares. The currency of an amount is needed, too: a
    sum over several currencies gives a warning.
    """
    if names is None:
        return schema
    needed = {*names, *ROW_COLUMNS, *compared, *filter(None, map(currency_of, names))}
    columns = tuple(column for column in schema.columns if column.name in needed)
    return replace(schema, columns=columns, is_whole=False)


def chosen_schema(schema: Schema, names: Collection[str] | None) -> Schema:
    """The schema with exactly these columns, in this order."""
    if names is None:
        return schema
    columns = {column.name: column for column in schema.columns}
    return replace(schema, columns=tuple(columns[name] for name in names), is_whole=False)
