"""An image that was chosen: its temporary file, its preview, and how it is uploaded."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from ...errors import Problem, RuleError
from ...rules import images as rules
from ..forms.field import Expression, call, literal
from ..forms.file import temporary
from ..specimens import specimen
from . import location
from .preview import BombError, UnreadableError, preview

HEAD = 64
INSTEAD = "save the picture again as a new file, or tick that its location is kept"
YOURS = Expression('Path("FILE.jpg")')


@dataclass(frozen=True)
class Choice:
    """How an image is opened (the caller closes it), its name, and how it is written in code."""

    open: Callable[[], BinaryIO]
    name: str
    code: Expression
    close: Callable[[], None] = lambda: None


@dataclass(frozen=True)
class Seen:
    """What was read from an image.

    `doubt` is why it cannot be shown, `assumed` what only an assumption finds wrong with it.
    """

    mime: str
    size: int
    located: bool
    picture: bytes | None
    doubt: str = ""
    assumed: tuple[Problem, ...] = ()

    @property
    def words(self) -> str:
        """Kind and size."""
        kind = self.mime.rpartition("/")[2].upper()
        if self.size < 2**20:
            return f"{kind}, {self.size // 2**10} KB"
        return f"{kind}, {self.size / 2**20:.1f} MB"


def spooled(name: str, file: BinaryIO) -> Choice:
    """A file that came from the browser, which does not tell its folder."""
    return Choice(lambda: _again(file), name, YOURS, file.close)


def on_disk(text: str) -> Choice:
    """A file on the machine the kernel runs on."""
    name = text.rstrip("/").rpartition("/")[2] or text
    return Choice(lambda: _opened(text), name, Expression(f"Path({literal(text)})"))


def made(side: str, name: str, country: str, fault: str | None = None) -> Choice:
    """A specimen, drawn when it is opened."""
    given = {"name": name, "country": country} | ({"fault": fault} if fault else {})
    code = Expression(call("specimen", given, side))
    draw = cache(partial(specimen, side, name=name, country=country, fault=fault))
    kind = fault.removeprefix("verification_").replace("_", " ") if fault else "good"
    return Choice(lambda: BytesIO(draw()), f"specimen ({kind})", code)


def look(choice: Choice, side: str) -> Seen:
    """Kind, size and preview; RuleError says why it cannot be sent."""
    try:
        with choice.open() as file:
            return _look(file, side)
    except OSError as error:
        raise _refused(side, f"cannot be read: {error.strerror or error}") from None
    except BombError as error:
        raise _refused(side, str(error)) from None


def sealed(choice: Choice, *, located: bool) -> BinaryIO:
    """The image as it is sent, for the caller to close: without its location unless that stays."""
    file = choice.open()
    if located:
        return file
    data = bytearray(file.read())
    try:
        removed = location.remove(data)
    except location.UnsearchableError as error:
        file.close()
        raise _refused("keep_location", f"one image {error}: {INSTEAD}") from None
    if removed:
        file.close()
        file = temporary()
        file.write(data)
    file.seek(0)
    return file


def _look(file: BinaryIO, side: str) -> Seen:
    size, head = file.seek(0, os.SEEK_END), _head(file)
    measured = rules.Measured(size, head)
    problems = rules.check({"images": [{"type": side, "content": measured}]})
    if stated := [problem for problem in problems if problem.source == "spec"]:
        raise RuleError([Problem(side, problem.message) for problem in stated])
    file.seek(0)
    mime = str(measured.mime)
    try:
        located = bool(location.find_location(file.read()))
        return Seen(mime, size, located, preview(file, mime), assumed=tuple(problems))
    except location.UnsearchableError as error:
        return Seen(mime, size, False, None, f"{error}: {INSTEAD}", tuple(problems))
    except UnreadableError as error:
        return Seen(mime, size, located, None, str(error), tuple(problems))


def _head(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read(HEAD)


def _again(file: BinaryIO) -> BinaryIO:
    """A second handle on a file without a name, so that closing it leaves the first."""
    again = cast(BinaryIO, os.fdopen(os.dup(file.fileno()), "rb"))
    file.flush()
    again.seek(0)
    return again


def _opened(text: str) -> BinaryIO:
    try:
        path = Path(text).expanduser()
        mode = path.stat().st_mode
    except (ValueError, RuntimeError):  # a NUL, or the home of nobody
        raise OSError("it is not a path") from None
    if not stat.S_ISREG(mode):  # opening a pipe would wait for ever
        raise OSError("it is not a file")
    return path.open("rb")


def _refused(side: str, reason: str) -> RuleError:
    return RuleError([Problem(side, reason)])
