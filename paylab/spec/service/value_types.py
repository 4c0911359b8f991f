"""The types of settings: names, paths, numbers and lists of words, each with its limits.

A limit stands in the annotation of a field. pydantic calls its `check` when a file is loaded, and
its `schema` when the JSON Schema of the file is printed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

NONE = "none"
"""The place, name or path of what a service does not have."""

HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
TRANSPORT_HEADERS = frozenset(
    {
        *("host", "content-type", "content-length", "content-encoding", "transfer-encoding"),
        *("accept-encoding", "connection", "expect", "te", "upgrade"),
    }
)
"""The headers of the body and of the connection."""
MESSAGE_HEADERS = TRANSPORT_HEADERS | {
    *("authorization", "x-api-key", "x-date", "x-content-sha256", "x-nonce")
}
"""The same and those of the signature of a request."""

_NAME = r"[!-~](?:[ -~]{0,98}[!-~])?"
_WRONG_STEP = r"(?:^|\.)(?:[0-9]*|[^.]*\])(?:\.|$)"
"""A step of a dotted name that is empty, or that steps into a list; as a JSON Schema has it."""
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_PATH = r"(?:/(?:[A-Za-z0-9._~%!$&'()*+,;=:@-]|\{[a-z_]+\})+)+"


class Limit:
    """A limit of a value; `check` returns it, or raises ValueError that says what it must be."""

    kind: ClassVar[str]
    may_be_none: bool = False

    def check(self, value: object) -> Any:
        """Return the value as a Service has it; ValueError says what it must be."""
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        """The limit as a JSON Schema."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(self, core_schema: object, handler: object) -> dict[str, Any]:
        return self.schema()


@dataclass(frozen=True, eq=False, repr=False)
class NameLimit(Limit):
    """Printable text; "none" only if it `may_be_none`; dots step into objects if `is_nested`."""

    kind = "name"
    may_be_none: bool = False
    is_nested: bool = False

    def check(self, value: object) -> Any:
        """Return a name unchanged; "none" only if it `may_be_none`."""
        none_hint = f', or "{NONE}"' if self.may_be_none else ""
        if not isinstance(value, str) or not re.fullmatch(_NAME, value):
            raise ValueError(f"must be a name: 1 to 100 printable ASCII characters{none_hint}")
        if value == NONE and not self.may_be_none:
            raise ValueError("must be a name: 1 to 100 printable ASCII characters")
        if self.is_nested and value != NONE:
            _check_path_steps(value)
        return value

    def schema(self) -> dict[str, Any]:
        """A text with a pattern, and what `check` refuses beside it."""
        refused_schemas: list[dict[str, Any]] = [] if self.may_be_none else [{"const": NONE}]
        if self.is_nested:
            refused_schemas.append({"pattern": _WRONG_STEP})
        return _refuse({"type": "string", "pattern": f"^{_NAME}$"}, refused_schemas)


def _refuse(schema: dict[str, Any], refused_schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """A schema without the values of others."""
    return {**schema, "not": {"anyOf": refused_schemas}} if refused_schemas else schema


def _check_path_steps(path_text: str) -> None:
    """ValueError for a name with an empty step, or one that steps into a list."""
    steps = path_text.split(".")
    if any(step.isdigit() or step.endswith("]") for step in steps):
        raise ValueError("must not step into a list of objects: only objects hold single names")
    if not all(steps):
        raise ValueError("must have a name before and after each dot")


@dataclass(frozen=True, eq=False, repr=False)
class HeaderLimit(Limit):
    """The name of a header of HTTP that is not in `taken`; "none" only if it `may_be_none`."""

    kind = "name"
    taken: frozenset[str] = MESSAGE_HEADERS
    may_be_none: bool = False

    def check(self, value: object) -> Any:
        """Return a name of a header unchanged if the header has no other use."""
        none_hint = f', or "{NONE}"' if self.may_be_none else ""
        if not isinstance(value, str) or not HEADER_NAME.fullmatch(value) or len(value) > 100:
            raise ValueError(
                f'must be the name of a header: 1 to 100 letters, digits and "-"{none_hint}'
            )
        if value == NONE and not self.may_be_none:
            raise ValueError("must be the name of a header")
        if value.lower() in self.taken:
            raise ValueError(f"must be the name of a header that has no other use{none_hint}")
        return value

    def schema(self) -> dict[str, Any]:
        """A text with the pattern of a header's name, but not "none" if that is none."""
        name_schema = {"type": "string", "pattern": f"^{HEADER_NAME.pattern}$", "maxLength": 100}
        return _refuse(name_schema, [] if self.may_be_none else [{"const": NONE}])


@dataclass(frozen=True, eq=False, repr=False)
class CurrencyLimit(Limit):
    """One of `currencies` in capitals or small letters, or "none"."""

    kind = "name"
    currencies: Collection[str]
    may_be_none: bool = True

    @property
    def _words(self) -> tuple[str, ...]:
        """The words that are valid: each currency in both letter cases, and "none"."""
        return (*self.currencies, *map(str.lower, self.currencies), NONE)

    def check(self, value: object) -> Any:
        """Return a currency, in either letter case, or "none" unchanged."""
        if value not in self._words:
            raise ValueError(f"must be one of {', '.join(self._words)}")
        return value

    def schema(self) -> dict[str, Any]:
        """A text with the pattern of the known currencies."""
        return {"type": "string", "pattern": f"^(?:{'|'.join(self._words)})$"}


@dataclass(frozen=True, eq=False, repr=False)
class PathLimit(Limit):
    """A path that has the placeholders in `holds`, and perhaps those in `may_hold`."""

    kind = "path"
    holds: tuple[str, ...] = ()
    may_hold: tuple[str, ...] = ()
    may_be_none: bool = False

    def check(self, value: object) -> Any:
        """Return a valid path of an operation unchanged; "none" only if it `may_be_none`."""
        if self.may_be_none and value == NONE:
            return NONE
        example_ids = "".join(f"/{{{placeholder}}}" for placeholder in self.holds)
        requirement_text = f'must be a path such as "/v1/things{example_ids}"'
        none_hint = f', or "{NONE}" if there is no such operation' if self.may_be_none else ""
        if not isinstance(value, str) or not re.fullmatch(_PATH, value):
            raise ValueError(f"{requirement_text}{none_hint}")
        from urllib.parse import unquote  # not needed without a file

        if any(unquote(path_segment) in (".", "..") for path_segment in value.split("/")):
            raise ValueError(f'{requirement_text} without a "." or ".." between slashes{none_hint}')
        is_control_path = value.startswith("/_simulator")  # taken by the controls of a simulator
        if not self._has_its_placeholders(value) or is_control_path:
            placeholders = [f"{{{placeholder}}}" for placeholder in (*self.holds, *self.may_hold)]
            placeholder_hint = "without {...}"
            if placeholders:
                placeholder_hint = f"that holds {', '.join(placeholders)}"
            raise ValueError(f"{requirement_text} {placeholder_hint}{none_hint}")
        return value

    def _has_its_placeholders(self, path_text: str) -> bool:
        """Whether a path has all placeholders that it must have, no unknown one, and none twice."""
        placeholder_names = _PLACEHOLDER.findall(path_text)
        unique_names = {*placeholder_names}
        has_needed_names = unique_names >= {*self.holds}
        has_known_names = unique_names <= {*self.holds, *self.may_hold}
        return has_needed_names and has_known_names and len(unique_names) == len(placeholder_names)

    def schema(self) -> dict[str, Any]:
        """A text with the pattern of a path, and of each placeholder that it must hold."""
        none_pattern = f"|^{NONE}$" if self.may_be_none else ""
        patterns = [_PATH, *(rf".*\{{{placeholder}\}}.*" for placeholder in self.holds)]
        pattern_schemas = [{"pattern": f"^{pattern}${none_pattern}"} for pattern in patterns]
        known_names = "|".join([*self.holds, *self.may_hold])
        refused_pattern = rf"^/_simulator|\{{(?!(?:{known_names})\}})"
        path_schema = {"type": "string", "allOf": pattern_schemas}
        return _refuse(path_schema, [{"pattern": refused_pattern}])


@dataclass(frozen=True, eq=False, repr=False)
class IntegerLimit(Limit):
    """A whole number from `least` to `most`."""

    kind = "integer"
    least: int
    most: int

    def check(self, value: Any) -> Any:
        """Return a whole number within the limits unchanged; a boolean is none."""
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or not self.least <= value <= self.most:
            raise ValueError(f"must be a whole number from {self.least} to {self.most}")
        return value

    def schema(self) -> dict[str, Any]:
        """An integer with bounds."""
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True, eq=False, repr=False)
class IntegerListLimit(Limit):
    """A list of whole numbers from `least` to `most`."""

    kind = "integers"
    least: int
    most: int

    def check(self, value: object) -> Any:
        """Return a list of valid numbers as a tuple."""
        item_limit = IntegerLimit(self.least, self.most)
        if not isinstance(value, list | tuple):
            message = f"must be a list of whole numbers from {self.least} to {self.most}"
            raise ValueError(message)
        return tuple(item_limit.check(item) for item in value)

    def schema(self) -> dict[str, Any]:
        """An array of integers."""
        return {"type": "array", "items": IntegerLimit(self.least, self.most).schema()}


@dataclass(frozen=True, eq=False, repr=False)
class WordsLimit(Limit):
    """A list of words, no word twice; each one of `words` unless there are none."""

    kind = "words"
    words: tuple[str, ...] = ()

    def check(self, value: object) -> Any:
        """Return a list of valid words as a tuple."""
        requirement_text = "must be a list of words"
        if self.words:
            requirement_text += f", each one of {', '.join(self.words)}"
        if not isinstance(value, list | tuple):
            raise ValueError(requirement_text)
        for setting_word in value:
            if not isinstance(setting_word, str) or not re.fullmatch(_NAME, setting_word):
                raise ValueError(f"{requirement_text}: {setting_word!r} is none")
            if self.words and setting_word not in self.words:
                hint = _suggest_word(setting_word, self.words)
                raise ValueError(f"{requirement_text}: not {setting_word!r}{hint}")
        if len(set(value)) < len(value):
            raise ValueError("must not contain a word twice")
        return tuple(value)

    def schema(self) -> dict[str, Any]:
        """An array of words."""
        word_schema: dict[str, Any] = {"type": "string", "pattern": f"^{_NAME}$"}
        items_schema = {"type": "string", "enum": list(self.words)} if self.words else word_schema
        return {"type": "array", "items": items_schema, "uniqueItems": True}


def _suggest_word(wrong_word: str, known_words: Iterable[str]) -> str:
    """A hint at the nearest known word, such as " (is 'spei' meant?)"; "" if none is near."""
    from difflib import get_close_matches  # only for a wrong word

    nearest_words = get_close_matches(wrong_word, known_words)
    return f" (is {nearest_words[0]!r} meant?)" if nearest_words else ""


def find_placeholders(path: str) -> Collection[str]:
    """The names of the placeholders of a path: ["id"] for "/v1/transfers/{id}"."""
    return _PLACEHOLDER.findall(path)


Name = Annotated[str, NameLimit()]
OptionalName = Annotated[str, NameLimit(may_be_none=True)]
HeaderName = Annotated[str, HeaderLimit()]
DeliveryHeaderName = Annotated[str, HeaderLimit(TRANSPORT_HEADERS, may_be_none=True)]
Place = Annotated[str, NameLimit(is_nested=True)]
OptionalPlace = Annotated[str, NameLimit(may_be_none=True, is_nested=True)]
"""The dotted path of a value in an object, such as `error.message`, or "none"."""
Words = tuple[str, ...]
