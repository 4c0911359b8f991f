"""The programs that draw charts and read pictures: one process each, for all of this process."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Literal

from ..errors.extras import require_extra
from ..processes.programs import ANSWER_SECONDS, PythonProgram
from ..spec.codes import IMAGE_MIN
from ..spec.text import JsonMapping

PROGRAM_FOLDER = Path(__file__).parent
QR = "qr"


@cache
def chart_program() -> PythonProgram:
    """The program that draws charts."""
    return PythonProgram(
        PROGRAM_FOLDER / "chart_program.py", "draw", "the program that draws charts"
    )


@cache
def picture_program() -> PythonProgram:
    """The program that reads pictures."""
    return PythonProgram(
        PROGRAM_FOLDER / "picture_program.py", "read_picture", "the program that reads pictures"
    )


def draw_chart(spec: JsonMapping, picture_format: Literal["png", "svg"]) -> bytes:
    """Draw a Vega-Lite specification as a picture; ProgramError if it cannot be drawn."""
    for extra_name in ("charts", "images"):
        require_extra(extra_name)
    request_fields = {"format": picture_format, "spec": spec, "size": IMAGE_MIN}
    return chart_program().ask(json.dumps(request_fields).encode())


def preview_picture(file_bytes: bytes, mime: str, seconds: float = ANSWER_SECONDS) -> bytes:
    """Make a small JPEG of a picture or of the first page of a PDF.

    Raises ProgramError if it cannot be made.
    """
    require_extra("images")
    return picture_program().ask(mime.encode() + b"\0" + file_bytes, seconds)


def read_qr_codes(file_bytes: bytes) -> list[str]:
    """Read the different texts of the QR codes in a picture; ProgramError if it cannot be read."""
    require_extra("images")
    code_texts: list[str] = json.loads(picture_program().ask(QR.encode() + b"\0" + file_bytes))
    return code_texts
