"""Decode pages to a flat Arrow table of text, and read the next cursor.

Arrow's JSON reader decodes the pages that fit. Types are applied later to the text, which keeps
amounts exact; an export does not need types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from ..errors.api import APIResponseError
from ..errors.arguments import explain_arguments
from ..errors.base import PagingError, PaylabWarning, warn_caller
from ..spec.paging import EMPTY_PAGES_MAX, Page, Pager, read_page
from ..spec.text import EXACT_DECODER, RepeatedMemberError, plain
from .columns import Column, Schema
from .text_table import (
    EXTRA,
    PagePart,
    Row,
    Tree,
    json_column,
    path_tree,
    text_table,
    unknown_fields,
)

Fetch = Callable[["str | None"], bytes]


Unknown = Literal["error", "ignore"]
# Arrow's reader aborts the process at a null outside of objects.
BARE_NULL = re.compile(rb"\}\s*null")
TEXT = pa.string()


class MisfitWarning(PaylabWarning):
    """Pages have unknown fields; known fields are kept."""


class Decoder:
    """Decodes pages, as bytes or parsed JSON, in order; keeps the problems found.

    Unknown fields are columns with `extra`, and one column of JSON with `as_json`.
    """

    def __init__(self, schema: Schema, *, extra: bool = False, as_json: bool = False) -> None:
        self._schema = schema
        self._extra = extra
        self._as_json = as_json
        self._unknown: Unknown = "error" if schema.is_whole else "ignore"
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
        all_pages = quick or self.quick(pages)
        page_parts = []
        for page_part in [all_pages] if all_pages else map(self._decode_page, pages):
            self._count(page_part)
            page_parts.append(page_part)
        return PagePart(
            pa.concat_tables(
                [page_part.table for page_part in page_parts], promote_options="default"
            ),
            tuple(size for page_part in page_parts for size in page_part.sizes),
            page_parts[-1].more,
            page_parts[-1].cursor,
        )

    def _count(self, page_part: PagePart) -> None:
        """Count rows and pages; PagingError after too many empty pages in succession."""
        self.rows += page_part.table.num_rows
        for row_count in page_part.sizes:
            self.pages += 1
            self._empty = 0 if row_count else self._empty + 1
            if self._empty > EMPTY_PAGES_MAX:
                raise PagingError(f"the list gave {self._empty} empty pages, and more follow")

    def _decode_page(self, page: object) -> PagePart:
        if page_part := self.quick([page]):
            return page_part
        page_found = _read_page(page, f"page {self.pages}")
        keeps_all = self._extra or self._as_json
        if isinstance(page, bytes) and self._schema.is_flat and not keeps_all:
            self._ignore_unknown_fields(page_found.data)
        table = text_table(page_found.data, self._schema, extra=self._extra, start=self.rows)
        if self._as_json:
            table = table.append_column(EXTRA, json_column(page_found.data, self._schema))
        return PagePart(table, (len(page_found.data),), page_found.has_next_page, page_found.cursor)

    def _ignore_unknown_fields(self, rows: Sequence[Row]) -> None:
        """Ignore them from now on, with a warning, so that the next pages can be read quickly."""
        tree = path_tree(self._schema)
        unknown_names = {name: 1 for row in rows for name, _ in unknown_fields(row, tree)}
        if unknown_names and self._unknown == "error":
            self._unknown = "ignore"
            message = (
                f"page {self.pages} of {self._schema.name} has the unknown fields "
                f"{plain(', '.join(unknown_names))}; known fields were read "
                "(extra=True keeps unknown fields)"
            )
            warn_caller(message, MisfitWarning)


def _is_safe(page: object) -> bool:
    """Whether a page looks like one object: Arrow's reader must not find a bare null."""
    page_text = page.strip() if isinstance(page, bytes) else b""
    return page_text[:1] == b"{" and page_text[-1:] == b"}" and not BARE_NULL.search(page_text)


def _read_bytes(pages: Sequence[bytes], schema: Schema, unknown: Unknown) -> PagePart:
    """Read pages as lines of JSON with the known fields, all text; an error if they do not fit.

    Arrow reads without holding the GIL.
    """
    raw = b"\n".join(pages)
    tree = path_tree(schema)
    page = [
        ("data", pa.list_(_arrow_type_of(tree))),
        ("has_next_page", pa.bool_()),
        ("cursor", TEXT),
    ]
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
    columns = dict(_flatten_columns(lists.flatten(), tree))
    flat = pa.table({name: columns[name] for name in schema.names})
    flat.validate(full=True)  # the reader does not check that text is UTF-8
    return PagePart(flat, tuple(lists.value_lengths().to_pylist()), *read_next_page(pages[-1]))


def _flatten_columns(rows: pa.StructArray, shape: Tree) -> Iterator[tuple[str, pa.Array]]:
    """The columns of objects of this shape by name, including nested ones."""
    for branch, branch_values in zip(shape.values(), rows.flatten(), strict=True):
        if isinstance(branch, dict):
            yield from _flatten_columns(branch_values, branch)
        else:
            if branch.kind == "list" and branch_values.values.null_count:
                raise pa.ArrowInvalid("a list with a null in it")
            yield (
                branch.name,
                pc.binary_join(branch_values, ",") if branch.kind == "list" else branch_values,
            )


def _arrow_type_of(shape: Tree | Column) -> pa.DataType:
    if isinstance(shape, dict):
        return pa.struct([(key, _arrow_type_of(branch)) for key, branch in shape.items()])
    return pa.list_(TEXT) if shape.kind == "list" else TEXT


# Right before the closing brace of the outermost object, unescaped quotes belong to that object's
# own keys and values, whatever the text inside the rows is. All other cases use the JSON parser.
TAIL = re.compile(
    rb'\]\s*,\s*"has_next_page"\s*:\s*(true|false)\s*,\s*'
    rb'"cursor"\s*:\s*(?:null|"([ !#-\[\]-~]*)")\s*\}\s*\Z'
)
TAIL_LENGTH_MAX = 4096  # longer than any usual tail


def read_next_page(body: bytes) -> tuple[bool, str | None]:
    """Whether another page follows, and its cursor."""
    page_end = TAIL.search(body, max(0, len(body) - TAIL_LENGTH_MAX)) if body[:1] == b"{" else None
    if page_end is None:
        page = _read_page(body)
        return page.has_next_page, page.cursor
    return page_end[1] == b"true", None if page_end[2] is None else page_end[2].decode()


@explain_arguments
def bodies(fetch: Fetch, start: str | None = None) -> Iterator[bytes]:
    """Yield the pages of a list as bytes; PagingError for invalid cursors."""

    def page(cursor: str | None) -> Page[dict[str, bytes]]:
        body = fetch(cursor)
        return Page([{"body": body}], *read_next_page(body))

    for page_found in Pager(page, lambda item: item, start).raw_pages():
        yield page_found.data[0]["body"]


def _read_page(page: object, page_name: str = "a page") -> Page[Row]:
    """A page as bytes or parsed; only a parsed one may be a bare list or have only `data`."""
    try:
        if isinstance(page, bytes):
            return read_page(loads(page))
        return read_page(page, bare=True)
    except ValueError as error:
        raise APIResponseError(f"{page_name} of the list {error}") from None


def loads(body: bytes) -> object:
    """The body as JSON with exact numbers; APIResponseError when it is not JSON."""
    try:
        return EXACT_DECODER.decode(body.decode("utf-8-sig"))
    except RepeatedMemberError as error:
        reason = str(error)
    except (ValueError, ArithmeticError, RecursionError):
        reason = "is not JSON"  # raised below: the parser's error would contain the whole body
    raise APIResponseError(f"a page {reason}")
