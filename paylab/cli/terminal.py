"""Prints texts of commands, and asks questions. Control characters are escaped."""

from __future__ import annotations

import codecs
import io
import json
import os
import shutil
import signal
import sys
import textwrap
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, TextIO, TypeVar

from ..errors.base import ConfigError
from ..errors.text import printable

if TYPE_CHECKING:
    from ..lab.place import Place
    from ..views.qr import QR


ESCAPE = "paylab.escape"
"""The name of the error handler of `escape_unwritable_characters`."""


def escape_unwritable_characters() -> None:
    """From now on, what the encoding of stdout lacks is printed as JSON escapes: `\\u00f1`.

    A shell whose locale is C would otherwise end a command that has already sent its request.
    Output that is JSON stays JSON.
    """
    codecs.register_error(ESCAPE, _escape_as_json)
    if isinstance(sys.stdout, io.TextIOWrapper):  # not if it is closed
        sys.stdout.reconfigure(errors=ESCAPE)


def _escape_as_json(error: UnicodeError) -> tuple[str, int]:
    """The characters that cannot be encoded as JSON escapes, and where the next ones begin."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def draw_qr_code(qr_code: QR) -> None:
    """Draw a QR code; where the encoding of stdout has no blocks, say what to do instead."""
    drawing = qr_code.terminal(ansi=sys.stdout.isatty())
    try:
        drawing.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        say(f"A QR code cannot be drawn in {sys.stdout.encoding}: --out saves it as a picture.")
    else:
        print(drawing)


def stop_event() -> Event:
    """An event that Ctrl-C and SIGTERM set."""
    stopped_event = Event()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, lambda *_: stopped_event.set())
    return stopped_event


def follow(read: Callable[[Event], Iterable[Row]], show: Callable[[Row], bool], noun: str) -> int:
    """Show the rows that `read` returns until Ctrl-C or SIGTERM, then print how many were shown.

    `read(stopped)` waits up to half a second for more rows, or until the event is set. `show(row)`
    returns whether it showed the row. `noun` is the noun of a row, such as "call".
    """
    stopped_event = stop_event()
    shown_count = 0
    warn_user(f"Following {noun}s. Stop it with Ctrl-C.")
    while not stopped_event.is_set():
        for row in read(stopped_event):
            shown_count += show(row)
            if stopped_event.is_set():
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


def in_range(minimum: N, maximum: N | None = None) -> Callable[[str], N]:
    """Make a parser of the number of an option; it is whole if `minimum` is.

    For a text that is no number in the range, it raises ArgumentTypeError with the range.
    """
    range_text = f"{minimum} or more" if maximum is None else f"from {minimum} to {maximum}"

    def parse_number(number_text: str) -> N:
        """The number in a text."""
        with suppress(ValueError):
            parsed_number = type(minimum)(number_text)
            if parsed_number >= minimum and (maximum is None or parsed_number <= maximum):
                return parsed_number
        raise ArgumentTypeError(f"must be {range_text}")

    return parse_number


def parse_integer(number_text: str) -> int:
    """Parse a whole number, also one below 0; ArgumentTypeError for another text."""
    with suppress(ValueError):
        return int(number_text)
    raise ArgumentTypeError("must be a whole number")


port = in_range(0, 65_535)
"""Parse the port of an option."""


COLOURS = {"red": 31, "green": 32, "yellow": 33}


def shows_colours(stream: TextIO) -> bool:
    """Whether a stream shows colours: a terminal, unless NO_COLOR is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def say(lines: object, colour: str = "") -> None:
    """Print lines to stdout, with control characters escaped."""
    print(_paint(lines, colour, sys.stdout), flush=True)


@contextmanager
def ignore_closed_pipe() -> Iterator[None]:
    """Print what a command found: its exit status holds also if nobody reads the rest.

    `paylab reconcile books.csv | head` has the status of the comparison with `set -o pipefail`.
    """
    try:
        yield
    except BrokenPipeError:  # Python must not fail when it flushes them at the end
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())


def terminal_width() -> int:
    """The columns of the terminal, as for the help; 80 if there is none."""
    return shutil.get_terminal_size().columns


def wrap_lines(text: str, width: int) -> str:
    """Wrap the lines of a text; what follows a break is indented by four more spaces."""
    wrapped_lines = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        wrapped_lines += textwrap.wrap(
            line,
            width,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(wrapped_lines)


def sections(text_by_title: Mapping[str, str]) -> str:
    """Texts below their titles."""
    return "\n\n".join(
        f"# {title}\n{section_text}" for title, section_text in text_by_title.items()
    )


def warn_user(lines: object, colour: str = "") -> None:
    """Print lines to stderr, with control characters escaped."""
    print(_paint(lines, colour, sys.stderr), file=sys.stderr, flush=True)


def _paint(lines: object, colour: str, stream: TextIO) -> str:
    """The lines with control characters escaped, in a colour if the stream shows colours."""
    escaped_text = printable(str(lines), keep="\n")
    if not colour or not shows_colours(stream):
        return escaped_text
    return f"\x1b[{COLOURS[colour]}m{escaped_text}\x1b[0m"


def has_keyboard() -> bool:
    """Whether somebody can type an answer; stdin may be closed, or a pipe."""
    return sys.stdin is not None and sys.stdin.isatty()


def read_input(file_name: str) -> bytes:
    """The bytes of a file, or of stdin for `-`, whose encoding is not that of the locale."""
    if file_name.startswith("@") and not Path(file_name).exists():
        raise ConfigError(f"there is no file {file_name[:80]}: its name is written without @")
    if file_name != "-":
        return Path(file_name).read_bytes()
    if sys.stdin is None:
        raise ConfigError("stdin is closed: name a file in place of -")
    return sys.stdin.buffer.read()


def announce(place: Place) -> None:
    """Print the service in use to stderr."""
    warn_user(f"paylab: {place.notice}")


def warn_of_short_life(place: Place, consequence: str) -> None:
    """Warn that an embedded simulator, which a command changes, ends with the command."""
    if place.kind == "embedded":
        warn_user(
            f"paylab: This simulator ends with the command {consequence}: start"
            " `paylab simulator` and export the lines that it prints"
        )


def confirm(place: Place, action: str, *, yes: bool) -> None:
    """Ask before sending to a service that is not a simulator; ConfigError unless confirmed.

    `action` is what is done, such as "send 3 payouts"; with `yes` nothing is asked.
    """
    if yes or place.is_simulator:
        return
    if not has_keyboard():
        raise ConfigError(f"{place}: to {action}, use a terminal, or add --yes")
    print(printable(f"{place}: {action}? Type yes: "), end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() != "yes":
        raise ConfigError("nothing was sent")
