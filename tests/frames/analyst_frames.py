"""Small, precise and long amounts in a frame as the lists of the service have it."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext

import numpy as np
import pandas as pd
import polars as pl
import pytest

from paylab.frames import DecimalDtype
from paylab.frames.exact_frame import ExactFrame

D = Decimal
PLAIN = Context(prec=400)
SHORT = Context(prec=4)
SETS = {
    "small": ["10.25", "3.10", "-7.00", "0.05"],
    "18 decimals": ["10.250000000000000001", "3.1", "0.000000000000000007", "-2"],
    "30 digits": [
        "123456789012345678901234567890",
        "9999999999999999999999999999.75",
        "-5.5",
        "1000000000000000000000000000.25",
    ],
}
DAYS = pd.date_range("2026-01-01", periods=4, tz="UTC")
NAN = float("nan")
KEYS = ["x", "y", "x", "y"]
RATES = ["17.1", "17.2", "17.3", "17.4"]
FX = pd.DataFrame({"at": DAYS, "rate": pd.Series(RATES, dtype="decimal")})


def make_frame(values):
    """A frame with the amounts twice, a key, a day and a count."""
    amounts = pd.Series(values, dtype=DecimalDtype())
    return ExactFrame({"a": amounts, "b": amounts, "k": KEYS, "at": DAYS, "n": [1, 2, 3, 4]})


def flat(found):
    """A result as a list of values; a missing one is None."""
    if isinstance(found, pd.DataFrame):
        return [value for number in range(found.shape[1]) for value in flat(found.iloc[:, number])]
    if isinstance(found, dict):
        return [*found.values()]
    if isinstance(found, list | tuple):
        return [value for part in found for value in flat(part)]
    is_many = isinstance(found, pd.Series | pd.Index | pl.Series)
    values = found.ravel() if isinstance(found, np.ndarray) else found if is_many else [found]
    return [None if value is pd.NA or value is None else value for value in values]


def changed(owner, key, value):
    """A copy with another value at a place."""
    found = owner.copy()
    found.loc[key] = value
    return found


def check(ask, expect, kind):
    """Compare a result, computed in a short decimal context, with plain Decimal.

    No amount may have become a float.
    """
    values = [*map(D, SETS[kind])]
    frame = make_frame(values)
    with localcontext(PLAIN):
        expected = flat(expect(values))
    with localcontext(SHORT):
        found = flat(ask(frame["a"], frame))
    assert not any(isinstance(value, float) for value in found), found
    assert found == expected, f"{found}, and plain Decimal {expected}"


def failures(idioms, test):
    """What a test says of the idioms that fail it, by their names.

    One test for a table of idioms takes a small part of the time of one test each.
    """
    found = {}
    for idiom in idioms:
        try:
            test(idiom)
        except (Exception, pytest.fail.Exception) as error:
            found[idiom] = f"{type(error).__name__}: {error}"
    return found
