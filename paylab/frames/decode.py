"""Decode pages to a flat Arrow table of text, and read the next cursor.

Arrow's JSON reader decodes the pages that fit. Types are applied later to the text, which keeps
amounts exact; an export does not need types.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from ..errors.api import APIResponseError
from ..errors.base import ExactnessError, PagingError
from ..spec.paging import MOST_EMPTY, Page, Pager, read_page
from ..spec.text import plain
from .columns import Column, Schema

Fetch = Callable[["str | None"], bytes]
Row = dict[str, Any]
Tree = dict[str, Any]


def text_schema(schema: Schema) -> pa.Schema:
    """The Arrow schema of the flat table: all text."""
    return pa.schema([(name, pa.string()) for name in schema.names])


def text_table(
    rows: Sequence[Row], schema: Schema, *, extra: bool = False, start: int = 0
) -> pa.Table:
    """The rows as columns of text; `extra` appends a column for every unknown field.

    `start` is the number of the first row, for messages.
    """
    columns = {column.name: _text_column(rows, column, start) for column in schema.columns}
    if extra:
        columns |= _unknown_columns(rows, schema)
    return pa.table(columns)


def as_text(value: object) -> str | None:
    """A JSON value as text: text and numbers as sent, other values as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def path_tree(schema: Schema) -> Tree:
    """The columns as nested dicts in the shape of the service's objects."""
    root: Tree = {}
    for column in schema.columns:
        *parents, leaf = column.keys
        branch = root
        for parent in parents:
            branch = branch.setdefault(parent, {})
        branch[leaf] = column
    return root


def _text_column(rows: Sequence[Row], column: Column, start: int) -> pa.Array:
    values = _values(rows, column.keys)
    if column.kind == "list":
        values = [_joined(value) for value in values]
    try:
        return pa.array(values, pa.string())
    except (pa.ArrowException, UnicodeEncodeError):  # a number, a list, an unpaired surrogate
        _refuse_floats(values, column, start)
        return _text_array(values)


def _joined(value: object) -> object:
    words = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return ",".join(cast("list[str]", value)) if words else value


def _text_array(values: Sequence[object]) -> pa.Array:
    texts = map(as_text, values)
    return pa.array([text and text.encode("utf-8", "replace") for text in texts], pa.string())


def _values(rows: Sequence[Row], keys: Sequence[str]) -> Sequence[object]:
    values: Sequence[object] = rows
    if "*" in keys:
        at = keys.index("*")
        lists = _values(rows, keys[:at])
        inner = keys[at + 1 :]
        return [_values(each, inner) if isinstance(each, list) else None for each in lists]
    for key in keys:
        values = [value.get(key) if isinstance(value, dict) else None for value in values]
    return values


def _refuse_floats(values: Sequence[object], column: Column, start: int) -> None:
    if column.kind not in ("amount", "seconds"):
        return
    for row, value in enumerate(values, start):
        if isinstance(value, float):
            raise ExactnessError(
                f"{column.name}, row {row}: {value!r} is a float, not the text that was "
                "sent; parse the JSON with parse_float=Decimal"
            )


def _unknown_columns(rows: Sequence[Row], schema: Schema) -> dict[str, pa.Array]:
    shape, known = path_tree(schema), set(schema.names)
    columns: dict[str, list[object]] = {}
    for place, row in enumerate(rows):
        for name, value in _unknown(row, shape):
            free = f"extra.{name}" if name in known else name
            columns.setdefault(free, [None] * len(rows))[place] = value
    return {name: _text_array(values) for name, values in columns.items()}


def _unknown(row: Mapping[str, object], shape: Tree, at: str = "") -> Iterator[tuple[str, object]]:
    for key, value in row.items():
        branch = shape.get(key)
        if branch and isinstance(branch, dict) and isinstance(value, dict):
            yield from _unknown(value, branch, f"{at}{key}.")
        elif not isinstance(branch, Column) and value is not None:
            yield at + key, value


Unknown = Literal["error", "ignore"]
# Arrow's reader aborts the process at a null outside of objects.
BARE_NULL = re.compile(rb"\}\s*null")
TEXT = pa.string()


class MisfitWarning(UserWarning):
    """Pages have unknown fields or types; known fields are kept."""


@dataclass(frozen=True)
class PagePart:
    """Decoded pages: the rows, the number of rows per page, whether more follow, and the cursor."""

    table: pa.Table
    sizes: tuple[int, ...]
    more: bool
    cursor: str | None = None


class Decoder:
    """Decodes pages, as bytes or parsed JSON, in order; keeps the problems found."""

    def __init__(self, schema: Schema, *, extra: bool = False) -> None:
        self._schema, self._extra = schema, extra
        self._unknown: Unknown = "error"
        self.rows = self.pages = self._empty = 0

    def quick(self, pages: Sequence[object]) -> PagePart | None:
        """The pages as one table, in any thread; None if they need `decode`."""
        if self._extra or not self._schema.is_flat or not all(map(_is_safe, pages)):
            return None
        try:
            return _read_bytes(cast("Sequence[bytes]", pages), self._schema, self._unknown)
        except (pa.ArrowException, APIResponseError):
            return None

    def decode(self, pages: Sequence[object], quick: PagePart | None = None) -> PagePart:
        """The pages as one table of text; `quick` is the result of the method of that name."""
        whole, parts = quick or self.quick(pages), []
        for part in [whole] if whole else map(self._one, pages):
            self._count(part)
            parts.append(part)
        return PagePart(
            pa.concat_tables([part.table for part in parts], promote_options="default"),
            tuple(size for part in parts for size in part.sizes),
            parts[-1].more,
            parts[-1].cursor,
        )

    def _count(self, part: PagePart) -> None:
        """Count rows and pages; PagingError after too many empty pages in succession."""
        self.rows += part.table.num_rows
        for rows in part.sizes:
            self.pages += 1
            self._empty = 0 if rows else self._empty + 1
            if self._empty > MOST_EMPTY:
                raise PagingError(f"the list gave {self._empty} empty pages, and more follow")

    def _one(self, page: object) -> PagePart:
        part = self.quick([page])
        if not part and isinstance(page, bytes) and self._schema.is_flat and not self._extra:
            self._read_known_fields(page)
            part = self.quick([page])
        return part or self._slow(page)

    def _slow(self, page: object) -> PagePart:
        parsed = loads(page) if isinstance(page, bytes) else page
        rows = _rows(parsed, self.pages)
        table = text_table(rows, self._schema, extra=self._extra, start=self.rows)
        return PagePart(table, (len(rows),), *next_page(parsed, strict=isinstance(page, bytes)))

    def _read_known_fields(self, page: bytes) -> None:
        """Ignore unknown fields from now on: alone they do not slow down the other pages."""
        if self._unknown == "error":
            self._unknown = "ignore"
            rows, tree = _rows(loads(page), self.pages), path_tree(self._schema)
            names = plain(", ".join({name: 1 for row in rows for name, _ in _unknown(row, tree)}))
            found = f"the unknown fields {names}" if names else "unknown fields or types"
            message = (
                f"page {self.pages} of {self._schema.name} has {found}; "
                "known fields were read (extra=True keeps unknown fields)"
            )
            warnings.warn(message, MisfitWarning, stacklevel=2)


def _is_safe(page: object) -> bool:
    """Whether a page looks like one object: Arrow's reader must not find a bare null."""
    text = page.strip() if isinstance(page, bytes) else b""
    return text[:1] == b"{" and text[-1:] == b"}" and not BARE_NULL.search(text)


def _read_bytes(pages: Sequence[bytes], schema: Schema, unknown: Unknown) -> PagePart:
    """Read pages as lines of JSON with the known fields, all text; an error if they do not fit.

    Arrow reads without holding the GIL.
    """
    raw, tree = b"\n".join(pages), path_tree(schema)
    page = [("data", pa.list_(_type(tree))), ("has_next_page", pa.bool_()), ("cursor", TEXT)]
    table = pj.read_json(
        pa.BufferReader(raw),
        read_options=pj.ReadOptions(block_size=len(raw) + 1, use_threads=False),
        parse_options=pj.ParseOptions(
            explicit_schema=pa.schema(page), unexpected_field_behavior=unknown
        ),
    )
    lists = table["data"].combine_chunks()
    if len(lists) != len(pages) or lists.null_count or lists.values.null_count:
        raise pa.ArrowInvalid("a page without a list of objects")
    columns = dict(_leaves(lists.flatten(), tree))
    flat = pa.table({name: columns[name] for name in schema.names})
    flat.validate(full=True)  # the reader does not check that text is UTF-8
    return PagePart(flat, tuple(lists.value_lengths().to_pylist()), *following(pages[-1]))


def _leaves(rows: pa.StructArray, shape: Tree) -> Iterator[tuple[str, pa.Array]]:
    """The columns of objects of this shape by name, including nested ones."""
    for branch, values in zip(shape.values(), rows.flatten(), strict=True):
        if isinstance(branch, dict):
            yield from _leaves(values, branch)
        else:
            if branch.kind == "list" and values.values.null_count:
                raise pa.ArrowInvalid("a list with a null in it")
            yield branch.name, pc.binary_join(values, ",") if branch.kind == "list" else values


def _type(shape: Tree | Column) -> pa.DataType:
    if isinstance(shape, dict):
        return pa.struct([(key, _type(branch)) for key, branch in shape.items()])
    return pa.list_(TEXT) if shape.kind == "list" else TEXT


def _rows(page: object, number: int) -> list[Row]:
    data = page.get("data") if isinstance(page, dict) else page
    if not isinstance(data, list):
        raise APIResponseError(f"page {number} has no list of objects under `data`")
    for place, row in enumerate(data):
        if not isinstance(row, dict):
            raise APIResponseError(f"page {number}, item {place} is not an object: {row!r:.40}")
    return cast("list[Row]", data)


# Right before the closing brace of the outermost object, unescaped quotes belong to that object's
# own keys and values, whatever the text inside the rows is. All other cases use the JSON parser.
TAIL = re.compile(
    rb'\]\s*,\s*"has_next_page"\s*:\s*(true|false)\s*,\s*'
    rb'"cursor"\s*:\s*(?:null|"([ !#-\[\]-~]*)")\s*\}\s*\Z'
)
LONGEST = 4096  # longer than any usual tail


def following(body: bytes) -> tuple[bool, str | None]:
    """Whether another page follows, and its cursor."""
    tail = TAIL.search(body, max(0, len(body) - LONGEST)) if body[:1] == b"{" else None
    if tail is None:
        return next_page(loads(body))
    return tail[1] == b"true", None if tail[2] is None else tail[2].decode()


def bodies(fetch: Fetch, start: str | None = None) -> Iterator[bytes]:
    """Yield the pages of a list as bytes; PagingError for invalid cursors."""

    def page(cursor: str | None) -> Page[dict[str, bytes]]:
        body = fetch(cursor)
        return Page([{"body": body}], *following(body))

    for found in Pager(page, lambda item: item, start).raw_pages():
        yield found.data[0]["body"]


def next_page(page: object, *, strict: bool = True) -> tuple[bool, str | None]:
    """Whether another page follows a parsed page, and its cursor.

    Without `strict`, a bare list or an object with only `data` is the last page.
    """
    is_silent = not isinstance(page, dict) or not page.keys() & {"cursor", "has_next_page"}
    if is_silent and not strict:
        return False, None
    try:
        found = read_page(page)
    except ValueError as error:
        raise APIResponseError(f"a page of the list {error}") from None
    return found.has_next_page, found.cursor


def loads(body: bytes) -> object:
    """The body as JSON with exact numbers; APIResponseError when it is not JSON."""
    try:
        text = body.decode("utf-8-sig")
        return json.loads(text, parse_float=Decimal, parse_constant=_no_number)
    except (ValueError, ArithmeticError, RecursionError):
        pass  # raised below: the parser's error would contain the whole body
    raise APIResponseError("a page is not JSON")


def _no_number(word: str) -> object:
    raise ValueError(f"{word} is not JSON")
