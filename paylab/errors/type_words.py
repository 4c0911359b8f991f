"""Types of annotations in the words of an error message."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

TYPE_WORDS: Mapping[Any, str] = MappingProxyType(
    {
        str: "text",
        bytes: "bytes",
        int: "a whole number",
        float: "a number",
        bool: "True or False",
        Decimal: "a Decimal",
        type(None): "None",
        Any: "an object",
        os.PathLike: "a path",
        Mapping: "a dict",
        dict: "a dict",
        Sequence: "a list",
        Iterable: "a list",
        Collection: "a list",
        Callable: "a function",
    }
)
_WORDS_BY_CLASS: Mapping[str, str] = MappingProxyType(
    {"Source": "lab.transfers or lab.conversions"}
)
"""What classes are, whose names do not say which object has them."""


def describe_type(annotation: object) -> str:
    """Write the type of an annotation in words.

    >>> describe_type(str | int | None)
    'text, a whole number or None'
    """
    type_names = list(dict.fromkeys(_describe_type_parts(annotation)))
    if len(type_names) == 1:
        return type_names[0]
    return f"{', '.join(type_names[:-1])} or {type_names[-1]}"


def with_article(noun: str) -> str:
    """Write a noun with its article.

    >>> with_article("Individual")
    'an Individual'
    """
    return f"an {noun}" if noun[:1] in "AEIOaeio" else f"a {noun}"


def find_literal_words(annotation: object) -> Iterator[str]:
    """Yield the texts of each `Literal` in a type.

    >>> list(find_literal_words(Literal["mxn", "php"] | str | None))
    ['mxn', 'php']
    """
    for type_argument in get_args(annotation):
        if get_origin(annotation) is not Literal:
            yield from find_literal_words(type_argument)
        elif isinstance(type_argument, str):
            yield type_argument


def _describe_type_parts(annotation: object) -> Iterable[str]:
    """Yield each type of a union and each value of a Literal, in words."""
    origin = get_origin(annotation)
    type_arguments = get_args(annotation)
    if origin in (Union, UnionType):
        takes_any_text = str in type_arguments
        for member_type in type_arguments:
            is_literal = get_origin(member_type) is Literal
            if takes_any_text and is_literal:
                continue  # `str` takes any text, so the words are not listed beside it
            yield from _describe_type_parts(member_type)
    elif origin is Literal:
        yield from map(repr, type_arguments)
    else:
        type_ = origin or annotation
        class_name = str(getattr(type_, "__name__", type_))
        class_words = _WORDS_BY_CLASS.get(class_name) or with_article(class_name)
        yield TYPE_WORDS.get(type_) or class_words
