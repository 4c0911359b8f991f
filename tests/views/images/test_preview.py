"""Previews of every type of image, and files that are refused or have no preview."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from io import BytesIO

import pillow_heif
import pytest
from PIL import Image

from paylab.errors import ProgramError
from paylab.views import picture_program
from paylab.views.images.choice import NO_PREVIEW, make_preview
from paylab.views.programs import picture_program as picture_program_of_lab
from paylab.views.programs import preview_picture
from paylab.views.specimens import specimen

pillow_heif.register_heif_opener()


def picture(kind, size=(800, 500), mode="RGB"):
    """A red RGB image as a file, or an image of another colour mode."""
    file = BytesIO()
    Image.new(mode, size, "red" if mode == "RGB" else 0).save(file, kind)
    return file.getvalue()


@pytest.mark.parametrize(
    ("kind", "mime"),
    [
        ("JPEG", "image/jpeg"),
        ("PNG", "image/png"),
        ("TIFF", "image/tiff"),
        ("HEIF", "image/heic"),
        ("PDF", "application/pdf"),
    ],
)
def test_an_image_of_any_type_has_a_jpeg_preview(kind, mime):
    """The preview of a red image of any type is a red JPEG of 320 by 200 pixels."""
    image = Image.open(BytesIO(make_preview(picture(kind), mime)[0]))
    assert (image.format, image.size) == ("JPEG", (320, 200))
    red, green, blue = image.getpixel((100, 100))
    assert (red > 230, green < 20, blue < 20) == (True, True, True)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGBA", "CMYK", "I;16", "F"])
def test_every_colour_mode_is_decoded_to_one_that_a_jpeg_can_have(mode):
    """Every colour mode is decoded to one that a JPEG can have."""
    image = picture_program.read_photo(BytesIO(picture("TIFF", mode=mode)))
    assert (image.mode, image.size) == ("RGB", (320, 200))


def test_a_photo_is_rotated_as_its_exif_orientation_says():
    """A photo is rotated as its EXIF orientation says."""
    tags, file = Image.Exif(), BytesIO()
    tags[0x0112] = 6
    Image.new("RGB", (800, 500)).save(file, "JPEG", exif=tags)
    assert Image.open(BytesIO(make_preview(file.getvalue(), "image/jpeg")[0])).size == (200, 320)


def test_a_preview_does_not_contain_the_exif_of_the_photo():
    """A preview does not contain the EXIF of the photo."""
    tags, file = Image.Exif(), BytesIO()
    tags[0x0110] = "Camera"
    Image.new("RGB", (90, 90)).save(file, "JPEG", exif=tags)
    assert b"Camera" not in make_preview(file.getvalue(), "image/jpeg")[0]


def bomb(width, height):
    """A small PNG whose header states a very large size."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b""))


def chunk(kind, data):
    """A chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@pytest.mark.parametrize("side", [9_500, 20_000, 2**31 - 1])
def test_an_image_with_too_many_pixels_is_not_decoded(side):
    """An image with too many pixels is not decoded."""
    assert make_preview(bomb(side, side), "image/png") == (None, NO_PREVIEW)


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (specimen("selfie")[:3000], "image/jpeg"),
        (specimen("selfie", kind="pdf")[:900], "application/pdf"),
        (b"\0\0\0\x18ftypheic" + bytes(9000), "image/heic"),
        (b"", "image/png"),
    ],
)
def test_a_truncated_or_malformed_file_has_no_preview_and_the_reason(data, mime):
    """A truncated or malformed file has no preview, and the reason."""
    assert make_preview(data, mime) == (None, NO_PREVIEW)


@pytest.mark.parametrize("mime", ["image/png", "qr"])
def test_no_other_program_reads_a_picture(tmp_path, monkeypatch, mime):
    """PostScript under the name of a picture is not given to Ghostscript, which would run it."""
    ran, program = tmp_path / "ran", tmp_path / "gs"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    picture_program_of_lab().close()  # the next one has this PATH
    page = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n%%EOF\n"
    with pytest.raises(ProgramError, match="it is not a picture"):
        preview_picture(page, mime)
    assert not ran.exists()


def laughs(levels):
    """A small PDF with nested forms, which together draw 10^levels rectangles."""
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R"
        b"/Resources<</XObject<</X 5 0 R>>>>>>",
        b"<</Length 5>>stream\n/X Do\nendstream",
    ]
    head = b"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]"
    for number in range(6, 6 + levels):
        draw = b"/X Do " * 10
        use = b"/Resources<</XObject<</X %d 0 R>>>>/Length %d>>" % (number, len(draw))
        parts.append(head + use + b"stream\n" + draw + b"\nendstream")
    parts.append(head + b"/Length 10>>stream\n0 0 9 9 re\nendstream")
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (at, part) for at, part in enumerate(parts, 1))
    return b"%PDF-1.4\n" + body + b"trailer<</Root 1 0 R/Size 20>>\n%%EOF"


def test_a_hostile_file_is_given_up():
    """A file that takes too long to decode has no preview, and its decoder is ended."""
    resource = pytest.importorskip("resource")
    assert make_preview(laughs(1), "application/pdf")[0]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with pytest.raises(ProgramError, match="longer than 1 seconds"):
        preview_picture(laughs(9), "application/pdf", seconds=1)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)  # of processes that have ended
    assert after.ru_utime > before.ru_utime


def test_the_decoder_has_limits():
    """The decoder limits its processor time and memory, if the system supports that."""
    resource = pytest.importorskip("resource")
    code = (
        "import runpy, resource as r; run = runpy.run_path({!r}); run['limit_process'](); "
        "print(r.getrlimit(r.RLIMIT_CPU)[0], r.getrlimit(r.RLIMIT_AS)[0])"
    )
    program = picture_program.__file__
    done = subprocess.run(
        [sys.executable, "-c", code.format(program)], capture_output=True, text=True, check=True
    )
    assert resource.RLIM_INFINITY not in map(int, done.stdout.split())
