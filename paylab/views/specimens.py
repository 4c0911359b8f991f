"""Specimen images to practise identity verification: drawings, stamped SPECIMEN."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from io import BytesIO
from time import gmtime

from ..errors.arguments import explain_arguments
from ..errors.base import OptionError, Problem
from ..errors.choices import choice_message, suggest_choice
from ..errors.extras import extra_imports, is_installed
from ..rules.images import SPECIMEN, sniff_type
from ..spec.codes import IMAGE_SIDES, STATUS_DETAIL_CODES
from ..spec.status import detail
from ..spec.text import JsonObject, plain
from .drawing import encode_qr

FAULTS = tuple(code for code in STATUS_DETAIL_CODES if not code.endswith("_needed"))
"""All codes except those that request a missing image."""

SAVE_OPTIONS: dict[str, JsonObject] = {
    "jpeg": {"format": "JPEG", "quality": 90},
    "png": {"format": "PNG"},
    "tiff": {"format": "TIFF", "compression": "tiff_lzw"},
    "pdf": {"format": "PDF", "quality": 90, "creationDate": gmtime(0), "modDate": gmtime(0)},
}
SIDE_LABELS = {
    "document-front": "Front of the document",
    "document-back": "Back of the document",
    "selfie": "Selfie",
}
"""What each side of a verification shows, in words."""
QR_PIXELS = 400
"""Pixels a side of a QR code, which is then over 10 KB."""
LINE_LENGTH_MAX = 60


class Specimen(bytes):
    """The bytes of a specimen image, which a notebook shows as a picture."""

    def __repr__(self) -> str:
        return f"<specimen: {sniff_type(self)}, {len(self):,} bytes>"

    def _repr_png_(self) -> bytes | None:
        """The picture if it is a PNG, else None."""
        return bytes(self) if sniff_type(self) == "image/png" else None

    def _repr_jpeg_(self) -> bytes | None:
        """The picture if it is a JPEG, else None."""
        return bytes(self) if sniff_type(self) == "image/jpeg" else None


@explain_arguments
def specimen(
    side: str,
    *,
    name: str = "Ana Specimen",
    country: str = "XX",
    kind: str | None = None,
    fault: str | None = None,
) -> Specimen:
    """A picture of one side (`document-front`, `document-back`, `selfie`), over 10 KB.

    `kind` is jpeg (the default), png, tiff or pdf. Without the extra `images` of paylab it is a
    PNG with a QR code that says the same; other kinds then raise MissingExtraError. `fault` is a
    status detail code: the file then contains it and the picture says so, and the simulator's
    verification ends with it. Raises OptionError for an unknown side, kind or fault.
    """
    _check_choice("side", side, IMAGE_SIDES)
    if kind is not None:
        _check_choice("kind", kind, list(SAVE_OPTIONS))
    if fault is not None:
        _check_choice("fault", fault, FAULTS)
    name_line = name if side == "selfie" else f"{name} ({country})"
    specimen_lines = [
        f"SPECIMEN {side}",
        name_line,
        "A drawing for practice, not of a real person.",
    ]
    comment_bytes = b""
    if fault is not None:
        specimen_lines.append(f"{fault.removeprefix('verification_')}: {detail(fault).meaning}")
        comment_bytes = SPECIMEN + fault.encode()
    if kind in (None, "png") and not is_installed("PIL"):
        # Not compressed, it is over 10 KB.
        qr_code = encode_qr("\n".join(specimen_lines))
        return Specimen(qr_code.png(QR_PIXELS, compress=False, comment=comment_bytes))
    image_type = kind or "jpeg"
    return Specimen(_draw_specimen(side, specimen_lines, image_type, comment=comment_bytes))


def _check_choice(argument_name: str, argument: str, choices: Sequence[str]) -> None:
    """Raise OptionError for an argument that is not among the choices."""
    if argument not in choices:
        suggestion_text = suggest_choice(choices, argument)
        rule_text = suggestion_text or f": it {choice_message(choices)}"
        message = f"no specimen has {plain(repr(argument), 60)}{rule_text}"
        raise OptionError([Problem(argument_name, message)])


SHAPES: dict[str, list[tuple[str, tuple[int, int, int, int]]]] = {
    "document-front": [("#3f8f7f", (40, 300, 240, 460)), ("#f2c9a1", (80, 140, 200, 300))],
    "document-back": [("#7f9bb3", (0, 50, 800, 120)), ("#f4f7fa", (40, 380, 760, 450))],
    "selfie": [
        ("#3f8f7f", (0, 330, 400, 660)),
        ("#f2c9a1", (90, 60, 310, 370)),
        ("#263242", (145, 180, 175, 205)),
        ("#263242", (225, 180, 255, 205)),
        ("#c9776a", (165, 280, 235, 305)),
    ],
}
"""Colours and corners of what a side shows: a portrait, a strip and a signature, or a face."""
TEXT_CORNERS = {"document-front": (265, 150), "document-back": (40, 150), "selfie": (340, 90)}


def _draw_specimen(side: str, specimen_lines: list[str], image_type: str, comment: bytes) -> bytes:
    """Draw the shapes of a side, lines of text and a stamp, and write a file with a comment."""
    with extra_imports():
        from PIL import Image, ImageDraw, ImageFont, ImageOps, PngImagePlugin

    # A pattern of many shades makes the file larger than the 10 KB that a service asks for.
    pattern_image = Image.effect_mandelbrot((800, 500), (-2.2, -1.4, 1.2, 1.4), 60)
    image = ImageOps.colorize(pattern_image, "#b9cfe4", "#f4f7fa")
    drawing = ImageDraw.Draw(image)
    draw_shape = drawing.rectangle if side == "document-back" else drawing.ellipse
    for colour, corners in SHAPES[side]:
        draw_shape(corners, fill=colour, outline="#7f9bb3", width=3)
    specimen_text = "\n".join(map(_ascii_line, specimen_lines))
    drawing.text(
        TEXT_CORNERS[side], specimen_text, "#263242", ImageFont.load_default(17), spacing=32
    )
    stamp_mask = Image.new("L", image.size)
    stamp_font = ImageFont.load_default(145)
    ImageDraw.Draw(stamp_mask).text((400, 250), "SPECIMEN", 120, stamp_font, anchor="mm")
    image.paste("#c81e2d", mask=stamp_mask.rotate(29, Image.Resampling.BICUBIC))
    # Each writer has its own option for the comment, and ignores the others.
    png_info = PngImagePlugin.PngInfo()
    png_info.add_text("Comment", comment)
    image_file = BytesIO()
    save_options = SAVE_OPTIONS[image_type]
    image.save(image_file, **save_options, pnginfo=png_info, comment=comment, description=comment)
    if image_type == "pdf":  # its writer has no such option
        return image_file.getvalue() + b"\n%" + comment
    return image_file.getvalue()


def _ascii_line(specimen_line: str) -> str:
    """A short line that the font can draw: without accents and other scripts."""
    short_line = " ".join(specimen_line.split())[:LINE_LENGTH_MAX]
    return unicodedata.normalize("NFKD", short_line).encode("ascii", "ignore").decode()
