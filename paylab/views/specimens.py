"""Specimen images to practise identity verification: drawings, marked SPECIMEN."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache
from io import BytesIO
from math import sin
from typing import Any, TypeVar

from PIL import Image, ImageDraw, ImageFilter, ImageFont
from PIL.PngImagePlugin import PngInfo

from ..errors import PaylabError
from ..rules.images import SPECIMEN
from ..spec.codes import IMAGE_SIDES
from ..spec.status import detail

Box = tuple[int, int, int, int]
Entry = TypeVar("Entry")

SKIN, HAIR, SHIRT, FACE_INK, BLUSH = "#f2c9a1", "#5b3a29", "#3f8f7f", "#2b2b2b", "#e8a58b"
BACKDROP, EDGE = "#cfe3f1", "#7f9bb3"

# Shapes in hundredths of the width, painted in this order; the height is 130.
ELLIPSES = (
    (HAIR, (22, 10, 78, 82)),
    (SHIRT, (8, 98, 92, 180)),
    (SKIN, (41, 74, 59, 110)),
    (SKIN, (26, 20, 74, 88)),
    (HAIR, (26, 12, 74, 42)),
    ("white", (35, 46, 46, 57)),
    ("white", (54, 46, 65, 57)),
    (FACE_INK, (38, 49, 43, 56)),
    (FACE_INK, (57, 49, 62, 56)),
    (BLUSH, (30, 61, 38, 67)),
    (BLUSH, (62, 61, 70, 67)),
)
ARCS = (
    ((40, 60, 60, 76), 20, 160),  # mouth
    ((34, 40, 47, 50), 200, 340),  # brows
    ((53, 40, 66, 50), 200, 340),
    ((47, 54, 53, 65), 60, 200),  # nose
)
TALL = 130


def face(image: Image.Image, *, left: int, top: int, width: int) -> None:
    """Draw a face into a picture."""
    height = width * TALL // 100
    portrait = Image.new("RGB", (width, height), BACKDROP)
    pen = ImageDraw.Draw(portrait)
    for colour, box in ELLIPSES:
        pen.ellipse(_scaled(box, width), fill=colour)
    for box, start, end in ARCS:
        pen.arc(_scaled(box, width), start, end, fill=FACE_INK, width=max(2, width // 70))
    pen.rectangle((0, 0, width - 1, height - 1), outline=EDGE, width=4)
    image.paste(portrait, (left, top))


def _scaled(box: Box, width: int) -> Box:
    left, top, right, bottom = (part * width // 100 for part in box)
    return left, top, right, bottom


Defect = Callable[[Image.Image, str], Image.Image]
"""Draws a defect on a picture of a side; returns the changed picture."""

PAPER, INK, GREY, TABLE = (238, 243, 248), (38, 50, 66), (128, 128, 128), (121, 96, 72)
CARD_FACE, SELFIE_FACE = (36, 100, 236, 345), (236, 0, 564, 415)
CAPTION = 30


def draw_defect(image: Image.Image, side: str, code: str) -> Image.Image:
    """The picture with the defect of a code, and a line of text that explains it."""
    spoilt = FAULTS[code](image.copy(), side)
    pen = ImageDraw.Draw(spoilt)
    top = spoilt.height - CAPTION
    pen.rectangle((0, top, spoilt.width, spoilt.height), fill=INK)
    text = f"For practice, {code.removeprefix('verification_')}: {detail(code).meaning}"
    pen.text((12, top + 6), text, fill="white", font=ImageFont.load_default(15))
    return spoilt


def _blurry(image: Image.Image, _: str) -> Image.Image:
    return image.filter(ImageFilter.GaussianBlur(6))


def _glare(image: Image.Image, _: str) -> Image.Image:
    light = Image.radial_gradient("L").point(lambda dark: max(0, 400 - 2 * dark))
    box = (image.width // 4, -image.height // 6)
    image.paste("white", box, light.resize((image.width * 3 // 4, image.height)))
    return image


def _unclear(image: Image.Image, side: str) -> Image.Image:
    box = _face(side)
    image.paste(image.crop(box).filter(ImageFilter.GaussianBlur(11)), box)
    return image


def _missing(image: Image.Image, side: str) -> Image.Image:
    ImageDraw.Draw(image).rectangle(_face(side), fill=PAPER, outline=GREY, width=2)
    return image


def _undetected(image: Image.Image, _: str) -> Image.Image:
    table = Image.new("RGB", image.size, TABLE)
    pen = ImageDraw.Draw(table)
    for x in range(0, image.width, 9):
        pen.line((x, 0, x + x % 40 - 20, image.height), fill=(134, 108, 82), width=3)
    table.paste(image.resize((320, 200)), (image.width - 70, 40))
    return table


def _unprocessable(image: Image.Image, _: str) -> Image.Image:
    pen = ImageDraw.Draw(image)
    for y in range(170, image.height, 6):
        shade = (y * 37) % 200
        pen.rectangle((0, y, image.width, y + 6), fill=(shade, 200 - shade, 128))
    return image


def _damaged(image: Image.Image, _: str) -> Image.Image:
    pen = ImageDraw.Draw(image)
    pen.polygon([(520, 0), (800, 0), (800, 260), (690, 215), (640, 90)], fill=TABLE)
    pen.line([(0, 330), (170, 290), (330, 350), (560, 280), (800, 340)], fill=INK, width=5)
    pen.ellipse((330, 370, 420, 440), fill=TABLE)
    return image


def _replica(image: Image.Image, _: str) -> Image.Image:
    screen = Image.new("RGB", image.size, (16, 16, 18))
    screen.paste(image.resize((680, 400)), (60, 40))
    pen = ImageDraw.Draw(screen)
    for y in range(40, 440, 4):
        pen.line((60, y, 740, y), fill=(60, 70, 90))
    return screen


def _slip(text: str) -> Defect:
    """A defect drawn as a slip of paper with a text over the card."""

    def draw(image: Image.Image, _: str) -> Image.Image:
        pen = ImageDraw.Draw(image)
        pen.rectangle((260, 118, 780, 196), fill=(255, 249, 196), outline=INK, width=3)
        pen.text((280, 138), text, fill=INK, font=ImageFont.load_default(34))
        return image

    return draw


def _face(side: str) -> Box:
    return SELFIE_FACE if side == "selfie" else CARD_FACE


FAULTS: Mapping[str, Defect] = {
    "verification_image_blurry": _blurry,
    "verification_image_glare": _glare,
    "verification_portrait_unclear": _unclear,
    "verification_portrait_missing": _missing,
    "verification_document_not_detected": _undetected,
    "verification_image_unprocessable": _unprocessable,
    "verification_document_damaged": _damaged,
    "verification_document_expired": _slip("Expired 2001-01-01"),
    "verification_unsupported_document_type": _slip("Library card"),
    "verification_country_not_determined": _slip("Issued by: (not said)"),
    "verification_electronic_replica": _replica,
    "verification_attribute_mismatch": _slip("Name: Somebody Else"),
    "verification_disallowed_country": _slip("Issued by: Atlantis"),
    "verification_age_mismatch": _slip("Born 2025-12-31"),
    "verification_identity_unverified": _slip("Face of: Nobody Known"),
    "verification_unknown_error": _slip("? ? ?"),
}
"""All codes except those that request a missing image."""


SIZE = (800, 500)
FINE = 2  # drawn at double size, then reduced, for smooth edges
NAME = "Ana Specimen"
LONGEST = 32
STATE = "REPUBLIC OF NOWHERE"
WARNING = "Practice card. Not a document, not of a real person."

MUTED, BAND = (98, 112, 130), (52, 94, 140)
LINE, STAMP = (196, 214, 232), (200, 30, 45, 120)

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
    name: str = NAME,
    country: str = "XX",
    kind: str = "jpeg",
    fault: str | None = None,
) -> bytes:
    """A picture of one side (`document-front`, `document-back`, `selfie`), over 10 KB.

    `fault` is a status detail code: the picture then shows that defect, and the file contains the
    code, so that the simulator's verification ends with it.
    """
    draw_side, options = _chosen("side", SIDES, side), _chosen("kind", KINDS, kind)
    image = _paper()
    draw_side(image, name, country)
    stamped = Image.alpha_composite(image.convert("RGBA"), _stamp(image.size)).convert("RGB")
    marked = stamped.resize(SIZE, Image.Resampling.LANCZOS)
    if fault is not None:
        _chosen("fault", FAULTS, fault)
        marked = draw_defect(marked, side, fault)
    out = BytesIO()
    marked.save(out, **options, **(_outcome(kind, fault) if fault else {}))
    data = out.getvalue()
    return data + b"\n%" + SPECIMEN + fault.encode() if fault and kind == "pdf" else data


def _outcome(kind: str, fault: str) -> dict[str, Any]:
    """The Pillow options that write the outcome into a file of this kind."""
    text = (SPECIMEN + fault.encode()).decode()
    if kind == "png":
        info = PngInfo()
        info.add_text("Comment", text)
        return {"pnginfo": info}
    return {"jpeg": {"comment": text}, "tiff": {"description": text}}.get(kind, {})


def _chosen(word: str, table: Mapping[str, Entry], key: str) -> Entry:
    if key not in table:
        raise PaylabError(f"no specimen of {word} {key!r}; there is {', '.join(table)}")
    return table[key]


def _paper() -> Image.Image:
    """Paper with the wavy lines of a security print."""
    width, height = (side * FINE for side in SIZE)
    image = Image.new("RGB", (width, height), PAPER)
    pen = ImageDraw.Draw(image)
    for number in range(-4, 44):
        pen.line([_wave(x, number) for x in range(0, width + 8, 8)], fill=LINE, width=2)
    return image


def _wave(x: int, number: int) -> tuple[float, float]:
    return x, number * 24 + 34 * sin(x / 90 + number / 5) + 12 * sin(x / 31 - number / 3)


def _front(image: Image.Image, name: str, country: str) -> None:
    _band(image)
    face(image, left=80, top=210, width=380)
    rows = ("Name", name), ("Born", "1990-01-01"), ("Exercise", country), ("Number", "0000-0000")
    for number, (label, text) in enumerate(rows):
        _write(image, (540, 230 + 150 * number), label, 30, MUTED)
        _write(image, (540, 266 + 150 * number), _fitted(text), 52, INK)
    _write(image, (80, 900), WARNING, 34, MUTED)


def _back(image: Image.Image, name: str, country: str) -> None:
    _band(image)
    _write(image, (80, 220), "Address", 30, MUTED)
    _write(image, (80, 256), f"1 Example Street, Nowhere, {_fitted(country)}", 46, INK)
    _bars(image, top=380, bottom=600)
    zone = f"SPECIMEN<<{_fitted(name).upper().replace(' ', '<')}<<<<<<"
    _write(image, (80, 650), zone, 44, INK)
    _write(image, (80, 720), "0000<0000<9001011<NOT<A<DOCUMENT<<<", 44, INK)
    _write(image, (80, 900), WARNING, 34, MUTED)


def _selfie(image: Image.Image, name: str, _country: str) -> None:
    face(image, left=500, top=30, width=600)
    _write(image, (80, 846), f"Selfie of {_fitted(name)}", 46, INK)
    _write(image, (80, 916), "A drawing. Not a real person.", 34, MUTED)


SIDES: dict[str, Callable[[Image.Image, str, str], None]] = dict(
    zip(IMAGE_SIDES, (_front, _back, _selfie), strict=True)
)


def _band(image: Image.Image) -> None:
    ImageDraw.Draw(image).rectangle((0, 0, image.width, 150), fill=BAND)
    _write(image, (80, 28), STATE, 56, (255, 255, 255))
    _write(image, (80, 98), "SPECIMEN IDENTITY CARD", 30, (214, 228, 242))


def _bars(image: Image.Image, top: int, bottom: int) -> None:
    """Stripes that look like a bar code and encode nothing."""
    pen = ImageDraw.Draw(image)
    for number in range(90):
        left = 80 + number * 16
        pen.rectangle((left, top, left + 3 + number * 7 % 9, bottom), fill=INK)


@cache
def _stamp(size: tuple[int, int]) -> Image.Image:
    """The word SPECIMEN from corner to corner; turning it takes most of the time of a specimen."""
    layer = Image.new("RGBA", size)
    middle = (size[0] / 2, size[1] / 2)
    font = ImageFont.load_default(290)
    ImageDraw.Draw(layer).text(middle, "SPECIMEN", fill=STAMP, font=font, anchor="mm")
    return layer.rotate(29, Image.Resampling.BICUBIC)


def _write(
    image: Image.Image, at: tuple[int, int], text: str, size: int, ink: tuple[int, int, int]
) -> None:
    ImageDraw.Draw(image).text(at, text, fill=ink, font=ImageFont.load_default(size))


def _fitted(text: str) -> str:
    """Shorten a line to the card's width, with the characters that Pillow's font has."""
    bare = unicodedata.normalize("NFKD", text)
    letters = "".join(mark for mark in bare if not unicodedata.combining(mark))
    line = " ".join(letters.encode("ascii", "replace").decode().split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."
