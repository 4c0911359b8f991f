"""Cleans a part of a notebook, HAR file or snapshot by rules, and reports what it removes."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from ..spec.text import JsonMapping, JsonObject
from .document_rules import is_harmless_number
from .encodings import decode_base64, decode_text
from .fields import DOCUMENT_NAME, has_share_token
from .key_names import KEY_NAME
from .placeholders import is_placeholder, is_stand_in
from .redaction import HEADERS
from .scrub_rules import (
    PDF,
    Rule,
    is_image_list,
    is_small_base64_image,
)
from .search import DOCUMENT_TYPES
from .text_cleaner import RULES, Report, TextCleaner

WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
ENCODINGS_MAX = 4
"""Encodings inside each other that are read."""
_NUMBER_NAME = re.compile(
    rf"document[._-]?numbers?|tax_?(?:id|number)|ssn|{DOCUMENT_NAME.pattern}", re.IGNORECASE
)
_PAIR_NAMES = ("name", "key", "header", "field")


class Cleaner:
    """Cleans any part of a document by rules, and reports what it removes.

    With `is_encoded`, a value that is Base64 of text is cleaned and encoded again, as a HAR file
    or a snapshot needs it.
    """

    def __init__(
        self,
        report: Report,
        rules: Sequence[Rule] = RULES,
        *,
        is_encoded: bool = False,
        depth: int = 0,
    ) -> None:
        """Make a cleaner; `depth` is how many encodings the text was inside of."""
        self._report = report
        self._rules = rules
        self._texts = TextCleaner(
            report, rules, self._find_secret_kind if depth < ENCODINGS_MAX else None
        )
        self.clean_text = self._texts.clean_text
        self.clean_pieces = self._texts.clean_pieces
        self._is_encoded = is_encoded
        self._depth = depth

    def clean(self, json_value: object) -> Any:
        """Copy a part of a document with marks in place of keys, document numbers and images."""
        if isinstance(json_value, str):
            return self._clean_whole_text(json_value)
        if isinstance(json_value, list):
            return self._clean_list(json_value)
        if isinstance(json_value, int) and abs(json_value) >= 10**6:  # may be a document number
            number_text = str(json_value)
            clean_text = self.clean_text(number_text)
            return json_value if clean_text == number_text else clean_text
        if isinstance(json_value, Mapping):
            return self._clean_object(json_value)
        return json_value

    def _clean_object(self, json_object: JsonMapping) -> JsonObject:
        """Clean an object, by the names of its members and by what they are together.

        Together they may be a document with a type and a number, a frame, a share token, or a pair
        of a name and a value.
        """
        kept_members = {
            member_name: member
            for member_name, member in json_object.items()
            if not self._must_be_dropped(member_name, member)
        }
        clean_members = {
            self.clean_text(member_name): self._clean_member(member_name, member, kept_members)
            for member_name, member in kept_members.items()
        }
        if str(clean_members.get("type")).lower() in DOCUMENT_TYPES:
            clean_members = self._remove_document_number(clean_members)
        if isinstance(clean_members.get("columns"), list) and "data" in clean_members:
            clean_members["data"] = self._clean_frame_rows(
                clean_members["columns"], clean_members["data"]
            )
        if has_share_token(clean_members):
            clean_members["token"] = self._remove_key(clean_members["token"])
        return self._clean_pair(clean_members)

    def _clean_whole_text(self, text: str) -> str:
        """Clean a text that is a whole value. It can be Base64 of a text."""
        clean_base64 = self._clean_encoded_text(text) if self._is_encoded else None
        return clean_base64 or self.clean_text(text)

    def _clean_encoded_text(self, base64_text: str) -> str | None:
        """Clean Base64 of a text: decode it, clean the text, and encode it again.

        None for a text that is not Base64 of a text.
        """
        if not re.fullmatch(r"[A-Za-z0-9+/_\s-]{16,}={0,2}\s*", base64_text):
            return None
        decoded_text = decode_text(decode_base64(base64_text))
        if decoded_text is None or self._depth >= ENCODINGS_MAX or not decoded_text.isprintable():
            return None
        return self._clean_decoded_text(base64_text, decoded_text)

    def _clean_decoded_text(self, base64_text: str, decoded_text: str) -> str:
        """Clean the text that was decoded from Base64, and encode it again if that changed it."""
        clean_text = self._make_inner_cleaner(self._report).clean(decoded_text)
        is_clean = clean_text == decoded_text
        return base64_text if is_clean else b64encode(clean_text.encode()).decode()

    def _make_inner_cleaner(self, report: Report) -> Cleaner:
        """Make a cleaner for text that was decoded from a text, one level deeper."""
        return Cleaner(report, self._rules, is_encoded=self._is_encoded, depth=self._depth + 1)

    def _clean_member(
        self, member_name: str, member: object, all_members: Mapping[str, object]
    ) -> Any:
        """Clean a member of an object by its name: the value of a key is removed whole.

        `all_members` are those of the object: an `encoding` beside `text` says that it is Base64.
        """
        if _is_key_name(member_name):
            return self._remove_key(member)
        if _NUMBER_NAME.fullmatch(member_name):
            return self._remove_number_value(member)
        is_encoded_body = member_name == "text" and all_members.get("encoding") == "base64"
        if is_encoded_body and isinstance(member, str):
            return self._clean_encoded_body(member)
        if member_name.lower() == "cookies" and isinstance(member, list):
            member = [self._remove_cookie_value(cookie) for cookie in member]
        clean_member = self.clean(member)
        if member_name == "document":
            return self._remove_document_number(clean_member)
        return clean_member

    def _remove_cookie_value(self, cookie: object) -> object:
        """Remove the value of a cookie of a HAR file."""
        if isinstance(cookie, Mapping) and "value" in cookie:
            return {**cookie, "value": self._remove_key(cookie["value"])}
        return cookie

    def _clean_encoded_body(self, base64_text: str) -> str:
        """Clean a body that a HAR file holds as Base64."""
        decoded_text = decode_text(decode_base64(base64_text))
        if decoded_text is None:
            return self.clean_text(base64_text)
        return self._clean_decoded_text(base64_text, decoded_text)

    def _remove_key(self, key_value: object) -> Any:
        """Remove a value that is a key, or the keys in a list; placeholders such as `***` stay."""
        if isinstance(key_value, list):
            return [self._remove_key(item) for item in key_value]
        if isinstance(key_value, Mapping) and isinstance(key_value.get("value"), str):
            return self.clean({**key_value, "value": self._remove_key(key_value["value"])})
        if not isinstance(key_value, str) or not key_value or is_stand_in(key_value):
            return self.clean(key_value)
        self._report("key", key_value)
        return "[removed: key]"

    def _clean_pair(self, json_object: JsonObject) -> JsonObject:
        """Clean the value of a pair such as `{"name": "X-API-Key", "value": "..."}` in a HAR file.

        Objects that are no pair, and pairs with a harmless name, are returned unchanged.
        """
        pair_value = json_object.get("value")
        pair_names = [
            pair_name
            for pair_name in map(json_object.get, _PAIR_NAMES)
            if isinstance(pair_name, str)
        ]
        if any(map(_NUMBER_NAME.fullmatch, pair_names)):
            if pair_value:
                return {**json_object, "value": self._remove_number_value(pair_value)}
            return json_object
        if not isinstance(pair_value, str) or is_placeholder(pair_value):
            return json_object
        if any(map(_is_key_name, pair_names)):
            return {**json_object, "value": self._remove_key(pair_value)}
        return json_object

    def _remove_document_number(self, document: object) -> Any:
        """Remove the members `number` and `numbers` of an identity document, at any depth."""
        if isinstance(document, list):
            return [self._remove_document_number(inner_part) for inner_part in document]
        if not isinstance(document, dict):
            return document
        return {
            member_name: self._remove_number_value(member)
            if member_name in ("number", "numbers")
            else self._remove_document_number(member)
            for member_name, member in document.items()
        }

    def _clean_frame_rows(self, columns: list[Any], frame_rows: object) -> Any:
        """Remove the document numbers from the rows of a data frame.

        The frame is JSON with `columns` and rows apart. The numbers stand in the columns that are
        named after a document.
        """
        number_column_indexes = {
            column_index
            for column_index, column_name in enumerate(columns)
            if _NUMBER_NAME.fullmatch(str(column_name))
        }
        if not number_column_indexes or not isinstance(frame_rows, list):
            return frame_rows
        return [self._clean_frame_row(row, number_column_indexes) for row in frame_rows]

    def _clean_frame_row(self, row: object, number_column_indexes: set[int]) -> object:
        """Remove the numbers in some columns, by index, of a row of a frame."""
        if not isinstance(row, list):
            return row
        return [
            self._remove_number_value(cell) if column_index in number_column_indexes else cell
            for column_index, cell in enumerate(row)
        ]

    def _remove_number_value(self, number_value: object) -> Any:
        """Remove the value of a field for a document number; examples and words stay.

        The value may be a column of a frame: an object with a cell for each row number.
        """
        if isinstance(number_value, dict) and number_value:
            are_all_digits = all(map(str.isdigit, number_value))
            if are_all_digits:
                return {
                    row_number: self._remove_number_value(cell)
                    for row_number, cell in number_value.items()
                }
        if isinstance(number_value, dict | bool | None):
            return self._remove_document_number(number_value)
        number_text = join_lines(number_value)
        is_removed = number_text.startswith("[removed")
        has_digits = any(map(str.isdigit, number_text))
        if is_removed or not has_digits or is_harmless_number(number_text):
            return self.clean(number_value)
        self._report("document number", number_text)
        return "[removed: document number]"

    def _clean_list(self, list_items: list[Any]) -> list[Any]:
        """Clean a list: a name and its value, the parts of one text, an image, or any items.

        The name and the value are those of a header, say; the image is a list of numbers.
        """
        is_key_with_name = len(list_items) == 2 and _is_key_name(list_items[0])
        if is_key_with_name:
            return [list_items[0], self._remove_key(list_items[1])]
        if len(list_items) >= 2 and all(isinstance(item, str) for item in list_items):
            clean_texts = self._clean_parts_of_text(list_items)
            if clean_texts is not None:
                return clean_texts
        if is_image_list(list_items):
            self._report("image", "")
            return ["[removed: image]"]
        # First the secrets in pieces over several items, then each item by itself.
        return [self.clean(item) for item in self._clean_neighbours(list_items)]

    def _clean_parts_of_text(self, texts: list[str]) -> list[str] | None:
        """Join texts that are parts of one text, clean it, and return it as a list.

        Lines are returned as lines. Other texts are parts only if a long secret reaches over them;
        they are returned as a single text. None if the texts are no parts: then each has to be
        cleaned by itself.
        """
        joined_text = "".join(texts)
        are_lines = all(text.endswith("\n") for text in texts[:-1])
        if not are_lines:
            clean_text = self._texts.clean_long_secrets(joined_text)
            has_secret_across = clean_text != joined_text
            return [self.clean_text(clean_text)] if has_secret_across else None
        clean_text = self.clean_text(joined_text)
        if clean_text == joined_text:
            return texts
        return [*filter(None, re.split(r"(?<=\n)", clean_text))]

    def _clean_neighbours(self, list_items: list[Any]) -> list[Any]:
        """Remove secrets that are cut into pieces across neighbouring items of a list.

        Texts and numbers are read as one text, first joined directly and then by spaces.
        """
        item_texts = [_scalar_text(list_item) for list_item in list_items]
        scalar_count = len(item_texts) - item_texts.count("\n")
        if scalar_count < 2:
            return list_items
        clean_texts = self.clean_pieces(self.clean_pieces(item_texts), " ")
        clean_items = []
        for list_item, item_text, clean_text in zip(
            list_items, item_texts, clean_texts, strict=True
        ):
            clean_items.append(list_item if item_text == clean_text else clean_text)
        return clean_items

    def _must_be_dropped(self, member_name: str, member: object) -> bool:
        """Whether a member has to be removed whole: widget state, a PDF or an image. Reports it."""
        has_widget_state = isinstance(member, Mapping) and WIDGET_STATE in member
        is_bitmap = member_name.startswith("image/") and not member_name.startswith("image/svg")
        if member_name == WIDGET_STATE or has_widget_state:
            self._report("widget state", "")
        elif member_name == PDF:
            self._report("PDF", "")
        elif is_bitmap and not is_small_base64_image(join_lines(member)):
            self._report("image", "")
        else:
            return False
        return True

    def _find_secret_kind(self, text: str) -> str | None:
        """The kind of the first secret in a decoded text, such as "key"; None without a secret."""
        secret_kinds: list[str] = []

        def record_kind(kind: str, _location: str) -> None:
            """Record the kind of a finding, in place of a report."""
            secret_kinds.append(kind)

        self._make_inner_cleaner(record_kind).clean(text)
        return next(iter(secret_kinds), None)


def join_lines(value: object) -> str:
    """The text of a value: a list of lines, as notebooks have it, is joined."""
    return "".join(map(str, value)) if isinstance(value, list) else str(value)


def _scalar_text(item: object) -> str:
    """Write a text or number as text; any other item as a line end, where every rule stops."""
    return str(item) if isinstance(item, str | int) and not isinstance(item, bool) else "\n"


def _is_key_name(member_name: object) -> bool:
    """Whether a name is the name of a key, such as "api_key", or of a header with a secret."""
    return isinstance(member_name, str) and (
        KEY_NAME.fullmatch(member_name) is not None or member_name.lower() in HEADERS
    )
