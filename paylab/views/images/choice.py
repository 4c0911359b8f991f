"""A chosen image: its bytes, its preview and its upload."""

from __future__ import annotations

import stat
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from ...errors.base import MissingExtraError, Problem, ProgramError, RuleError
from ...rules import images as rules
from ...spec.codes import IMAGE_MAX
from ...spec.service.service import Service
from ..forms.code import Expression, call, literal
from ..programs import preview_picture
from ..specimens import specimen
from . import location

HEAD = 64
INSTEAD = "save the picture as a new file, or tick the box to keep the location"
BROKEN = "No preview: the file may be broken, or the image has too many pixels"
YOURS = Expression('Path("FILE.jpg")')


@dataclass(frozen=True)
class Choice:
    """A chosen image: a function that reads it, its name, and its code."""

    read: Callable[[], bytes]
    name: str
    code: Expression


@dataclass(frozen=True)
class ImageFacts:
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


def uploaded(name: str, data: bytes) -> Choice:
    """A file sent by the browser, which does not reveal the folder."""
    return Choice(lambda: data, name, YOURS)


def on_disk(text: str) -> Choice:
    """A file on the machine of the kernel."""
    name = text.rstrip("/").rpartition("/")[2] or text
    return Choice(partial(_read, text), name, Expression(f"Path({literal(text)})"))


def made(side: str, name: str, country: str, fault: str | None = None) -> Choice:
    """A specimen image, drawn when it is read first."""
    specimen_options = {"name": name, "country": country} | ({"fault": fault} if fault else {})
    code = Expression(call("specimen", specimen_options, side))
    draw = cache(partial(specimen, side, name=name, country=country, fault=fault))
    kind = fault.removeprefix("verification_").replace("_", " ") if fault else "good"
    return Choice(draw, f"specimen ({kind})", code)


def look(choice: Choice, side: str, service: Service | None = None) -> ImageFacts:
    """Read kind, size and preview; RuleError if the image cannot be sent."""
    try:
        data = choice.read()
    except OSError as error:
        raise _refused(side, f"cannot be read: {error.strerror or error}") from None
    measured = rules.ImageSize(len(data), data[:HEAD])
    problems = rules.check({"images": [{"type": side, "content": measured}]})
    if stated := [problem for problem in problems if problem.source == "spec"]:
        raise RuleError([Problem(side, problem.message) for problem in stated])
    mime = str(measured.mime)
    assumed = tuple(problems)
    try:
        located = bool(location.find_location(data))
    except location.UnsearchableError as error:
        return ImageFacts(mime, len(data), False, None, f"{error}: {INSTEAD}", assumed)
    return ImageFacts(mime, len(data), located, *preview(data, mime), assumed)


def to_send(choice: Choice, *, located: bool) -> bytes:
    """The image, without its location unless `located`."""
    data = choice.read()
    if located:
        return data
    try:
        return location.without_location(data)
    except location.UnsearchableError as error:
        raise _refused("keep_location", f"one image {error}: {INSTEAD}") from None


def preview(data: bytes, mime: str) -> tuple[bytes | None, str]:
    """A JPEG of at most 320 pixels a side, upright, of a PDF's first page; or why there is none."""
    try:
        return preview_picture(data, mime), ""
    except MissingExtraError as error:
        return None, f"No preview: {error}"
    except ProgramError:
        return None, BROKEN


def _read(text: str) -> bytes:
    """The bytes of a file; of one that is too large to be sent, one more than the maximum."""
    try:
        path = Path(text).expanduser()
        mode = path.stat().st_mode
    except (ValueError, RuntimeError):  # a NUL character, or an unknown user's home
        raise OSError("this is not a path") from None
    if not stat.S_ISREG(mode):  # opening a pipe would block
        raise OSError("this is not a file")
    with path.open("rb") as file:
        return file.read(IMAGE_MAX + 1)


def _refused(side: str, reason: str) -> RuleError:
    return RuleError([Problem(side, reason)])
