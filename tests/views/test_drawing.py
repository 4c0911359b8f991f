"""Drawn QR codes are decoded by zxing-cpp, which shares no code with the drawing."""

from __future__ import annotations

import re
from io import BytesIO
from itertools import groupby
from xml.etree import ElementTree as ET

import pytest
from PIL import Image

from paylab.errors import PaylabError
from paylab.views.drawing import QUIET_ZONE, encode_qr
from paylab.views.qr import scan

SIZES = (120, 157, 200, 300, 401, 640, 1200)
LONGEST_EMV = 512
TEXTS = {"short": "000201", "longest": "0" * 6 + "Aa1 " * ((LONGEST_EMV - 6) // 4)}
BLOCKS = {" ": (0, 0), "▀": (255, 0), "▄": (0, 255), "█": (255, 255)}


def picture(rows):
    """A PNG of rows of grey values, with four pixels for each value."""
    image = Image.new("L", (len(rows[0]), len(rows)))
    image.putdata([value for row in rows for value in row])
    out = BytesIO()
    image.resize((image.width * 4, image.height * 4)).save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "size"),
    [*(("komo", size) for size in SIZES), *((name, 256) for name in ("maya", "emvco", *TEXTS))],
)
def test_the_png_decodes_to_its_text_at_each_size_and_has_the_requested_size(golden, name, size):
    """The PNG decodes to its text at each size and has the requested size."""
    text = (golden | TEXTS)[name]
    data = encode_qr(text).png(size)
    assert scan(data) == text
    assert Image.open(BytesIO(data)).size == (size, size)


@pytest.mark.parametrize("size", SIZES)
def test_every_module_inside_the_border_is_a_whole_number_of_pixels_wide(komo, size):
    """Every module inside the border is a whole number of pixels wide."""
    code = encode_qr(komo)
    image = Image.open(BytesIO(code.png(size))).convert("L")
    for y in range(size):
        runs = [len(list(run)) for _, run in groupby(image.crop((0, y, size, y + 1)).tobytes())]
        assert not any(run % code.pixels_per_module(size) for run in runs[1:-1])


def test_every_side_has_a_border_of_four_light_modules(komo):
    """Every side has a border of four light modules."""
    rows = encode_qr(komo).rows
    edge = rows[:QUIET_ZONE] + rows[-QUIET_ZONE:]
    sides = [row[:QUIET_ZONE] + row[-QUIET_ZONE:] for row in rows]
    assert not any(map(any, (*edge, *sides)))


def test_a_picture_has_at_least_one_pixel_per_module(komo):
    """A picture has at least one pixel per module, even if the requested size is smaller."""
    code = encode_qr(komo)
    assert Image.open(BytesIO(code.png(10))).size == (code.width, code.width)


@pytest.mark.parametrize("ansi", [True, False])
def test_the_half_blocks_of_the_terminal_text_decode_to_the_text(komo, ansi):
    """The half blocks of the terminal text decode to the text."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", encode_qr(komo).terminal(ansi=ansi)).splitlines()
    halves = [[BLOCKS[block] for block in line] for line in lines]
    rows = [[half[place] for half in line] for line in halves for place in (0, 1)]
    assert scan(picture(rows)) == komo


def test_with_ansi_each_line_sets_its_colours_and_resets_them(komo):
    """With `ansi`, each line sets its colours and resets them."""
    lines = encode_qr(komo).terminal(ansi=True).splitlines()
    assert all(line.startswith("\x1b[97;40m") and line.endswith("\x1b[0m") for line in lines)


def test_the_strokes_of_the_svg_decode_to_the_text_and_its_background_is_white(komo):
    """The strokes of the SVG decode to the text, and its background is white."""
    root = ET.fromstring(encode_qr(komo).svg(300))
    side = int(root.get("viewBox").split()[2])
    rows = [[255] * side for _ in range(side)]
    for y, moves in re.findall(r"M0,(\d+)\.5([^M]*)", root[2].get("d")):
        stroke(rows[int(y)], moves)
    assert root[1].get("fill") == "#fff"
    assert scan(picture(rows)) == komo


def stroke(row, moves):
    """Draw the pen moves of one row."""
    x = 0
    for move, length in re.findall(r"([hm])(\d+)", moves):
        row[x : x + int(length)] = [0 if move == "h" else 255] * int(length)
        x += int(length)


@pytest.mark.parametrize(("size", "side"), [(300, 265), (120, 106), (53, 53), (10, 53)])
def test_an_svg_has_a_whole_number_of_pixels_per_module_at_least_one(komo, size, side):
    """An SVG has a whole number of pixels per module, at least one."""
    assert f'width="{side}" height="{side}"' in encode_qr(komo).svg(size)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "no text"), ("\ud800", "surrogate"), ("á" * 2000, "2000 characters are too many")],
)
def test_a_text_that_cannot_be_drawn_is_an_error_with_the_reason(text, reason):
    """A text that cannot be drawn as a QR code is an error with the reason."""
    with pytest.raises(PaylabError, match=reason):
        encode_qr(text)


def test_the_last_line_of_a_terminal_ends_with_the_border(komo):
    """A code has an odd number of rows; below the last one is the terminal's background."""
    code = encode_qr(komo)
    assert code.width % 2 == 1
    assert code.terminal().splitlines()[-1] == "▀" * code.width
