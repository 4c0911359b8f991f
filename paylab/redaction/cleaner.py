"""Cleans a part of a notebook, HAR file or snapshot by rules, and reports what it removes."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from .document_rules import is_harmless_number
from .encodings import decode_base64, decode_text
from .fields import DOCUMENT_NAME, has_share_token
from .key_names import KEY_NAME
from .redaction import HEADERS
from .scrub_rules import (
    PDF,
    Rule,
    is_image_list,
    is_placeholder,
    is_small_base64_image,
    is_stand_in,
)
from .search import DOCUMENT_TYPES
from .text_cleaner import RULES, Report, TextCleaner

WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
MOST_ENCODINGS = 4
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
        self._report = report
        self._rules = rules
        self._texts = TextCleaner(
            report, rules, self._find_kind if depth < MOST_ENCODINGS else None
        )
        self.text = self._texts.text
        self.pieces = self._texts.pieces
        self._is_encoded = is_encoded
        self._depth = depth

    def clean(self, value: object) -> Any:
        """A part of a document without what must not be shared."""
        if isinstance(value, str):
            return self._clean_whole_text(value)
        if isinstance(value, list):
            return self._clean_list(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**6:
            value_text = str(value)
            clean_text = self.text(value_text)
            return value if clean_text == value_text else clean_text
        if not isinstance(value, Mapping):
            return value
        items_kept = {
            name: item for name, item in value.items() if not self._must_be_dropped(name, item)
        }
        clean_items = {
            self.text(name): self._clean_member(name, item, items_kept)
            for name, item in items_kept.items()
        }
        if str(clean_items.get("type")).lower() in DOCUMENT_TYPES:
            clean_items = self._remove_document_number(clean_items)
        if isinstance(clean_items.get("columns"), list) and "data" in clean_items:
            clean_items["data"] = self._clean_frame_rows(
                clean_items["columns"], clean_items["data"]
            )
        if has_share_token(clean_items):
            clean_items["token"] = self._remove_key(clean_items["token"])
        return self._clean_named_value(clean_items)

    def _clean_whole_text(self, text: str) -> str:
        """A text that is a whole value."""
        if self._is_encoded and (clean := self._clean_encoded_text(text)):
            return clean
        return self.text(text)

    def _clean_encoded_text(self, text: str) -> str | None:
        """Base64 of a text, cleaned; the same if it is clean, None for other values."""
        if not re.fullmatch(r"[A-Za-z0-9+/_\s-]{16,}={0,2}\s*", text):
            return None
        body = decode_text(decode_base64(text))
        if body is None or self._depth >= MOST_ENCODINGS or not body.isprintable():
            return None
        clean_body = self._make_inner_cleaner(self._report).clean(body)
        return text if clean_body == body else b64encode(clean_body.encode()).decode()

    def _make_inner_cleaner(self, report: Report) -> Cleaner:
        """A cleaner of what is encoded in a text of this one."""
        return Cleaner(report, self._rules, is_encoded=self._is_encoded, depth=self._depth + 1)

    def _clean_member(
        self, member_name: str, member: object, other_members: Mapping[str, object]
    ) -> Any:
        """Clean the value of a name: hide document numbers, and the whole value of a key."""
        if _names_key(member_name):
            return self._remove_key(member)
        if _NUMBER_NAME.fullmatch(member_name):
            return self._remove_number_value(member)
        if (
            member_name == "text"
            and other_members.get("encoding") == "base64"
            and isinstance(member, str)
        ):
            return self._clean_encoded_body(member)
        if member_name.lower() == "cookies" and isinstance(member, list):
            member = [
                {**cookie, "value": self._remove_key(cookie["value"])}
                if isinstance(cookie, Mapping) and "value" in cookie
                else cookie
                for cookie in member
            ]
        clean_member = self.clean(member)
        return (
            self._remove_document_number(clean_member)
            if member_name == "document"
            else clean_member
        )

    def _clean_encoded_body(self, text: str) -> str:
        """Clean a body that a HAR file holds as Base64."""
        body = decode_text(decode_base64(text))
        if body is None:
            return self.text(text)
        clean_body = self._make_inner_cleaner(self._report).clean(body)
        return text if clean_body == body else b64encode(clean_body.encode()).decode()

    def _remove_key(self, key_value: object) -> Any:
        """A value without keys; placeholders stay."""
        if isinstance(key_value, list):
            return [self._remove_key(item) for item in key_value]
        if isinstance(key_value, Mapping) and isinstance(key_value.get("value"), str):
            return self.clean({**key_value, "value": self._remove_key(key_value["value"])})
        if not isinstance(key_value, str) or not key_value or is_stand_in(key_value):
            return self.clean(key_value)
        self._report("key", key_value)
        return "[removed: key]"

    def _clean_named_value(self, pair: dict[str, Any]) -> dict[str, Any]:
        """Clean a name/value pair, such as a header of a HAR file."""
        pair_value = pair.get("value")
        pair_names = [name for name in map(pair.get, _PAIR_NAMES) if isinstance(name, str)]
        if any(map(_NUMBER_NAME.fullmatch, pair_names)):
            return {**pair, "value": self._remove_number_value(pair_value)} if pair_value else pair
        if (
            not any(map(_names_key, pair_names))
            or not isinstance(pair_value, str)
            or is_placeholder(pair_value)
        ):
            return pair
        return {**pair, "value": self._remove_key(pair_value)}

    def _remove_document_number(self, clean_value: object) -> Any:
        """A document without its number, at any depth."""
        if isinstance(clean_value, list):
            return [self._remove_document_number(item) for item in clean_value]
        if not isinstance(clean_value, dict):
            return clean_value
        return {
            name: self._remove_number_value(item)
            if name in ("number", "numbers")
            else self._remove_document_number(item)
            for name, item in clean_value.items()
        }

    def _clean_frame_rows(self, columns: list[Any], frame_rows: object) -> Any:
        """The rows of a frame without the numbers below the name of a document."""
        hidden = {at for at, name in enumerate(columns) if _NUMBER_NAME.fullmatch(str(name))}
        if not hidden or not isinstance(frame_rows, list):
            return frame_rows
        return [
            [
                self._remove_number_value(item) if at in hidden else item
                for at, item in enumerate(row)
            ]
            if isinstance(row, list)
            else row
            for row in frame_rows
        ]

    def _remove_number_value(self, number_value: object) -> Any:
        """The value of a field for the number of a document; examples and words stay."""
        if (
            isinstance(number_value, dict) and number_value and all(map(str.isdigit, number_value))
        ):  # a column by row
            return {name: self._remove_number_value(item) for name, item in number_value.items()}
        if isinstance(number_value, dict | bool | None):
            return self._remove_document_number(number_value)
        number_text = (
            "".join(map(str, number_value)) if isinstance(number_value, list) else str(number_value)
        )
        if (
            number_text.startswith("[removed")
            or is_harmless_number(number_text)
            or not any(map(str.isdigit, number_text))
        ):
            return self.clean(number_value)
        self._report("document number", number_text)
        return "[removed: document number]"

    def _clean_list(self, list_items: list[Any]) -> list[Any]:
        """Clean a list; its texts count as one when they are lines or pieces of one text."""
        if len(list_items) == 2 and _names_key(list_items[0]):
            return [list_items[0], self._remove_key(list_items[1])]
        if len(list_items) >= 2 and all(isinstance(item, str) for item in list_items):
            joined = "".join(list_items)
            is_lines = all(item.endswith("\n") for item in list_items[:-1])
            if is_lines:
                clean_text = self.text(joined)
                return (
                    list_items
                    if clean_text == joined
                    else [*filter(None, re.split(r"(?<=\n)", clean_text))]
                )
            clean_text = self._texts.without_long(joined)
            if clean_text != joined:
                return [self.text(clean_text)]
        if is_image_list(list_items):
            self._report("image", "")
            return ["[removed: image]"]
        return [self.clean(item) for item in self._clean_neighbours(list_items)]

    def _clean_neighbours(self, list_items: list[Any]) -> list[Any]:
        """Items of which no secret is left when their texts and numbers are read in a row."""
        item_texts = [_scalar_text(item) for item in list_items]
        if len(item_texts) - item_texts.count("\n") < 2:
            return list_items
        clean_texts = self.pieces(self.pieces(item_texts), " ")
        return [
            item if text == clean_text else clean_text
            for item, text, clean_text in zip(list_items, item_texts, clean_texts, strict=True)
        ]

    def _must_be_dropped(self, member_name: str, member: object) -> bool:
        """Whether an entry is removed whole: widget state, or an image by its MIME type."""
        if member_name == WIDGET_STATE or (isinstance(member, Mapping) and WIDGET_STATE in member):
            self._report("widget state", "")
            return True
        if member_name != PDF and (
            not member_name.startswith("image/") or member_name.startswith("image/svg")
        ):
            return False
        if member_name != PDF and is_small_base64_image(join_lines(member)):
            return False
        self._report("PDF" if member_name == PDF else "image", "")
        return True

    def _find_kind(self, text: str) -> str | None:
        """The kind of the first secret in a decoded text."""
        secret_kinds: list[str] = []

        def note(kind: str, _: str) -> None:
            secret_kinds.append(kind)

        self._make_inner_cleaner(note).clean(text)
        return next(iter(secret_kinds), None)


def join_lines(value: object) -> str:
    """A text that may be a list of its lines."""
    return "".join(map(str, value)) if isinstance(value, list) else str(value)


def _scalar_text(scalar: object) -> str:
    return str(scalar) if isinstance(scalar, str | int) and not isinstance(scalar, bool) else "\n"


def _names_key(member_name: object) -> bool:
    return isinstance(member_name, str) and (
        KEY_NAME.fullmatch(member_name) is not None or member_name.lower() in HEADERS
    )
