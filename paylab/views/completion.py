"""Completion in a notebook of the words of a parameter or of a compared field, such as countries.

The completer of IPython knows the names of parameters, but not the values of a `Literal`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any, NamedTuple

from ..errors.annotations import evaluate_annotation
from ..errors.extras import extra_imports
from ..errors.type_words import find_literal_words
from ..light_dataclass import light_dataclass
from ..spec.resource import Resource

with extra_imports():
    from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult

_CLOSING = {")": "(", "]": "[", "}": "{"}
_CALLEE = re.compile(r"([^\W\d]\w*(?:\.\w+)*)\s*$")
_KEYWORD = re.compile(r"\s*(\w+)\s*=(?!=)")
_COMPARED = re.compile(
    r"([^\W\d]\w*(?:\.\w+)*)\.(\w+)\s*(?:[!=]=|(?:not\s+)?in\s*[\[({][^\])}]*)\s*$"
)
_QUOTE = re.compile(r"[rRuU]?('''|\"\"\"|'|\")")


@light_dataclass(frozen=True)
class Opening:
    """A bracket that is not closed: where it is, and where each item behind it begins."""

    bracket: str
    offset: int
    item_starts: tuple[int, ...]

    def with_next_item(self, item_start: int) -> Opening:
        """The bracket with one more item, after a comma."""
        return Opening(self.bracket, self.offset, (*self.item_starts, item_start))

    def with_moved_item(self, item_start: int) -> Opening:
        """The bracket whose last item begins later, after a comment."""
        return Opening(self.bracket, self.offset, (*self.item_starts[:-1], item_start))


@light_dataclass(frozen=True)
class Argument:
    """A text that is being typed as an argument: the name of the function, and which argument.

    `prefix` is the part of the text before the cursor.
    """

    callee: str
    position: int
    keyword: str | None
    prefix: str


@light_dataclass(frozen=True)
class ComparedField:
    """A text that is being typed as a value to compare a field with: `owner.name == "prefix`."""

    owner: str
    name: str
    prefix: str


def complete_values(
    context: CompletionContext, namespace: Mapping[str, object]
) -> SimpleMatcherResult:
    """The words of the argument or field at the cursor; none if it is not one of paylab."""
    lines_before = context.full_text.split("\n")[: context.cursor_line]
    source_text = "\n".join([*lines_before, context.text_until_cursor])
    known_words: list[str] = []
    typed_prefix = ""
    if compared_field := find_compared_field(source_text):
        known_words = find_field_words(compared_field, namespace)
        typed_prefix = compared_field.prefix
    elif argument := find_argument(source_text):
        known_words = find_argument_words(argument, namespace)
        typed_prefix = argument.prefix
    if not known_words:
        return SimpleMatcherResult(completions=[])
    matching_words = [word for word in known_words if word.lower().startswith(typed_prefix.lower())]
    completions = [SimpleCompletion(word, type="value") for word in matching_words]
    return SimpleMatcherResult(
        completions=completions, matched_fragment=typed_prefix, suppress=True, ordered=True
    )


def find_argument(source_text: str) -> Argument | None:
    """The argument whose text is being typed at the end of some code; None outside an argument.

    >>> find_argument('lab.individuals.create(country="M')
    Argument(callee='lab.individuals.create', position=0, keyword='country', prefix='M')
    """
    openings, quote_offset, quote_mark = _read_code_end(source_text)
    if quote_mark is None:
        return None
    if openings and _is_collection(openings[-1], source_text[:quote_offset]):
        openings.pop()  # the argument is a list of words, or a dict with words as keys
    if not openings or openings[-1].bracket != "(":
        return None
    call_opening = openings[-1]
    callee_match = _CALLEE.search(source_text[: call_opening.offset])
    if callee_match is None:
        return None
    argument_start = call_opening.item_starts[-1]
    keyword_match = _KEYWORD.match(source_text[argument_start:quote_offset])
    return Argument(
        callee_match[1],
        position=len(call_opening.item_starts) - 1,
        keyword=keyword_match[1] if keyword_match else None,
        prefix=source_text[quote_offset + len(quote_mark) :],
    )


def find_compared_field(source_text: str) -> ComparedField | None:
    """The field that is compared with the text at the end of some code; None without one.

    >>> find_compared_field('if person.status == "a')
    ComparedField(owner='person', name='status', prefix='a')
    """
    code_end = _read_code_end(source_text)
    if code_end.quote is None:
        return None
    comparison_match = _COMPARED.search(source_text[: code_end.quote_offset])
    if comparison_match is None:
        return None
    typed_prefix = source_text[code_end.quote_offset + len(code_end.quote) :]
    return ComparedField(comparison_match[1], comparison_match[2], typed_prefix)


def _is_collection(opening: Opening, source_text: str) -> bool:
    """Whether a bracket begins a list, a tuple or the keys of a dict at the end of some code."""
    if opening.bracket == "{":
        # A key: no colon follows the last comma.
        return ":" not in source_text[opening.item_starts[-1] :]
    # After a name, the bracket begins the arguments of a call, or an index.
    return not _CALLEE.search(source_text[: opening.offset])


class CodeEnd(NamedTuple):
    """What some code does not close: brackets, the outermost first, and a text at its end.

    `quote` is the quote before the text, and `quote_offset` its offset. If the code does not end
    inside a text, `quote` is None, and `quote_offset` the length of the code.
    """

    openings: list[Opening]
    quote_offset: int
    quote: str | None = None


def _read_code_end(source_text: str) -> CodeEnd:
    """Read some code to its end, and find the brackets and the text that it does not close.

    Comments and whole texts are skipped.
    """
    openings: list[Opening] = []
    offset = 0
    while offset < len(source_text):
        character = source_text[offset]
        quote_match = _QUOTE.match(source_text, offset)
        if character == "#":
            line_end = source_text.find("\n", offset)
            if line_end < 0:
                break
            if openings and not source_text[openings[-1].item_starts[-1] : offset].strip():
                # The comment is before the item, which begins on the next line.
                openings[-1] = openings[-1].with_moved_item(line_end)
            offset = line_end
        elif quote_match is not None:
            quote_mark = quote_match[1]
            text_end = _find_text_end(source_text, quote_match.end(), quote_mark)
            if text_end is None:
                return CodeEnd(openings, quote_match.end() - len(quote_mark), quote_mark)
            offset = text_end
        else:
            _update_openings(openings, character, offset)
            offset += 1
    return CodeEnd(openings, len(source_text))


def _update_openings(openings: list[Opening], character: str, offset: int) -> None:
    """Add a bracket that opens, remove one that is closed, or begin an item after a comma."""
    if character in "([{":
        openings.append(Opening(character, offset, (offset + 1,)))
    elif openings and openings[-1].bracket == _CLOSING.get(character):
        openings.pop()
    elif openings and character == ",":
        openings[-1] = openings[-1].with_next_item(offset + 1)


def _find_text_end(source_text: str, content_start: int, quote: str) -> int | None:
    """The offset after the closing quote of a text; None if the code ends before it.

    A text in one quote mark, not in three, also ends with its line, although it is not closed.
    """
    offset = content_start
    while offset < len(source_text):
        if source_text[offset] == "\\":
            offset += 2
        elif source_text.startswith(quote, offset):
            return offset + len(quote)
        elif source_text[offset] == "\n" and len(quote) == 1:
            return offset
        else:
            offset += 1
    return None


def find_field_words(field: ComparedField, namespace: Mapping[str, object]) -> list[str]:
    """The words of a field of a resource, in the order of their type."""
    owner_object = _find_object(field.owner.split("."), namespace)
    if not isinstance(owner_object, Resource) or field.name not in type(owner_object).model_fields:
        return []
    annotation = type(owner_object).model_fields[field.name].annotation
    return list(dict.fromkeys(find_literal_words(annotation)))


def find_argument_words(argument: Argument, namespace: Mapping[str, object]) -> list[str]:
    """The words of a parameter of a function of paylab, in the order of their type."""
    function = _find_function(argument.callee.split("."), namespace)
    if function is None:
        return []
    parameter = _find_parameter(argument, inspect.signature(function))
    if parameter is None:
        return []
    defining_module = inspect.unwrap(function).__module__  # not that of its decorator
    annotation = evaluate_annotation(parameter.annotation, defining_module)
    return list(dict.fromkeys(find_literal_words(annotation)))


def _find_function(dotted_names: list[str], namespace: Mapping[str, object]) -> Any:
    """The function of paylab with a dotted name; None if it names no function, or one of others."""
    found_object = _find_object(dotted_names, namespace)
    return found_object if callable(found_object) and _is_ours(found_object) else None


def _find_object(dotted_names: list[str], namespace: Mapping[str, object]) -> Any:
    """The object with a dotted name; None for an unknown name, or one inside other packages."""
    found_object = namespace.get(dotted_names[0])
    for attribute_name in dotted_names[1:]:
        if not _is_ours(found_object) or not hasattr(found_object, attribute_name):
            return None
        found_object = getattr(found_object, attribute_name)
    return found_object


def _is_ours(found_object: object) -> bool:
    """Whether a module, a function, or the class of an object is one of paylab."""
    module_name = getattr(found_object, "__module__", "")
    if isinstance(found_object, ModuleType):
        module_name = found_object.__name__
    return isinstance(module_name, str) and module_name.partition(".")[0] == "paylab"


def _find_parameter(argument: Argument, signature: inspect.Signature) -> inspect.Parameter | None:
    """The parameter that an argument is for; None if the function has none."""
    if argument.keyword is not None:
        return signature.parameters.get(argument.keyword)
    positional_parameters = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind not in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD)
    ]
    if argument.position < len(positional_parameters):
        return positional_parameters[argument.position]
    last_parameter = positional_parameters[-1] if positional_parameters else None
    if last_parameter is not None and last_parameter.kind == inspect.Parameter.VAR_POSITIONAL:
        return last_parameter  # `*args` takes all further arguments
    return None
