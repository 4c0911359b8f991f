"""A chosen image: its temporary file, its preview and its upload."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from ...errors.base import Problem, RuleError
from ...rules import images as rules
from ...spec.service import Service
from ..forms.code import Expression, call, literal
from ..forms.file import temporary
from ..specimens import specimen
from . import location
from .preview import BombError, UnreadableError, preview

HEAD = 64
INSTEAD = "save the picture as a new file, or tick the box to keep the location"
YOURS = Expression('Path("FILE.jpg")')


@dataclass(frozen=True)
class Choice:
    """A chosen image: a function that opens it (close it yourself), its name, and its code."""

    open: Callable[[], BinaryIO]
    name: str
    code: Expression
    close: Callable[[], None] = lambda: None


@dataclass(frozen=True)
class Seen:
    """Facts read from an image.

    `doubt` is why it has no preview, `assumed` a problem by an assumption.
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
    """A file sent by the browser, which does not reveal the folder."""
    return Choice(lambda: _again(file), name, YOURS, file.close)


def on_disk(text: str) -> Choice:
    """A file on the machine of the kernel."""
    name = text.rstrip("/").rpartition("/")[2] or text
    return Choice(lambda: _opened(text), name, Expression(f"Path({literal(text)})"))


def made(side: str, name: str, country: str, fault: str | None = None) -> Choice:
    """A specimen image, drawn when it is opened."""
    given = {"name": name, "country": country} | ({"fault": fault} if fault else {})
    code = Expression(call("specimen", given, side))
    draw = cache(partial(specimen, side, name=name, country=country, fault=fault))
    kind = fault.removeprefix("verification_").replace("_", " ") if fault else "good"
    return Choice(lambda: BytesIO(draw()), f"specimen ({kind})", code)


def look(choice: Choice, side: str, service: Service | None = None) -> Seen:
    """Read kind, size and preview; RuleError if the image cannot be sent."""
    try:
        with choice.open() as file:
            return _look(file, side, service)
    except OSError as error:
        raise _refused(side, f"cannot be read: {error.strerror or error}") from None
    except BombError as error:
        raise _refused(side, str(error)) from None


def sealed(choice: Choice, *, located: bool) -> BinaryIO:
    """The image to send, without its location unless `keep_location`; close it yourself."""
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


def _look(file: BinaryIO, side: str, service: Service | None) -> Seen:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    measured = rules.Measured(size, file.read(HEAD))
    problems = rules.check({"images": [{"type": side, "content": measured}]}, service)
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


def _again(file: BinaryIO) -> BinaryIO:
    """A second handle of an unnamed file, so that closing it keeps the first one open."""
    again = cast(BinaryIO, os.fdopen(os.dup(file.fileno()), "rb"))
    file.flush()
    again.seek(0)
    return again


def _opened(text: str) -> BinaryIO:
    try:
        path = Path(text).expanduser()
        mode = path.stat().st_mode
    except (ValueError, RuntimeError):  # a NUL character, or an unknown user's home
        raise OSError("this is not a path") from None
    if not stat.S_ISREG(mode):  # opening a pipe would block
        raise OSError("this is not a file")
    return path.open("rb")


def _refused(side: str, reason: str) -> RuleError:
    return RuleError([Problem(side, reason)])
