"""A cartoon face, which no one can take for a person."""

from __future__ import annotations

from PIL import Image, ImageDraw

SKIN, HAIR, SHIRT, INK, BLUSH = "#f2c9a1", "#5b3a29", "#3f8f7f", "#2b2b2b", "#e8a58b"
BACKDROP, EDGE = "#cfe3f1", "#7f9bb3"

# Shapes in hundredths of the width, painted in this order; the picture is 130 high.
ELLIPSES = (
    (HAIR, (22, 10, 78, 82)),
    (SHIRT, (8, 98, 92, 180)),
    (SKIN, (41, 74, 59, 110)),
    (SKIN, (26, 20, 74, 88)),
    (HAIR, (26, 12, 74, 42)),
    ("white", (35, 46, 46, 57)),
    ("white", (54, 46, 65, 57)),
    (INK, (38, 49, 43, 56)),
    (INK, (57, 49, 62, 56)),
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
    """Paint the face into a picture."""
    height = width * TALL // 100
    portrait = Image.new("RGB", (width, height), BACKDROP)
    pen = ImageDraw.Draw(portrait)
    for colour, box in ELLIPSES:
        pen.ellipse(_scaled(box, width), fill=colour)
    for box, start, end in ARCS:
        pen.arc(_scaled(box, width), start, end, fill=INK, width=max(2, width // 70))
    pen.rectangle((0, 0, width - 1, height - 1), outline=EDGE, width=4)
    image.paste(portrait, (left, top))


def _scaled(box: tuple[int, int, int, int], width: int) -> tuple[int, int, int, int]:
    left, top, right, bottom = (part * width // 100 for part in box)
    return left, top, right, bottom
