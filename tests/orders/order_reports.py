"""What a call reported: the payment, the error and what was visible; compared with a few words."""

import contextlib
import io
import warnings
from dataclasses import dataclass

import pandas as pd

from paylab import PaylabError


@dataclass
class Report:
    """The end of one call."""

    id: str | None = None
    replayed: bool | None = None
    error: str = ""
    visible: str = ""
    status: str | None = None

    def check(self, expected):
        """Compare with `paid ID`, `repeated ID`, `same ID` or `error WORD WORD ...`.

        `paid` is a new payment, `repeated` one with a notice, `same` either; `kept ID` is the
        payment or any error. An error has every word.
        """
        kind, *words = expected.split()
        if kind == "kept" and self.error:
            return
        if kind == "error":
            assert self.error, f"no error, but {self.id} (replayed: {self.replayed})"
            lacking = [word for word in words if word.lower() not in self.error.lower()]
            assert not lacking, f"{lacking} missing in: {self.error}"
            return
        assert not self.error, self.error
        assert not words or self.id == words[0]
        if kind == "paid":
            assert not self.replayed, "a new payment is called a repetition"
        if kind == "repeated":
            assert self.replayed, "a repetition is called a new payment"
            assert words[0] in self.visible, f"the notice does not name it: {self.visible!r}"
            assert "new=" in self.visible, f"the notice lacks new=: {self.visible!r}"


@contextlib.contextmanager
def visible_text():
    """Collect what is printed or warned, as a list with one text at the end."""
    texts = []
    printed = io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        try:
            yield texts
        finally:
            texts.append("\n".join([printed.getvalue(), *(str(item.message) for item in caught)]))


def report(call, **arguments):
    """Call, and return what was reported; any error but those of paylab is a fault."""
    result = None
    error = ""
    with visible_text() as texts:
        try:
            result = call(**arguments)
        except PaylabError as raised:
            error = "\n".join([str(raised), *getattr(raised, "__notes__", ())])
            assert error
    if isinstance(result, dict):
        return Report(result.get("id"), None, error, texts[0], result.get("status"))
    fields = [getattr(result, name, None) for name in ("id", "replayed")]
    return Report(*fields, error, texts[0], getattr(result, "status", None))


@dataclass
class BatchReport:
    """The rows of one batch, or the error that stopped it."""

    rows: list
    error: str
    visible: str

    @property
    def outcomes(self):
        """The outcome of each row, in their order."""
        return [row["outcome"] for row in self.rows]

    @property
    def ids(self):
        """The payment of each row, in their order; None for a row without one."""
        return [None if pd.isna(row["id"]) else row["id"] for row in self.rows]

    def check(self, expected):
        """Compare with `error WORD ...` or the outcomes of the rows, separated by commas."""
        if expected.startswith("error"):
            text = self.error or "\n".join(str(row) for row in self.rows)
            lacking = [word for word in expected.split()[1:] if word.lower() not in text.lower()]
            assert not lacking, f"{lacking} missing in: {text}"
            assert self.error or "created" not in self.outcomes, self.outcomes
            return
        assert not self.error, self.error
        assert self.outcomes == expected.split(", ")


def batch_report(lab, payouts, **options):
    """Send a batch of dicts and return what was reported."""
    frame = None
    error = ""
    with visible_text() as texts:
        try:
            frame = lab.transfers.create_many(pd.DataFrame(payouts), **options)
        except PaylabError as raised:
            error = "\n".join([str(raised), *getattr(raised, "__notes__", ())])
            assert error
    rows = [] if frame is None else frame.reset_index().to_dict("records")
    assert frame is None or len(rows) == len(payouts), "not exactly one row per payout"
    return BatchReport(rows, error, texts[0])
