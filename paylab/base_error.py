"""The base of all exceptions of paylab, and the problem of a request that some of them list."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as with_default
from traceback import format_exception
from typing import Any

FULL_TRACEBACK = "  All frames: import sys; print(sys.last_value.traceback())"


@dataclass(frozen=True)
class Problem:
    """A problem of a request.

    `field` is dotted (`document.number`, `financial_accounts.0.details.clabe`); `source` is
    "spec" for a rule of the spec, else the id of the assumption behind it. `key` is the
    setting of a service.toml that changes the rule, if there is one.
    """

    field: str
    message: str
    source: str = "spec"
    key: str = with_default(default="", compare=False, kw_only=True)

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


class PaylabError(Exception):
    """The base class of all exceptions of paylab.

    `hint` says what to try; it is also a note, which a plain traceback shows.
    """

    assumption: str | None = None
    """The id of the assumption behind a failed call, if any."""
    key: str | None = None
    """The key of a service.toml that changes the assumption."""
    doubts: tuple[Any, ...] = ()
    """The keys that may have to be set, each with the value that the service seems to use."""
    after_lost = False
    """Whether an earlier attempt may have been carried out."""

    call: Any = None
    """The attempt that failed, if it is known."""

    _hint: str | None = None

    @property
    def hint(self) -> str | None:
        """What to try, if anything is known."""
        return self._hint

    @hint.setter
    def hint(self, hint: str | None) -> None:
        notes: list[str] = getattr(self, "__notes__", [])
        if (old := self._noted()) in notes:
            notes.remove(old)
        self._hint = hint
        if new := self._noted():
            self.add_note(new)

    def _noted(self) -> str:
        """The hint as a line of a traceback."""
        return f"  Try: {self._hint}" if self._hint else ""

    def card(self) -> list[str]:
        """The lines to show in a terminal or a notebook."""
        lines = [f"{type(self).__name__}: {self}", *called(self.call)]
        return [*lines, f"  Try: {self.hint}"] if self.hint else lines

    def traceback(self) -> str:
        """The full traceback; a notebook shows only the card."""
        return "".join(format_exception(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # A subclass may take other arguments than the text, which is all that `args` has.
        return _restored, (type(self), self.args), vars(self)

    def _render_traceback_(self) -> list[str]:
        """Show the card instead of the traceback; called by IPython."""
        return [*self.card(), FULL_TRACEBACK]


def _restored(kind: type[PaylabError], args: tuple[Any, ...]) -> PaylabError:
    error = kind.__new__(kind)
    error.args = args
    return error


def called(call: Any) -> list[str]:
    """A line with the call and its number in the log."""
    if call is None:
        return []
    number = getattr(call, "number", 0)
    where = f" (number {number} in lab.calls)" if number else ""
    return [f"  Call: {call}{where}"]
