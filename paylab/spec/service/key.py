"""A setting of a service under its dotted key, with what the reference says about it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args, get_origin

from ...light_dataclass import light_dataclass
from .frozen import FrozenDict
from .value_types import NONE, Limit, find_placeholders

Value = str | int | tuple[str, ...] | tuple[int, ...] | FrozenDict[Any]


@light_dataclass(frozen=True)
class SettingKey:
    """A setting: its dotted name, type, default and what the reference says about it.

    The default is None if the value is that of the key `base`. `words` are those of a `Literal`.
    `field` is the field of an account whose words it lists.
    """

    name: str
    annotation: Any
    default: Any
    question: str
    row: str
    origin: str
    others: tuple[Any, ...] = ()
    base: str = ""
    field: str = ""

    @property
    def limit(self) -> Limit | None:
        """The limit of its values; None for a `Literal`, which lists its values, and for tables."""
        limits = [
            annotation_part
            for annotation_part in annotation_parts(self.annotation)
            if isinstance(annotation_part, Limit)
        ]
        # The last is the outermost, which a setting has over the limit of a named type.
        return limits[-1] if limits else None

    @property
    def kind(self) -> str:
        """The kind of its values: word, name, path, integer, integers, words or table."""
        if self.limit is not None:
            return self.limit.kind
        return "word" if self.words else "table"

    @property
    def words(self) -> tuple[Any, ...]:
        """The values of a `Literal`; empty for any other type."""
        return literal_words(self.annotation)

    @property
    def optional(self) -> bool:
        """Whether "none" is a value: the service has no such thing."""
        return self.limit is not None and self.limit.may_be_none

    @property
    def example(self) -> Any:
        """The default, or the first other value if the default is None or "none"."""
        example_values = (self.default, *self.others)
        return next(
            example_value for example_value in example_values if example_value not in (None, NONE)
        )

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The names of the placeholders in a path: ("id",) for "/v1/transfers/{id}"."""
        return tuple(find_placeholders(str(self.example)))


def annotation_parts(annotation: object) -> tuple[Any, ...]:
    """A type and the metadata of its `Annotated`, inner ones first; an optional None is dropped.

    `Annotated[str, PathLimit()] | None` gives `(str, PathLimit())`.
    """
    if get_origin(annotation) is Annotated:
        base_type, *metadata = get_args(annotation)
        return (*annotation_parts(base_type), *metadata)
    union_types = get_args(annotation)
    types_without_none = [union_type for union_type in union_types if union_type is not type(None)]
    if len(types_without_none) == 1 and type(None) in union_types:
        return annotation_parts(types_without_none[0])
    return (annotation,)


def literal_words(annotation: object) -> tuple[Any, ...]:
    """The values of a type that is a `Literal`; empty for any other type."""
    base_type = annotation_parts(annotation)[0]
    return get_args(base_type) if get_origin(base_type) is Literal else ()
