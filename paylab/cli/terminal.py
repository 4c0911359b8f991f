"""Prints texts of commands, and asks questions. Control characters are escaped."""

from __future__ import annotations

import os
import re
import signal
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING, TextIO, TypeVar

from ..errors.base import ConfigError
from ..errors.text import printable

if TYPE_CHECKING:
    from ..lab.place import Place


def stop_event() -> Event:
    """An event that Ctrl-C and SIGTERM set."""
    stopped = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    return stopped


def follow(read: Callable[[Event], Iterable[Row]], show: Callable[[Row], bool], noun: str) -> int:
    """Show what `read` gives until Ctrl-C or SIGTERM, then print how many were shown.

    `read` waits up to half a second for more, or until the event is set. `show` returns whether it
    showed a row, and `noun` names one.
    """
    stopped = stop_event()
    shown_count = 0
    warn_user(f"Following {noun}s. Stop it with Ctrl-C.")
    while not stopped.is_set():
        for row in read(stopped):
            shown_count += show(row)
            if stopped.is_set():
                break
    warn_user(f"{count(shown_count, noun)}.")
    return 0


def status_colour(status: object) -> str:
    """The colour of a status; red if there was no answer."""
    return _STATUSES.get(status // 100, "yellow") if isinstance(status, int) else "red"


_STATUSES = {2: "", 4: "yellow", 5: "red"}
Row = TypeVar("Row")
N = TypeVar("N", int, float)


def count(number: int, noun: str) -> str:
    """A number and its noun: 1 payout, 2 payouts."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def in_range(least: N, most: N | None = None) -> Callable[[str], N]:
    """A parser of an option's number, whole if `least` is; ArgumentTypeError tells its range."""
    range_text = f"{least} or more" if most is None else f"from {least} to {most}"

    def parse(text: str) -> N:
        """The number in a text; ArgumentTypeError if it is none, or out of range."""
        with suppress(ValueError):
            number = type(least)(text)
            if number >= least and (most is None or number <= most):
                return number
        raise ArgumentTypeError(f"must be {range_text}")

    return parse


def in_options(text: str, options: Namespace) -> str:
    """A text about parameters of Python in terms of the options that a command has.

    >>> in_options("name yours with columns=", Namespace(column=None))
    'name yours with --column'
    >>> in_options("look in lab.individuals.list()", Namespace())
    'look in paylab list individuals'
    """
    text = _LIST_CALL.sub(r"paylab list \1", text.replace(_FIND_CALL, _FIND_COMMAND))
    return _PARAMETER.sub(lambda match: _find_option(match, vars(options)) or match[0], text)


_LIST_CALL = re.compile(r"\blab\.([a-z_]+)\.list\(\)")
"""The call of a lab that the command `paylab list` makes."""
_FIND_CALL = "lab.transfers.find(client_reference_id=...)"
_FIND_COMMAND = "paylab list transfers --client-reference-id ..."
_PARAMETER = re.compile(r"\b([a-z_]+)=(False\b|(?![^\s;,)]))")
"""A parameter without a value, or one that is switched off."""


def _find_option(parameter: re.Match[str], option_names: Container[str]) -> str | None:
    """The option for a parameter, if there is one: `--column` for columns=."""
    name, value = parameter.groups()
    names = [f"no_{name}"] if value else [name, name.removesuffix("s")]
    known_name = next(
        (parser_action for parser_action in names if parser_action in option_names), None
    )
    return known_name and f"--{known_name.replace('_', '-')}"


port = in_range(0, 65_535)
"""Parse the port of an option."""


COLOURS = {"red": 31, "green": 32, "yellow": 33}


def shows_colours(stream: TextIO) -> bool:
    """Whether a stream shows colours: a terminal, unless NO_COLOR is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def say(text: object, colour: str = "") -> None:
    """Print lines to stdout, with control characters escaped."""
    print(_paint(text, colour, sys.stdout), flush=True)


def sections(parts: Mapping[str, str]) -> str:
    """Texts below their titles."""
    return "\n\n".join(f"# {title}\n{text}" for title, text in parts.items())


def warn_user(text: object, colour: str = "") -> None:
    """Print lines to stderr, with control characters escaped."""
    print(_paint(text, colour, sys.stderr), file=sys.stderr, flush=True)


def _paint(shown_text: object, colour: str, stream: TextIO) -> str:
    """A text with control characters escaped, in a colour if the stream shows colours."""
    escaped_text = printable(str(shown_text), keep="\n")
    if not colour or not shows_colours(stream):
        return escaped_text
    return f"\x1b[{COLOURS[colour]}m{escaped_text}\x1b[0m"


def announce(place: Place) -> None:
    """Print the service in use to stderr."""
    warn_user(f"paylab: {place.notice}")


def confirm(place: Place, what: str, *, yes: bool) -> None:
    """Ask before sending to a service that is not a simulator; ConfigError unless confirmed."""
    if yes or place.is_simulator:
        return
    if not sys.stdin.isatty():
        raise ConfigError(f"{what} at {place} must be confirmed: use a terminal, or add --yes")
    print(printable(f"{what} at {place}? Type yes: "), end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ConfigError("nothing was sent")
