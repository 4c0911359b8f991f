"""What is said where floats meet exact amounts."""

from __future__ import annotations

from ..errors.base import PaylabError, PaylabWarning, warn_caller

USE_DECIMAL = (
    'write a number in quotes, as Decimal("..."), or compute with floats: frame.paylab.floats()'
)
OBJECTS = (
    "pandas computes statistics and windows of amounts in a column of objects with floats: write "
    '.astype("decimal") first, which is exact, or .astype(float)'
)
MIXED = (
    "a column of objects has floats beside exact amounts: read the floats as text and write "
    '.astype("decimal"), or write .astype(float) for all'
)


class FloatWarning(PaylabWarning):
    """A float was compared with exact amounts."""


def warn_of_comparison(number: float) -> None:
    """Warn, at the line of the caller, that amounts are compared with a float."""
    message = (
        "exact amounts are compared with a float; it is taken as it is printed. Compare with "
        f'Decimal("{number}"), or with frame.paylab.floats()'
    )
    warn_caller(message, FloatWarning)


class ObjectColumnError(PaylabError):
    """A mean or window of a column of objects.

    Pandas would compute it with floats.
    """

    words = OBJECTS

    def __init__(self, _message: str = "") -> None:
        # pandas raises an error of a group again with a message of its own
        super().__init__(self.words)


class MixedColumnError(ObjectColumnError):
    """The largest value, or the order, of a column of objects with floats beside exact amounts."""

    words = MIXED
