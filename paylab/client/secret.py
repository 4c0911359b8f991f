"""A value that never shows itself by accident."""

from __future__ import annotations

from typing import Any, Self

from ..errors import ConfigError
from ..redaction import HIDDEN


class Secret:
    """A secret: prints as `***`, does not survive pickling, and speaks only to `reveal()`."""

    __slots__ = ("__text",)

    def __init__(self, text: str | None = None) -> None:
        self.__text = text

    @classmethod
    def of(cls, value: str | Secret) -> Secret:
        """The value as a secret, whether it is one already or not."""
        return value if isinstance(value, Secret) else cls(value)

    def reveal(self) -> str:
        """The secret itself; ConfigError when it was lost on the way through a pickle."""
        if self.__text is None:
            raise ConfigError("this secret was left behind when its settings were pickled")
        return self.__text

    def __repr__(self) -> str:
        return HIDDEN

    __str__ = __repr__

    def __format__(self, spec: str, /) -> str:
        return HIDDEN

    def __reduce__(self) -> tuple[type[Secret], tuple[()]]:
        return type(self), ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
