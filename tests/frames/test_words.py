"""Words and names that no row has: a warning names the one that is meant, or there is none."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest
from analyst_frames import failures

from paylab import frames
from paylab.frames.exact_frame import ExactFrame

WORDS = {"status": ["completed", "failed"], "source_currency": ["USD", "EUR"]}


def make_rows():
    """Two transfers with words, as a list of the service has them."""
    columns = {name: pd.Categorical(words) for name, words in WORDS.items()}
    return ExactFrame({"id": ["tr_1", "tr_2"], **columns})


MEANT = {
    "misspelt status": (lambda f: f.status == "complete", "'completed' meant"),
    "other status": (lambda f: f.status != "faild", "'failed' meant"),
    "status among others": (lambda f: f.status.isin(["failed", "Completed"]), "'completed' meant"),
    "status in a query": (lambda f: f.query("status == 'complete'"), "'completed' meant"),
    "currency in another case": (lambda f: f.source_currency == "usd", "'USD' meant"),
    "similar column": (lambda f: f.reindex(columns=["id", "currency"]), "source_currency meant"),
}

SILENT = {
    "a status that no row has yet": lambda f: f.status == "expired",
    "a status of another service": lambda f: f.status == "quarantined",
    "a currency that no row has": lambda f: f.source_currency.isin(["GBP", "USD"]),
    "a misspelt currency": lambda f: f.source_currency == "EURO",
    "a word of text": lambda f: f.id == "TR_1",
    "missing": lambda f: f.status == None,  # noqa: E711 - as analysts write
    "two columns": lambda f: f.status == f.status,
    "a new column": lambda f: f.reindex(columns=["id", "status", "note"]),
}


def test_a_word_that_no_row_has_warns_and_names_the_one_that_is_meant():
    """The comparison is that of pandas, and the line is the caller's."""

    def check(idiom):
        ask, words = MEANT[idiom]
        with pytest.warns(frames.UnknownWordWarning, match=words) as caught:
            ask(make_rows())
        assert [warning.filename for warning in caught] == [__file__]

    columns = {name: MEANT[name] for name in MEANT if name != "similar column"}
    assert failures(columns, check) == {}
    with pytest.warns(frames.UnknownColumnWarning, match="source_currency meant"):
        assert MEANT["similar column"][0](make_rows())["currency"].isna().all()


def test_another_word_is_no_mistake():
    """What may be a word of the service, or a new name, does not warn."""

    def check(idiom):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            SILENT[idiom](make_rows())

    assert failures(SILENT, check) == {}


def test_objects_that_are_amounts_are_found_as_amounts():
    """Among objects, pandas looks up by hash, which finds neither a float nor text."""
    amounts = pd.Series(["1.10", "2.20"], dtype="decimal")
    objects = ExactFrame({"a": amounts})["a"].astype(object)
    assert objects.isin(["1.1"]).tolist() == [True, False]
    with pytest.warns(frames.FloatWarning):
        assert objects.isin([2.2]).tolist() == [False, True]
