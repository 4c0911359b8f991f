"""JSON text with exact numbers: fractions are read as Decimal and written as they were."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NoReturn


def read(text: bytes | str) -> Any:
    """The value of a JSON text; ValueError when it is not JSON, NaN and Infinity included."""
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=_refuse)
    except ArithmeticError:  # its exponent is larger than any that Decimal can hold
        raise ValueError("it holds a number that is too large") from None


def write(value: object) -> str:
    """The value as one line of ASCII; reading it gives an equal value."""
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, Mapping):
        members = (f"{json.dumps(str(name))}: {write(item)}" for name, item in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(write, value))}]"
    return json.dumps(value, allow_nan=False)


def _number(value: Decimal) -> str:
    if not value.is_finite():
        raise ValueError(f"{value} is not JSON")
    text = Decimal.__str__(value)
    # Without a point or an exponent it would be read as an int.
    return text if set(text) & {".", "E"} else f"{text}.0"


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
