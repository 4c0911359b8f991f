"""The base of all exceptions, the problem of a request, and the errors without an answer."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from ..light_dataclass import light_dataclass
from .cards import CardError, fold_lines
from .text import printable_lines


@light_dataclass(frozen=True)
class Problem:
    """A problem of a request.

    `field` is dotted (`document.number`, `financial_accounts.0.details.clabe`); `source` is
    "spec" for a rule of the spec, else the id of the assumption behind it.
    """

    field: str
    message: str
    source: str = "spec"

    def __str__(self) -> str:
        """The field and the message, escaped."""
        problem_text = f"{self.field}: {self.message}" if self.field else self.message
        return printable_lines(problem_text)


class PaylabError(CardError):
    """The base class of all exceptions of paylab.

    `hint` says what to try; it is also a note, which a plain traceback shows.
    """

    assumption: str | None = None
    """The id of the assumption that a failed call certainly rests on, if any."""
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
        """Set another hint, also as the note that Python prints below the error."""
        notes: list[str] = getattr(self, "__notes__", [])
        if (earlier_note := f"  Try: {self._hint}") in notes:
            notes.remove(earlier_note)
        self._hint = hint and printable_lines(hint)
        if self._hint:
            self.add_note(f"  Try: {self._hint}")

    def __str__(self) -> str:
        """The message, escaped."""
        return printable_lines(self._text())

    def _text(self) -> str:
        """The message, which may hold text of a service."""
        return super().__str__()

    def add_note(self, note: str, /) -> None:
        """Add a line to the traceback, escaped."""
        super().add_note(printable_lines(note))

    def card(self) -> list[str]:
        """The lines to show in a terminal or a notebook, folded to fit a narrow one."""
        card_lines = [f"{type(self).__name__}: {self._head()}", *self._details()]
        if self.hint:
            card_lines.append(f"  Try: {self.hint}")
        return fold_lines(card_lines)

    def _head(self) -> str:
        """What went wrong, without what `_details` has."""
        return str(self.args[0]) if self.args else ""

    def _details(self) -> list[str]:
        """The call and its number in the log."""
        if self.call is None:
            return []
        call_number = getattr(self.call, "number", 0)
        number_text = f" (number {call_number} in lab.calls)" if call_number else ""
        return [f"  Call: {self.call}{number_text}"]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the class, the arguments and the attributes."""
        # A subclass may take other arguments than the text, which is all that `args` has.
        return _restore_error, (type(self), self.args), vars(self)


def _restore_error(error_class: type[PaylabError], args: tuple[Any, ...]) -> PaylabError:
    """Make an error again from a pickle, without calling its `__init__`."""
    error = error_class.__new__(error_class)
    error.args = args
    return error


class ConfigError(PaylabError):
    """A setting is missing, unreadable or unsafe."""


class ServiceError(ConfigError):
    """Settings of a service that cannot be used; `key` and `line` are set if known."""

    def __init__(self, message: str, key: str = "", line: int = 0) -> None:
        self.line = line
        self.key: str = key
        super().__init__(message)


class MissingOperationError(ServiceError):
    """The service does not have an operation: its path is "none"."""


class RuleError(PaylabError):
    """A request that breaks rules; `problems` lists all of them."""

    _text_prefix = "not sent: "
    _head_prefix = "nothing was sent, "

    def __init__(self, problems: Iterable[Problem], hint: str | None = None) -> None:
        self.problems = tuple(problems)
        self.hint = hint
        super().__init__(self._text_prefix + "; ".join(map(str, self.problems)))

    def _head(self) -> str:
        """The number of the problems."""
        problem_count = len(self.problems)
        return f"{self._head_prefix}{problem_count} problem{'' if problem_count == 1 else 's'}"

    def _details(self) -> list[str]:
        """The problems, a line each."""
        return [f"  {problem}" for problem in self.problems]


class OptionError(RuleError):
    """Arguments of a function that creates nothing, or a word that is none of those known."""

    _text_prefix = ""
    _head_prefix = ""


class PaylabWarning(UserWarning):
    """The base class of all warnings of paylab; their text is escaped."""

    def __str__(self) -> str:
        """The message, escaped."""
        return printable_lines(super().__str__())


class RuleWarning(PaylabWarning):
    """A request looks wrong: a likely typo, or a broken assumption."""


class ConfigWarning(PaylabWarning):
    """A setting that has no effect, or that contradicts the service's responses.

    `key` is the dotted key of the setting, if it is known.
    """

    def __init__(self, message: str, key: str = "") -> None:
        self.key = key
        super().__init__(message)


class RepeatWarning(PaylabWarning):
    """A list repeats rows; each id is read once."""


class FloatWarning(PaylabWarning):
    """A float was compared with exact amounts."""


LIBRARIES = ("paylab.", "pandas.", "numpy.", "functools", "contextlib")
"""The modules between a line of the user and a warning."""


def warn_caller(message: str | PaylabWarning, category: type[PaylabWarning]) -> None:
    """Warn at the line of the user, however many functions of libraries are between."""
    stack_level = 1
    frame = sys._getframe()
    while frame.f_back and str(frame.f_globals.get("__name__", "")).startswith(LIBRARIES):
        stack_level += 1
        frame = frame.f_back
    warnings.warn(message, category, stacklevel=stack_level)


class ReadOnlyError(PaylabError):
    """Not sent: the settings allow only GETs."""


class ReplayError(PaylabError):
    """A request that is not in the recording; `nearest` is the most similar recorded request.

    `differences` are sentences, one for each field that differs.
    """

    def __init__(self, message: str, nearest: str = "", differences: Sequence[str] = ()) -> None:
        self.nearest = nearest
        self.differences = tuple(differences)
        super().__init__(message)

    def _text(self) -> str:
        """The message, the nearest request and the differences."""
        sentences = [str(self.args[0])]
        if self.nearest:
            sentences.append(f"nearest: {self.nearest}")
        return "; ".join([*sentences, *self.differences])

    def _details(self) -> list[str]:
        """The nearest request and the differences, a line each."""
        difference_lines = [f"    {difference_text}" for difference_text in self.differences]
        nearest_lines = [f"  Nearest: {self.nearest}"] if self.nearest else []
        return [*nearest_lines, *difference_lines]


class ChoiceError(PaylabError):
    """Not a success: a payment was found or may exist, and you have to choose what to do.

    `payment` is the payment that was found, if any. `reason` is "conflict" (it has other values,
    or it may be under way), "dead" (it failed, expired or was cancelled), "old", "busy" (an equal
    order is under way on this machine), "untold" (the list cannot tell), or "". `is_new` is whether
    this call made the payment.
    """

    is_new = False

    def __init__(
        self, message: str, hint: str | None = None, reason: str = "", payment: Any = None
    ) -> None:
        self.hint = hint
        self.reason = reason
        self.payment = payment
        super().__init__(message)


class ArgumentError(PaylabError, TypeError, ValueError):
    """A value that a function cannot take; `argument` is the name of the parameter.

    `is_general` is whether a function that passed the value on can say more about it.
    """

    def __init__(self, message: str, argument: str = "", *, is_general: bool = False) -> None:
        self.argument = argument
        self.is_general = is_general
        super().__init__(message)


class UnknownItemError(PaylabError, KeyError):
    """Nothing has this name, number or id."""

    def _text(self) -> str:
        """The message, which a KeyError would show in quotes."""
        return self._head()


class EMVError(PaylabError, ValueError):
    """A QR text that is not a valid EMV payload, with the reason and the character offset."""

    def __init__(self, reason: str, offset: int = 0) -> None:
        self.reason = reason
        self.offset = offset
        super().__init__(f"{reason} (at character {offset})")


class ExactnessError(PaylabError, ValueError):
    """An amount that cannot be kept exactly; names column, row and value."""


class SimulatorError(PaylabError):
    """The simulator cannot do what was requested."""


class UnknownNameError(OptionError, SimulatorError, AttributeError):
    """A name of a kind of things that nothing has; `nearest` are similar known names.

    `known` are all known names, which the error lists if none is similar.
    """

    def __init__(
        self, kind: str, name: str, nearest: Sequence[str] = (), known: Iterable[str] = ()
    ) -> None:
        self.kind = kind
        self.word = name
        self.nearest = tuple(nearest)
        self.known = tuple(known)
        PaylabError.__init__(self, f"no {kind} is called {name!r}")
        self.problems = (Problem("", self._text()),)

    def _head(self) -> str:
        """What has no such name."""
        return str(self.args[0])

    def _choices(self) -> str:
        """The similar names, or all if none is."""
        if self.nearest:
            return f"nearest: {', '.join(self.nearest)}"
        return f"known are {', '.join(self.known)}" if self.known else ""

    def _text(self) -> str:
        """The message, and the similar or the known names."""
        return "; ".join(filter(None, (self._head(), self._choices())))

    def _details(self) -> list[str]:
        """The similar or the known names, as a line."""
        choices_text = self._choices()
        return [f"  {choices_text[:1].upper()}{choices_text[1:]}"] if choices_text else []


class ProgramError(PaylabError):
    """A program that draws or reads pictures failed, ended, or took too long.

    `reason` is why it refused what it was given; empty if it gave no answer.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        self.reason = reason
        super().__init__(message)


class WaitTimeoutError(PaylabError, TimeoutError):
    """The expected state was not reached in time; `last` is the latest state of the object."""

    def __init__(self, message: str, last: Any = None, *, hint: str | None = None) -> None:
        self.last = last
        self.hint = hint
        super().__init__(message)


class PagingError(PaylabError):
    """A list that cannot be read: a cursor repeats or is missing."""
