"""A program that draws Vega-Lite specifications as PNG or SVG, in a process of its own.

The compiler ends its process at some texts. This file imports nothing of paylab: it is run by
`paylab/processes/child.py`.
"""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import vl_convert
from PIL import Image

PNG_SCALE = 1.5
"""Pixels of a PNG for a pixel of the specification."""
VEGA_LITE_VERSION = "5.8"
"""The oldest version that vl-convert has; JupyterLab 4 draws with 5.6."""
PALETTE_SIZES = (64, 32, 16)
"""Numbers of colours of a PNG: few, so that `paylab scrub` takes it for no document image."""


def draw(request: bytes) -> bytes:
    """Draw the picture of a request: JSON with a `spec`, a `format`, and a `size` in bytes."""
    request_fields: dict[str, Any] = json.loads(request)
    chart_spec = request_fields["spec"]
    if request_fields["format"] == "svg":
        svg_text: str = vl_convert.vegalite_to_svg(chart_spec, vl_version=VEGA_LITE_VERSION)
        return svg_text.encode()
    png_bytes = vl_convert.vegalite_to_png(
        chart_spec, vl_version=VEGA_LITE_VERSION, scale=PNG_SCALE
    )
    return reduce_colours(png_bytes, request_fields["size"])


def reduce_colours(png: bytes, size_max: int) -> bytes:
    """The PNG with as many colours as fit in `size_max` bytes, or with the fewest."""
    image = Image.open(BytesIO(png)).convert("RGB")
    for colour_count in PALETTE_SIZES:
        # This method keeps the colours of small marks.
        reduced_image = image.quantize(colour_count, Image.Quantize.FASTOCTREE)
        picture_file = BytesIO()
        reduced_image.save(picture_file, format="png", optimize=True)
        if picture_file.tell() < size_max:
            break
    return picture_file.getvalue()
