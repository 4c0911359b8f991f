"""Specimen images to practise identity verification: drawings, stamped SPECIMEN."""

from __future__ import annotations

import unicodedata
from io import BytesIO
from time import gmtime
from typing import Any

from ..errors.base import PaylabError
from ..errors.extras import explained, is_installed
from ..rules.images import SPECIMEN
from ..spec.codes import IMAGE_SIDES, STATUS_DETAIL_CODES
from ..spec.status import detail
from .drawing import modules

FAULTS = tuple(code for code in STATUS_DETAIL_CODES if not code.endswith("_needed"))
"""All codes except those that request a missing image."""

KINDS: dict[str, dict[str, Any]] = {
    "jpeg": {"format": "JPEG", "quality": 90},
    "png": {"format": "PNG"},
    "tiff": {"format": "TIFF", "compression": "tiff_lzw"},
    "pdf": {"format": "PDF", "quality": 90, "creationDate": gmtime(0), "modDate": gmtime(0)},
}
CODE_SIZE = 400  # pixels of a QR code, which is then over 10 KB


def specimen(
    side: str,
    *,
    name: str = "Ana Specimen",
    country: str = "XX",
    kind: str | None = None,
    fault: str | None = None,
) -> bytes:
    """A picture of one side (`document-front`, `document-back`, `selfie`), over 10 KB.

    `kind` is jpeg (the default), png, tiff or pdf. Without the extra `images` of paylab it is a
    PNG with a QR code that says the same; other kinds then raise MissingExtraError. `fault` is a
    status detail code: the file then contains it and the picture says so, and the simulator's
    verification ends with it.
    """
    arguments = (("side", side, IMAGE_SIDES), ("kind", kind, KINDS), ("fault", fault, FAULTS))
    for argument, value, allowed in arguments:
        if value not in allowed and (value is not None or argument == "side"):
            raise PaylabError(f"no specimen of {argument} {value!r}; there is {', '.join(allowed)}")
    lines = [f"SPECIMEN {side}", name if side == "selfie" else f"{name} ({country})"]
    lines.append("A drawing for practice, not of a real person.")
    if fault is not None:
        lines.append(f"{fault.removeprefix('verification_')}: {detail(fault).meaning}")
    comment = SPECIMEN + fault.encode() if fault else b""
    if kind in (None, "png") and not is_installed("PIL"):
        return modules("\n".join(lines)).png(CODE_SIZE, compress=False, comment=comment)
    return _drawing(lines, kind or "jpeg", comment)


def _drawing(lines: list[str], kind: str, comment: bytes) -> bytes:
    """A face, lines of text and the stamp on a pattern, as a file of a kind with a comment."""
    with explained():
        from PIL import Image, ImageDraw, ImageFont, ImageOps, PngImagePlugin

    text = "\n".join(" ".join(line.split())[:60] for line in lines)
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    pattern = Image.effect_mandelbrot((800, 500), (-2.2, -1.4, 1.2, 1.4), 60)
    image = ImageOps.colorize(pattern, "#b9cfe4", "#f4f7fa")
    pen = ImageDraw.Draw(image)
    for colour, box in (("#3f8f7f", (40, 300, 240, 460)), ("#f2c9a1", (80, 140, 200, 300))):
        pen.ellipse(box, fill=colour, outline="#7f9bb3", width=3)
    pen.text((265, 150), text, "#263242", ImageFont.load_default(17), spacing=32)
    stamp = Image.new("L", image.size)
    ImageDraw.Draw(stamp).text(
        (400, 250), "SPECIMEN", 120, ImageFont.load_default(145), anchor="mm"
    )
    image.paste("#c81e2d", mask=stamp.rotate(29, Image.Resampling.BICUBIC))
    # Each writer has its own option, and ignores the others.
    info = PngImagePlugin.PngInfo()
    buffer = BytesIO()
    info.add_text("Comment", comment)
    image.save(buffer, **KINDS[kind], pnginfo=info, comment=comment, description=comment)
    return buffer.getvalue() + (b"\n%" + comment if kind == "pdf" else b"")
