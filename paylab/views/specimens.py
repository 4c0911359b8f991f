"""Pictures to practise identity verification with: drawn here, of nobody, marked SPECIMEN.

The same arguments give the same bytes with one version of Pillow.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Mapping
from io import BytesIO
from math import sin
from typing import Any, TypeVar

from PIL import Image, ImageDraw, ImageFont

from ..codes import IMAGE_SIDES
from ..errors import PaylabError
from .faces import face
from .faults import FAULTS, spoil

Entry = TypeVar("Entry")

SIZE = (800, 500)
FINE = 2  # drawn twice as large, then reduced: smooth edges
NAME = "Ana Specimen"
LONGEST = 32
STATE = "REPUBLIC OF NOWHERE"
WARNING = "Practice card. Not a document, not of a real person."

INK, MUTED, PAPER = (38, 50, 66), (98, 112, 130), (238, 243, 248)
BAND, LINE, STAMP = (52, 94, 140), (196, 214, 232), (200, 30, 45, 120)

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

    `fault` is a status detail code: the picture then shows what that code complains about.
    """
    draw_side, options = _chosen("side", SIDES, side), _chosen("kind", KINDS, kind)
    image = _paper()
    draw_side(image, name, country)
    marked = _stamped(image).resize(SIZE, Image.Resampling.LANCZOS)
    if fault is not None:
        _chosen("fault", FAULTS, fault)
        marked = spoil(marked, side, fault)
    out = BytesIO()
    marked.save(out, **options)
    return out.getvalue()


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
    rows = [
        ("Name", name),
        ("Born", "1990-01-01"),
        ("Exercise", _fitted(country)),
        ("Number", "0000-0000"),
    ]
    for number, (label, text) in enumerate(rows):
        _write(image, (540, 230 + 150 * number), label, 30, MUTED)
        _write(image, (540, 266 + 150 * number), _fitted(text), 52, INK)
    _write(image, (80, 900), WARNING, 34, MUTED)


def _back(image: Image.Image, name: str, country: str) -> None:
    _band(image)
    _write(image, (80, 220), "Address", 30, MUTED)
    _write(image, (80, 256), f"1 Example Street, Nowhere, {_fitted(country)}", 46, INK)
    _bars(image, top=380, bottom=600)
    _write(image, (80, 650), f"SPECIMEN<<{_fitted(name).upper().replace(' ', '<')}<<<<<<", 44, INK)
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
    """Stripes that look like a bar code and hold nothing."""
    pen = ImageDraw.Draw(image)
    for number in range(90):
        left = 80 + number * 16
        pen.rectangle((left, top, left + 3 + number * 7 % 9, bottom), fill=INK)


def _stamped(image: Image.Image) -> Image.Image:
    """The word SPECIMEN from corner to corner."""
    layer = Image.new("RGBA", image.size)
    middle = (image.width / 2, image.height / 2)
    font = ImageFont.load_default(290)
    ImageDraw.Draw(layer).text(middle, "SPECIMEN", fill=STAMP, font=font, anchor="mm")
    turned = layer.rotate(29, Image.Resampling.BICUBIC)
    return Image.alpha_composite(image.convert("RGBA"), turned).convert("RGB")


def _write(
    image: Image.Image, at: tuple[int, int], text: str, size: int, ink: tuple[int, int, int]
) -> None:
    ImageDraw.Draw(image).text(at, text, fill=ink, font=ImageFont.load_default(size))


def _fitted(text: str) -> str:
    """One line that stays on the card, in the letters that Pillow's own font has."""
    bare = unicodedata.normalize("NFKD", text)
    letters = "".join(mark for mark in bare if not unicodedata.combining(mark))
    line = " ".join(letters.encode("ascii", "replace").decode().split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."
