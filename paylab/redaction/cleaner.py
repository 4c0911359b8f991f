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
            text = str(value)
            clean = self.text(text)
            return value if clean == text else clean
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
        clean = self._make_inner_cleaner(self._report).clean(body)
        return text if clean == body else b64encode(clean.encode()).decode()

    def _make_inner_cleaner(self, report: Report) -> Cleaner:
        """A cleaner of what is encoded in a text of this one."""
        return Cleaner(report, self._rules, is_encoded=self._is_encoded, depth=self._depth + 1)

    def _clean_member(self, name: str, value: object, other_members: Mapping[str, object]) -> Any:
        """Clean the value of a name: hide document numbers, and the whole value of a key."""
        if _names_key(name):
            return self._remove_key(value)
        if _NUMBER_NAME.fullmatch(name):
            return self._remove_number_value(value)
        if name == "text" and other_members.get("encoding") == "base64" and isinstance(value, str):
            return self._clean_encoded_body(value)
        if name.lower() == "cookies" and isinstance(value, list):
            value = [
                {**cookie, "value": self._remove_key(cookie["value"])}
                if isinstance(cookie, Mapping) and "value" in cookie
                else cookie
                for cookie in value
            ]
        clean = self.clean(value)
        return self._remove_document_number(clean) if name == "document" else clean

    def _clean_encoded_body(self, text: str) -> str:
        """Clean a body that a HAR file holds as Base64."""
        body = decode_text(decode_base64(text))
        if body is None:
            return self.text(text)
        clean = self._make_inner_cleaner(self._report).clean(body)
        return text if clean == body else b64encode(clean.encode()).decode()

    def _remove_key(self, value: object) -> Any:
        """A value without keys; placeholders stay."""
        if isinstance(value, list):
            return [self._remove_key(item) for item in value]
        if isinstance(value, Mapping) and isinstance(value.get("value"), str):
            return self.clean({**value, "value": self._remove_key(value["value"])})
        if not isinstance(value, str) or not value or is_stand_in(value):
            return self.clean(value)
        self._report("key", value)
        return "[removed: key]"

    def _clean_named_value(self, item: dict[str, Any]) -> dict[str, Any]:
        """Clean a name/value pair, such as a header of a HAR file."""
        value = item.get("value")
        names = [name for name in map(item.get, _PAIR_NAMES) if isinstance(name, str)]
        if any(map(_NUMBER_NAME.fullmatch, names)):
            return {**item, "value": self._remove_number_value(value)} if value else item
        if not any(map(_names_key, names)) or not isinstance(value, str) or is_placeholder(value):
            return item
        return {**item, "value": self._remove_key(value)}

    def _remove_document_number(self, clean: object) -> Any:
        """A document without its number, at any depth."""
        if isinstance(clean, list):
            return [self._remove_document_number(item) for item in clean]
        if not isinstance(clean, dict):
            return clean
        return {
            name: self._remove_number_value(item)
            if name in ("number", "numbers")
            else self._remove_document_number(item)
            for name, item in clean.items()
        }

    def _clean_frame_rows(self, columns: list[Any], rows: object) -> Any:
        """The rows of a frame without the numbers below the name of a document."""
        hidden = {at for at, name in enumerate(columns) if _NUMBER_NAME.fullmatch(str(name))}
        if not hidden or not isinstance(rows, list):
            return rows
        return [
            [
                self._remove_number_value(item) if at in hidden else item
                for at, item in enumerate(row)
            ]
            if isinstance(row, list)
            else row
            for row in rows
        ]

    def _remove_number_value(self, value: object) -> Any:
        """The value of a field for the number of a document; examples and words stay."""
        if isinstance(value, dict) and value and all(map(str.isdigit, value)):  # a column by row
            return {name: self._remove_number_value(item) for name, item in value.items()}
        if isinstance(value, dict | bool | None):
            return self._remove_document_number(value)
        text = "".join(map(str, value)) if isinstance(value, list) else str(value)
        if (
            text.startswith("[removed")
            or is_harmless_number(text)
            or not any(map(str.isdigit, text))
        ):
            return self.clean(value)
        self._report("document number", text)
        return "[removed: document number]"

    def _clean_list(self, items: list[Any]) -> list[Any]:
        """Clean a list; its texts count as one when they are lines or pieces of one text."""
        if len(items) == 2 and _names_key(items[0]):
            return [items[0], self._remove_key(items[1])]
        if len(items) >= 2 and all(isinstance(item, str) for item in items):
            joined = "".join(items)
            is_lines = all(item.endswith("\n") for item in items[:-1])
            if is_lines:
                clean = self.text(joined)
                return items if clean == joined else [*filter(None, re.split(r"(?<=\n)", clean))]
            clean = self._texts.without_long(joined)
            if clean != joined:
                return [self.text(clean)]
        if is_image_list(items):
            self._report("image", "")
            return ["[removed: image]"]
        return [self.clean(item) for item in self._clean_neighbours(items)]

    def _clean_neighbours(self, items: list[Any]) -> list[Any]:
        """Items of which no secret is left when their texts and numbers are read in a row."""
        texts = [_scalar_text(item) for item in items]
        if len(texts) - texts.count("\n") < 2:
            return items
        clean = self.pieces(self.pieces(texts), " ")
        return [
            item if text == clean_text else clean_text
            for item, text, clean_text in zip(items, texts, clean, strict=True)
        ]

    def _must_be_dropped(self, name: str, value: object) -> bool:
        """Whether an entry is removed whole: widget state, or an image by its MIME type."""
        if name == WIDGET_STATE or (isinstance(value, Mapping) and WIDGET_STATE in value):
            self._report("widget state", "")
            return True
        if name != PDF and (not name.startswith("image/") or name.startswith("image/svg")):
            return False
        if name != PDF and is_small_base64_image(join_lines(value)):
            return False
        self._report("PDF" if name == PDF else "image", "")
        return True

    def _find_kind(self, text: str) -> str | None:
        """The kind of the first secret in a decoded text."""
        kinds: list[str] = []

        def note(kind: str, _: str) -> None:
            kinds.append(kind)

        self._make_inner_cleaner(note).clean(text)
        return next(iter(kinds), None)


def join_lines(value: object) -> str:
    """A text that may be a list of its lines."""
    return "".join(map(str, value)) if isinstance(value, list) else str(value)


def _scalar_text(item: object) -> str:
    return str(item) if isinstance(item, str | int) and not isinstance(item, bool) else "\n"


def _names_key(name: object) -> bool:
    return isinstance(name, str) and (
        KEY_NAME.fullmatch(name) is not None or name.lower() in HEADERS
    )
