"""Specimen images to practise identity verification: drawings, stamped SPECIMEN."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Collection
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ..errors.base import PaylabError
from ..errors.extras import explained, is_installed
from ..rules.images import SPECIMEN
from ..spec.codes import IMAGE_SIDES, STATUS_DETAIL_CODES
from ..spec.status import detail
from .qr import modules

if TYPE_CHECKING:
    from PIL import Image

FAULTS = tuple(code for code in STATUS_DETAIL_CODES if not code.endswith("_needed"))
"""All codes except those that request a missing image."""

EPOCH = time.gmtime(0)
KINDS: dict[str, dict[str, Any]] = {
    "jpeg": {"format": "JPEG", "quality": 90},
    "png": {"format": "PNG"},
    "tiff": {"format": "TIFF", "compression": "tiff_lzw"},
    "pdf": {"format": "PDF", "quality": 90, "creationDate": EPOCH, "modDate": EPOCH},
}


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
    _require_known("side", IMAGE_SIDES, side)
    if kind is not None:
        _require_known("kind", KINDS, kind)
    lines = [f"SPECIMEN {side}", name if side == "selfie" else f"{name} ({country})"]
    lines.append("A drawing for practice, not of a real person.")
    if fault is not None:
        _require_known("fault", FAULTS, fault)
        lines.append(f"{fault.removeprefix('verification_')}: {detail(fault).meaning}")
    text = SPECIMEN + fault.encode() if fault else b""
    if kind in (None, "png") and not is_installed("PIL"):
        return modules("\n".join(lines)).png(CODE_SIZE, compress=False, comment=text)
    return _saved(lines, kind or "jpeg", text)


CODE_SIZE = 400
"""Pixels of a QR code as a specimen, which is then over 10 KB."""


def _saved(lines: list[str], kind: str, text: bytes) -> bytes:
    """The drawing as a file of a kind, with a comment."""
    with explained():
        from PIL.PngImagePlugin import PngInfo
    # Each writer has its own option, and ignores the others.
    info, out = PngInfo(), BytesIO()
    info.add_text("Comment", text)
    _drawn(lines).save(out, **KINDS[kind], pnginfo=info, comment=text, description=text)
    return out.getvalue() + (b"\n%" + text if kind == "pdf" else b"")


def _drawn(lines: list[str]) -> Image.Image:
    """A face, lines of text and the stamp on a pattern."""
    with explained():
        from PIL import Image, ImageDraw, ImageFont, ImageOps

    pattern = Image.effect_mandelbrot((800, 500), (-2.2, -1.4, 1.2, 1.4), 60)
    image = ImageOps.colorize(pattern, "#b9cfe4", "#f4f7fa")
    pen = ImageDraw.Draw(image)
    for colour, box in (("#3f8f7f", (40, 300, 240, 460)), ("#f2c9a1", (80, 140, 200, 300))):
        pen.ellipse(box, fill=colour, outline="#7f9bb3", width=3)
    for number, line in enumerate(lines):
        ascii_text = unicodedata.normalize("NFKD", line).encode("ascii", "ignore").decode()
        text = " ".join(ascii_text.split())[:60]
        pen.text((265, 150 + 50 * number), text, "#263242", ImageFont.load_default(17))
    stamp = Image.new("L", image.size)
    font = ImageFont.load_default(145)
    ImageDraw.Draw(stamp).text((400, 250), "SPECIMEN", 120, font, anchor="mm")
    image.paste("#c81e2d", mask=stamp.rotate(29, Image.Resampling.BICUBIC))
    return image


def _require_known(word: str, known: Collection[str], value: str) -> None:
    if value not in known:
        raise PaylabError(f"no specimen of {word} {value!r}; there is {', '.join(known)}")
