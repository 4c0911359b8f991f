"""A program that draws Vega-Lite specifications as PNG or SVG, in a process of its own.

The compiler ends its process at some texts. This file imports nothing of paylab: it is run by
`paylab/child.py`.
"""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import vl_convert
from PIL import Image

SCALE = 1.5
"""Pixels of a PNG for a pixel of the specification."""
COMPILER = "5.8"
"""The oldest version that vl-convert has; JupyterLab 4 draws with 5.6."""
PALETTES = (64, 32, 16)
"""Colours of a PNG: few, so that `paylab scrub` does not take it for a document image."""


def draw(request: bytes) -> bytes:
    """The picture of a request, which has a `spec`, a `format`, and a `size` for `small_png`."""
    drawing: dict[str, Any] = json.loads(request)
    spec = drawing["spec"]
    if drawing["format"] == "svg":
        picture: str = vl_convert.vegalite_to_svg(spec, vl_version=COMPILER)
        return picture.encode()
    return small_png(
        vl_convert.vegalite_to_png(spec, vl_version=COMPILER, scale=SCALE), drawing["size"]
    )


def small_png(drawn: bytes, size: int) -> bytes:
    """The PNG with as many colours as fit in `size` bytes, or the fewest."""
    full_colour = Image.open(BytesIO(drawn)).convert("RGB")
    for colours in PALETTES:
        picture = BytesIO()
        few_colours = full_colour.quantize(
            colours, Image.Quantize.FASTOCTREE
        )  # keeps small marks' colours
        few_colours.save(picture, format="png", optimize=True)
        if picture.tell() < size:
            break
    return picture.getvalue()
