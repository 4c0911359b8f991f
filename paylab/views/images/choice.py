"""A chosen image: its bytes, its preview and its upload."""

from __future__ import annotations

import stat
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from ...errors.base import Problem, ProgramError, RuleError
from ...errors.extras import MissingExtraError
from ...rules import images as rules
from ...spec.codes import IMAGE_MAX
from ...spec.service.service import Service
from ..forms.code import Expression, literal, write_call
from ..programs import preview_picture
from ..specimens import specimen
from . import location

HEADER_BYTES = 64
"""Bytes at the start of a file that tell its type."""
LOCATION_ADVICE = "save the picture as a new file, or tick the box to keep the location"
NO_PREVIEW = "No preview: the file may be broken, or the image has too many pixels"
PATH_PLACEHOLDER = Expression('Path("FILE.jpg")')


@dataclass(frozen=True)
class ImageChoice:
    """A chosen image: a function that reads it, its name, and its code."""

    read: Callable[[], bytes]
    name: str
    code: Expression


@dataclass(frozen=True)
class ImageFacts:
    """Facts read from an image.

    `preview` is a JPEG; `preview_problem` is why there is none, or empty. `assumed_problems`
    come from assumptions.
    """

    mime: str
    size: int
    has_location: bool
    preview: bytes | None
    preview_problem: str = ""
    assumed_problems: tuple[Problem, ...] = ()

    @property
    def type_and_size(self) -> str:
        """The type and the size, such as `JPEG, 120 KB`."""
        image_type = self.mime.rpartition("/")[2].upper()
        if self.size < 2**20:
            return f"{image_type}, {self.size // 2**10} KB"
        return f"{image_type}, {self.size / 2**20:.1f} MB"


def choose_uploaded(name: str, file_bytes: bytes) -> ImageChoice:
    """Choose a file sent by the browser, which does not reveal the folder."""
    return ImageChoice(lambda: file_bytes, name, PATH_PLACEHOLDER)


def choose_path(path: str) -> ImageChoice:
    """Choose a file on the machine of the kernel."""
    file_name = path.rstrip("/").rpartition("/")[2] or path
    return ImageChoice(partial(_read_file, path), file_name, Expression(f"Path({literal(path)})"))


def choose_specimen(side: str, name: str, country: str, fault: str | None = None) -> ImageChoice:
    """Choose a specimen image, which is drawn when it is read first."""
    specimen_arguments = {"name": name, "country": country}
    fault_label = "good"
    if fault:
        specimen_arguments["fault"] = fault
        fault_label = fault.removeprefix("verification_").replace("_", " ")
    specimen_call = Expression(write_call("specimen", side, keywords=specimen_arguments))
    draw_specimen = cache(partial(specimen, side, name=name, country=country, fault=fault))
    return ImageChoice(draw_specimen, f"specimen ({fault_label})", specimen_call)


def read_image_facts(choice: ImageChoice, side: str, service: Service | None = None) -> ImageFacts:
    """Read type, size, location and preview; RuleError if the image cannot be sent."""
    try:
        image_bytes = choice.read()
    except OSError as error:
        folder_text = f" in {Path(error.filename).absolute().parent}" if error.filename else ""
        message = f"cannot be read: {error.strerror or error}{folder_text}"
        raise _image_error(side, message) from None
    image_size = rules.ImageSize(len(image_bytes), image_bytes[:HEADER_BYTES])
    problems = rules.check({"images": [{"type": side, "content": image_size}]})
    spec_problems = [problem for problem in problems if problem.source == "spec"]
    if spec_problems:
        raise RuleError([Problem(side, problem.message) for problem in spec_problems])
    mime_type = str(image_size.mime)
    assumed_problems = tuple(problems)  # no problem by the spec is among them
    try:
        has_location = bool(location.find_location_patches(image_bytes))
        preview_bytes, preview_problem = make_preview(image_bytes, mime_type)
    except location.UnsearchableError as error:
        has_location = False
        preview_bytes = None
        preview_problem = f"{error}: {LOCATION_ADVICE}"
    return ImageFacts(
        mime_type,
        size=len(image_bytes),
        has_location=has_location,
        preview=preview_bytes,
        preview_problem=preview_problem,
        assumed_problems=assumed_problems,
    )


def read_for_upload(choice: ImageChoice, *, keep_location: bool) -> bytes:
    """Read the image without its location, unless `keep_location`.

    Raises RuleError when the location cannot be searched for.
    """
    image_bytes = choice.read()
    if keep_location:
        return image_bytes
    try:
        return location.remove_location(image_bytes)
    except location.UnsearchableError as error:
        raise _image_error("keep_location", f"one image {error}: {LOCATION_ADVICE}") from None


def make_preview(image_bytes: bytes, mime: str) -> tuple[bytes | None, str]:
    """Make an upright JPEG of at most 320 pixels a side; of a PDF, of its first page.

    Returns (JPEG, ""), or (None, why no preview can be made).
    """
    try:
        return preview_picture(image_bytes, mime), ""
    except MissingExtraError as error:
        return None, f"No preview: {error}"
    except ProgramError:
        return None, NO_PREVIEW


def _read_file(path_text: str) -> bytes:
    """Read at most IMAGE_MAX + 1 bytes, so that the caller sees that a file is too large."""
    try:
        image_path = Path(path_text).expanduser()
        file_mode = image_path.stat().st_mode
    except (ValueError, RuntimeError):  # a NUL character, or an unknown user's home
        raise OSError("this is not a path") from None
    if not stat.S_ISREG(file_mode):  # opening a pipe would block
        raise OSError("this is not a file")
    with image_path.open("rb") as image_file:
        return image_file.read(IMAGE_MAX + 1)


def _image_error(image_side: str, reason: str) -> RuleError:
    """The error for the image of a side."""
    return RuleError([Problem(image_side, reason)])
