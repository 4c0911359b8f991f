"""The columns to read: those that a caller names, and those that are needed to choose rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from ..errors.base import OptionError, Problem
from ..errors.suggestions import find_misspelt_word, find_suggestion
from ..spec.text import plain
from .columns import Schema, find_currency_column

ROW_COLUMNS = ("id", "status", "created_at", "updated_at")
"""The columns that are always read to choose rows, besides those that a filter compares."""

CREATED = "created_at"
Names = str | Collection[str]


def read_columns(columns: Names | None, schema: Schema, *, extra: bool = False) -> list[str] | None:
    """The names of columns; OptionError also for one that is none, unless there are `extra`."""
    column_names = read_names(columns)
    if column_names is not None and not extra:
        require_columns(column_names, schema.names)
    return column_names


def read_names(columns: Names | None) -> list[str] | None:
    """The names of columns, from a comma-separated text or a list; None for all of them.

    OptionError if there is no name, or one is repeated.
    """
    if columns is None:
        return None
    if isinstance(columns, Mapping):
        advice_text = "name them, and write .rename(columns={...}) for other names"
        raise OptionError([Problem("columns", f"is a dict: {advice_text}")])
    column_names = list(columns)
    if isinstance(columns, str):
        column_names = [written_name.strip() for written_name in columns.split(",")]
    if not any(column_names):
        raise OptionError([Problem("columns", "is empty: name a column, or leave it out for all")])
    if len(set(column_names)) < len(column_names):
        raise OptionError([Problem("columns", "has a name twice")])
    return column_names


def needed_columns(
    wanted_names: Collection[str] | None,
    known_names: Collection[str],
    added_names: Collection[str] = (),
) -> list[str]:
    """The known columns to read for those that are wanted, with the currencies of amounts.

    All of them if none are named; `added_names` are read in any case. OptionError for a name that
    is not known.
    """
    if wanted_names is None:
        return list(known_names)
    require_columns(wanted_names, known_names)
    currency_names = filter(None, map(find_currency_column, wanted_names))
    needed_names = {*wanted_names, *added_names, *currency_names}
    return [known_name for known_name in known_names if known_name in needed_names]


def require_columns(column_names: Collection[str], known_names: Collection[str]) -> None:
    """OptionError for a name that is not known; it suggests the one that is meant."""
    problems = []
    for column_name in column_names:
        if column_name in known_names:
            continue
        wrong_name = str(column_name)
        suggested_name = find_suggestion(wrong_name, known_names) or find_misspelt_word(
            wrong_name, known_names
        )
        hint_text = (
            f"is {suggested_name} meant?"
            if suggested_name
            else f"columns: {', '.join(known_names)}"
        )
        problems.append(
            Problem("columns", f"{plain(str(column_name), 60)!r} is no column; {hint_text}")
        )
    if problems:
        raise OptionError(problems)


def schema_for(
    schema: Schema, column_names: Collection[str] | None, compared_names: Collection[str] = ()
) -> Schema:
    """The schema with only the columns that are needed to choose rows and to sum these columns.

    `compared_names` are the columns that a filter compares. The currency of an amount is needed,
    too: a sum over several currencies gives a warning.
    """
    if column_names is None:
        return schema
    currency_names = filter(None, map(find_currency_column, column_names))
    needed_names = {*column_names, *ROW_COLUMNS, *compared_names, *currency_names}
    columns = tuple(
        schema_column for schema_column in schema.columns if schema_column.name in needed_names
    )
    return replace(schema, columns=columns, is_whole=False)


def chosen_schema(schema: Schema, column_names: Collection[str] | None) -> Schema:
    """The schema with exactly these columns, in this order."""
    if column_names is None:
        return schema
    column_by_name = {schema_column.name: schema_column for schema_column in schema.columns}
    columns = tuple(column_by_name[column_name] for column_name in column_names)
    return replace(schema, columns=columns, is_whole=False)
