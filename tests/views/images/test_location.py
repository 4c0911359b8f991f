"""Removing the location from files that other libraries write and read."""

from __future__ import annotations

import struct
from io import BytesIO

import pillow_heif
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from paylab.views.images.location import UnsearchableError, find_location_patches, remove_location

pillow_heif.register_heif_opener()

GPS, MODEL = 0x8825, 0x0110
XMP = b"""<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description exif:GPSLatitude="19,25.9N"
 tiff:Model="Camera"><exif:GPSLongitude>99,8W</exif:GPSLongitude></rdf:Description></x:xmpmeta>"""


def exif():
    """EXIF with the camera's name and a location in Mexico City."""
    found = Image.Exif()
    found[MODEL] = "Camera"
    found[GPS] = {1: "N", 2: (19.0, 25.0, 57.5), 3: "W", 4: (99.0, 7.0, 59.1), 29: "2026:01:31"}
    return found


def photo(kind):
    """A photo with a location, as a file of this kind."""
    file = BytesIO()
    noise = Image.effect_noise((64, 48), 90).convert("RGB")
    noise.save(file, kind, exif=exif().tobytes())
    return file.getvalue()


def place(data):
    """The location as Pillow reads it."""
    return dict(Image.open(BytesIO(data)).getexif().get_ifd(GPS))


def pixels(data):
    """The pixels of the image."""
    return Image.open(BytesIO(data)).tobytes()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "HEIF"])
def test_removing_the_location_keeps_the_file_size_the_pixels_and_the_other_tags(kind):
    """Removing the location keeps the file size, the pixels and the other tags."""
    data = photo(kind)
    before, size = pixels(data), len(data)
    assert 2 in place(data)
    data = remove_location(data)
    assert (place(data), len(data), pixels(data)) == ({}, size, before)
    assert Image.open(BytesIO(data)).getexif()[MODEL] == "Camera"
    assert (find_location_patches(data), remove_location(data)) == ([], data)


def test_the_numbers_are_gone():
    """The values that the GPS table refers to are overwritten too."""
    data = photo("TIFF")
    assert b"2026:01:31" in data
    data = remove_location(data)
    assert b"2026:01:31" not in data


def test_exif_in_big_endian_byte_order_loses_its_location_too():
    """EXIF in big-endian byte order loses its location too."""
    file = BytesIO()
    tags = exif()
    tags.endian = ">"
    Image.new("RGB", (9, 9)).save(file, "JPEG", exif=tags.tobytes())
    data = file.getvalue()
    assert b"MM\0*" in data
    assert 2 in place(data)
    data = remove_location(data)
    assert place(data) == {}


def test_xmp_loses_its_location_as_attribute_and_as_element():
    """XMP loses its location, as attribute and as element; its other text stays."""
    file = BytesIO()
    Image.new("RGB", (9, 9)).save(file, "JPEG", xmp=XMP)
    data = file.getvalue()
    data = remove_location(data)
    assert b"GPSL" not in data
    assert b'tiff:Model="Camera"' in data


@pytest.mark.parametrize("packed", [True, False])
def test_xmp_in_a_png_loses_its_location_compressed_or_not(packed):
    """XMP in a PNG loses its location, compressed or not; the checksums stay right."""
    info = PngInfo()
    info.add_itxt("XML:com.adobe.xmp", XMP.decode(), zip=packed)
    info.add_text("Title", "Kept")
    file = BytesIO()
    Image.new("RGB", (9, 9)).save(file, "PNG", pnginfo=info)
    data = file.getvalue()
    data = remove_location(data)
    image = Image.open(BytesIO(data))
    image.load()
    assert "GPSL" not in str(image.text)
    assert image.text["Title"] == "Kept"


def test_a_jpeg_photo_inside_a_pdf_loses_the_location_of_its_exif():
    """A JPEG photo inside a PDF loses the location of its EXIF."""
    data = b"%PDF-1.4\nstream\n" + photo("JPEG") + b"\nendstream"
    data = remove_location(data)
    assert place(data[data.index(b"\xff\xd8") :]) == {}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"II*\0",
        b"MM\0*" * 1000,
        b"II*\0\x08\0\0\0\xff\xff",
        b"II*\0\x08\0\0\0\0\0\x08\0\0\0",  # a circular chain of tables
        b"II*\0\x08\0\0\0\x01\0\x25\x88\x04\0\x01\0\0\0\xff\xff\xff\xff\0\0\0\0",
        b"\x89PNG\r\n\x1a\n" + b"\xff" * 40,
        b"exif:GPS" * 1000,
    ],
)
def test_data_without_a_location_even_if_malformed_does_not_change(data):
    """Data without a location, even if malformed, does not change."""
    assert not find_location_patches(data)
    assert remove_location(data) == data


@pytest.mark.parametrize(
    "data",
    [
        b"MM\0*\0\0\0\x08" * 300_000,
        (b"II*\0\x08\0\0\0" + struct.pack("<H", 500) + struct.pack("<HHII", GPS, 4, 1, 8) * 500)
        * 9,
        (struct.pack("<4sIH", b"II*\0", 8, 500) + struct.pack("<HHII", 1, 1, 65536, 9) * 500) * 999,
        b"\x89PNG\r\n\x1a\n" + bytes(12 * 300_000),
    ],
)
def test_a_file_with_too_much_metadata_is_given_up(data):
    """A file with too much metadata raises an error instead of a search of minutes."""
    with pytest.raises(UnsearchableError, match="too much metadata"):
        find_location_patches(data + bytes(2**16))


def tiff(*entries, values=b""):
    """A TIFF whose GPS table at 26 has these entries; its values begin at 100."""
    head = struct.pack("<4sIHHHIII", b"II*\0", 8, 1, GPS, 4, 1, 26, 0)
    table = struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *e) for e in entries)
    return (head + table).ljust(100, b"x") + values


@pytest.mark.parametrize(
    ("kind", "count", "gone"),
    [(2, 4, 0), (2, 5, 5), (3, 2, 0), (3, 3, 6), (5, 1, 8), (12, 2, 16), (99, 9, 0), (2, 21, 0)],
)
def test_only_values_that_are_stored_elsewhere_are_overwritten(kind, count, gone):
    """Up to four bytes are in the table; a value that ends after the file is none."""
    data = tiff((2, kind, count, 100), values=b"v" * 20)
    changed = remove_location(data)
    assert changed[100:] == bytes(gone) + b"v" * (20 - gone)
    assert changed[:26] == data[:26]
    assert changed[26:40] == bytes(14)
    assert changed[40:100] == data[40:100]


@pytest.mark.parametrize(("kind", "count", "found"), [(13, 1, True), (3, 1, False), (4, 2, False)])
def test_a_pointer_to_the_location_is_one_long_number(kind, count, found):
    """Another type or number of values is no pointer to a table."""
    data = tiff((2, 2, 1, 0)).replace(
        struct.pack("<HHI", GPS, 4, 1), struct.pack("<HHI", GPS, kind, count)
    )
    assert bool(find_location_patches(data)) is found
