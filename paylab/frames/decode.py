"""Decode pages to a flat Arrow table of text, and read the next cursor.

Arrow's JSON reader decodes the pages that fit. Types are applied later to the text, which keeps
amounts exact; an export does not need types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Literal, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from ..errors.api import APIResponseError
from ..errors.arguments import explain_arguments
from ..errors.base import PagingError, PaylabWarning, warn_caller
from ..spec.page import Page, read_page
from ..spec.paging import EMPTY_PAGES_MAX, Pager
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
TEXT_TYPE = pa.string()


class MisfitWarning(PaylabWarning):
    """Pages have unknown fields; known fields are kept."""


class Decoder:
    """Decodes pages, as bytes or parsed JSON, in order; keeps the problems found.

    Unknown fields are columns with `extra`, and one column of JSON with `as_json`.
    """

    def __init__(self, schema: Schema, *, extra: bool = False, as_json: bool = False) -> None:
        """Keep unknown fields as columns with `extra`, or together as JSON with `as_json`."""
        self._schema = schema
        self._extra = extra
        self._as_json = as_json
        self._unknown: Unknown = "error" if schema.is_whole else "ignore"
        self.rows = 0
        self.pages = 0
        self._empty_pages = 0  # in succession

    def decode_quickly(self, pages: Sequence[object]) -> PagePart | None:
        """The pages as one table, in any thread; None if they need `decode`."""
        if self._extra or not self._schema.is_flat or not all(map(_is_safe_for_arrow, pages)):
            return None
        byte_pages = cast("Sequence[bytes]", pages)  # only bytes are safe
        try:
            return _read_bytes(byte_pages, self._schema, self._unknown)
        except (pa.ArrowException, APIResponseError):
            return None

    def decode(self, pages: Sequence[object], quick_part: PagePart | None = None) -> PagePart:
        """The pages as one table of text; `quick_part` is what `decode_quickly` made of them."""
        part_of_all_pages = quick_part or self.decode_quickly(pages)
        page_parts = []
        # If one page does not fit, `decode_quickly` refuses all: then each is decoded alone.
        for page_part in (
            [part_of_all_pages] if part_of_all_pages else map(self._decode_page, pages)
        ):
            self._count_rows_and_pages(page_part)
            page_parts.append(page_part)
        tables = [page_part.table for page_part in page_parts]
        rows_per_page = tuple(chain.from_iterable(page_part.sizes for page_part in page_parts))
        last_part = page_parts[-1]
        return PagePart(
            pa.concat_tables(tables, promote_options="default"),
            sizes=rows_per_page,
            more=last_part.more,
            cursor=last_part.cursor,
        )

    def _count_rows_and_pages(self, page_part: PagePart) -> None:
        """Count rows and pages; PagingError after too many empty pages in succession."""
        self.rows += page_part.table.num_rows
        for row_count in page_part.sizes:
            self.pages += 1
            self._empty_pages = 0 if row_count else self._empty_pages + 1
            if self._empty_pages > EMPTY_PAGES_MAX:
                message = f"the list gave {self._empty_pages} empty pages, and more follow"
                raise PagingError(message)

    def _decode_page(self, page: object) -> PagePart:
        """The rows of one page, read by Arrow if it can, otherwise by Python."""
        if page_part := self.decode_quickly([page]):
            return page_part
        decoded_page = _parse_page(page, f"page {self.pages}")
        rows = decoded_page.data
        keeps_unknown_fields = self._extra or self._as_json
        if isinstance(page, bytes) and self._schema.is_flat and not keeps_unknown_fields:
            self._ignore_unknown_fields(rows)
        table = text_table(rows, self._schema, extra=self._extra, first_row=self.rows)
        if self._as_json:
            table = table.append_column(EXTRA, json_column(rows, self._schema))
        return PagePart(
            table, sizes=(len(rows),), more=decoded_page.has_next_page, cursor=decoded_page.cursor
        )

    def _ignore_unknown_fields(self, rows: Sequence[Row]) -> None:
        """Ignore unknown fields in these and the next pages; warn at the first page with some.

        Then Arrow's reader, which is faster, can read the next pages.
        """
        column_tree = path_tree(self._schema)
        field_names = [
            field_name for row in rows for field_name, _ in unknown_fields(row, column_tree)
        ]
        if not field_names or self._unknown == "ignore":
            return
        self._unknown = "ignore"
        unique_names_text = ", ".join(dict.fromkeys(field_names))
        message = (
            f"page {self.pages} of {self._schema.name} has the unknown fields "
            f"{plain(unique_names_text)}; known fields were read (extra=True keeps unknown fields)"
        )
        warn_caller(message, MisfitWarning)


def _is_safe_for_arrow(page: object) -> bool:
    """Whether a page is bytes of one object without a bare null in a list.

    At a bare null in a list, Arrow's reader aborts the process.
    """
    if not isinstance(page, bytes):
        return False
    json_bytes = page.strip()
    is_object = json_bytes.startswith(b"{") and json_bytes.endswith(b"}")
    return is_object and not BARE_NULL.search(json_bytes)


def _read_bytes(pages: Sequence[bytes], schema: Schema, unknown: Unknown) -> PagePart:
    """Read pages as lines of JSON with the known fields, all text; an error if they do not fit.

    Arrow reads without holding the GIL.
    """
    json_lines = b"\n".join(pages)
    column_tree = path_tree(schema)
    page_field_types = [
        ("data", pa.list_(_make_arrow_type(column_tree))),
        ("has_next_page", pa.bool_()),
        ("cursor", TEXT_TYPE),
    ]
    table = pj.read_json(
        pa.BufferReader(json_lines),
        # One block for all, because no page may be split between two.
        read_options=pj.ReadOptions(block_size=len(json_lines) + 1, use_threads=False),
        parse_options=pj.ParseOptions(
            explicit_schema=pa.schema(page_field_types), unexpected_field_behavior=unknown
        ),
    )
    row_list_column = table["data"].combine_chunks()
    if (
        len(row_list_column) != len(pages)
        or row_list_column.null_count
        or row_list_column.values.null_count
    ):
        raise pa.ArrowInvalid("a page without a list of objects")
    column_by_name = dict(_flatten_columns(row_list_column.flatten(), column_tree))
    text_table = pa.table(
        {column_name: column_by_name[column_name] for column_name in schema.names}
    )
    text_table.validate(full=True)  # the reader does not check that text is UTF-8
    rows_per_page = tuple(row_list_column.value_lengths().to_pylist())
    return PagePart(text_table, rows_per_page, *read_next_page(pages[-1]))


def _flatten_columns(objects: pa.StructArray, column_tree: Tree) -> Iterator[tuple[str, pa.Array]]:
    """Yield name and texts of each column of the objects, also of those in nested objects."""
    for branch, field_array in zip(column_tree.values(), objects.flatten(), strict=True):
        if isinstance(branch, dict):
            yield from _flatten_columns(field_array, branch)
        elif branch.kind != "list":
            yield branch.name, field_array
        elif field_array.values.null_count:
            raise pa.ArrowInvalid("a list with a null in it")
        else:
            yield branch.name, pc.binary_join(field_array, ",")


def _make_arrow_type(branch: Tree | Column) -> pa.DataType:
    """The Arrow type of a column in the pages, or of an object with such columns."""
    if isinstance(branch, dict):
        return pa.struct(
            [
                (field_name, _make_arrow_type(inner_branch))
                for field_name, inner_branch in branch.items()
            ]
        )
    return pa.list_(TEXT_TYPE) if branch.kind == "list" else TEXT_TYPE


# Right before the closing brace of the outermost object, unescaped quotes belong to that object's
# own keys and values, whatever the text inside the rows is. All other cases use the JSON parser.
TAIL = re.compile(
    rb'\]\s*,\s*"has_next_page"\s*:\s*(true|false)\s*,\s*'
    rb'"cursor"\s*:\s*(?:null|"([ !#-\[\]-~]*)")\s*\}\s*\Z'
)
TAIL_LENGTH_MAX = 4096  # longer than any usual tail


def read_next_page(page: bytes) -> tuple[bool, str | None]:
    """Whether another page follows, and its cursor, from the bytes of a page."""
    tail_match = None
    if page.startswith(b"{"):
        tail_match = TAIL.search(page, max(0, len(page) - TAIL_LENGTH_MAX))
    if tail_match is None:
        parsed_page = _parse_page(page)
        return parsed_page.has_next_page, parsed_page.cursor
    has_next_page, cursor = tail_match.groups()
    return has_next_page == b"true", None if cursor is None else cursor.decode()


@explain_arguments
def bodies(fetch: Fetch, start: str | None = None) -> Iterator[bytes]:
    """Yield the pages of a list as bytes; PagingError for invalid cursors."""

    def fetch_page(cursor: str | None) -> Page[dict[str, bytes]]:
        """The body at a cursor, as the only row of its page."""
        page_bytes = fetch(cursor)
        return Page([{"bytes": page_bytes}], *read_next_page(page_bytes))

    # The pager walks the cursors; for it, a page has one row, the bytes of the page.
    for page in Pager(fetch_page, lambda row: row, start).raw_pages():
        yield page.data[0]["bytes"]


def make_page(json_object: bytes) -> bytes:
    """A page with one row, the JSON of an object that was fetched alone."""
    return b'{"data":[' + json_object + b'],"has_next_page":false,"cursor":null}'


def _parse_page(page: object, page_name: str = "a page") -> Page[Row]:
    """The rows and cursor of a page.

    A page is bytes or parsed JSON. Parsed JSON may also be a bare list, or have only `data`.
    APIResponseError, with `page_name`, if it is no page.
    """
    try:
        if isinstance(page, bytes):
            return read_page(decode_json(page))
        return read_page(page, bare=True)
    except ValueError as error:
        raise APIResponseError(f"{page_name} of the list {error}") from None


def decode_json(json_bytes: bytes) -> object:
    """Decode JSON with exact numbers; APIResponseError if it is not JSON or repeats a key."""
    try:
        return EXACT_DECODER.decode(json_bytes.decode("utf-8-sig"))
    except RepeatedMemberError as error:
        reason_text = str(error)
    except (ValueError, ArithmeticError, RecursionError):
        reason_text = "is not JSON"
    # Raised outside of `except`: the parser's error, its context there, contains the whole page.
    raise APIResponseError(f"a page {reason_text}")
