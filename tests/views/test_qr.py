"""The card of a QR code: its table, its pictures, saved files, and refused values."""

from __future__ import annotations

import re
from base64 import b64decode

import pytest

from paylab.errors import PaylabError
from paylab.views.qr import QR, scan

HOSTILE = '<img src=x onerror="alert(1)">\u202e\x1b[31m'


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        (
            "maya",
            {
                "Issuer": "PAPHPHM1XXX · ph.ppmi.p2m",
                "Name": "Rui",
                "City": "Manila",
                "Amount": "1.00",
                "Currency": "PHP",
                "Use": "may be paid once",
                "CRC": "C116, correct",
            },
        ),
        ("komo", {"Amount": "the payer chooses", "Use": "may be paid many times"}),
        ("emvco", {"Issuer": "D15600000000", "Country": "CN", "Currency": "CNY"}),
    ],
)
def test_the_table_shows_the_fields_of_texts_made_by_others(golden, name, rows):
    """The table shows issuer, name, city, amount, currency and CRC of texts made by others."""
    assert rows.items() <= dict(QR(golden[name]).table()).items()


def test_the_bundle_has_a_card_a_png_that_decodes_an_svg_and_text(komo):
    """The bundle has a card, a PNG that decodes, an SVG, and text."""
    bundle = QR(komo)._repr_mimebundle_()
    assert set(bundle) == {"text/html", "image/png", "image/svg+xml", "text/plain"}
    assert scan(b64decode(bundle["image/png"])) == komo
    assert bundle["image/svg+xml"].startswith("<svg ")
    assert "Komoo Testingg" in bundle["text/plain"]


def test_card_holds_the_picture(komo):
    """The picture inside the card decodes too, and its background is white."""
    html = QR(komo)._repr_mimebundle_()["text/html"]
    (data,) = re.findall(r'src="data:image/png;base64,([^"]+)"', html)
    assert scan(b64decode(data)) == komo
    assert "background:#fff" in html


def test_a_text_with_a_wrong_crc_is_drawn_with_a_warning(komo):
    """A text with a wrong CRC is drawn and its fields are shown, with a warning not to pay."""
    code = QR(komo[:-4] + "0000")
    assert dict(code.table())["CRC"] == "wrong: 1E6F expected, 0000 found"
    assert dict(code.table())["Name"] == "Komoo Testingg"
    assert "Do not pay: the CRC is wrong" in code._repr_mimebundle_()["text/html"]
    assert scan(code.png()) == code.payload


@pytest.mark.parametrize("text", ["https://example.com", HOSTILE, "000201"])
def test_a_text_that_is_not_emv_is_drawn_with_a_warning_not_to_pay(text):
    """A text that is not EMV is drawn, with a warning not to pay."""
    code = QR(text)
    assert scan(code.png()) == text
    assert code.title == "This QR code is not valid"
    assert "Do not pay" in repr(code)


def test_hostile_text_is_escaped_no_tag_no_terminal_code_no_change_of_text_direction():
    """Hostile text is escaped: no tag, no terminal code, no change of text direction."""
    shown = QR(HOSTILE, about=[(HOSTILE, HOSTILE)])._repr_mimebundle_()
    assert "<img src=x" not in shown["text/html"]
    assert "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;\\u202e\\x1b[31m" in shown["text/html"]
    assert not {"\x1b", "\u202e"} & set(shown["text/html"] + shown["text/plain"])


@pytest.mark.parametrize("name", ["code.png", "CODE.PNG"])
def test_a_saved_png_decodes(tmp_path, komo, name):
    """A saved PNG decodes; it replaces an existing file and leaves no other file."""
    (tmp_path / name).write_bytes(b"old")
    saved = QR(komo, size=600).save(tmp_path / name)
    assert scan(saved) == komo
    assert list(tmp_path.iterdir()) == [saved]


def test_a_saved_svg_is_the_same_as_the_shown_svg(tmp_path, komo):
    """A saved SVG is the same as the shown SVG."""
    code = QR(komo)
    assert code.save(str(tmp_path / "code.svg")).read_text() == code.svg()


@pytest.mark.parametrize("name", ["code.gif", "code", ".png"])
def test_another_suffix_is_refused_before_writing(tmp_path, komo, name):
    """Another suffix is refused before anything is written."""
    with pytest.raises(PaylabError, match=r"saved as \.png or \.svg"):
        QR(komo).save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_save_fails_without_a_trace(tmp_path, komo):
    """When the file cannot be replaced, no temporary file is left."""
    (tmp_path / "code.png").mkdir()
    with pytest.raises(PaylabError, match=r"code\.png"):
        QR(komo).save(tmp_path / "code.png")
    assert [path.name for path in tmp_path.iterdir()] == ["code.png"]


@pytest.mark.parametrize("size", [29, 10_000])
def test_the_limits_of_a_size_are_sizes(komo, size):
    """The smallest and the largest size are accepted, of a card and of a picture."""
    assert QR(komo, size=size).size == size
    assert QR(komo).png(29)


@pytest.mark.parametrize("size", [-1, 28, 10_001])
def test_a_size_too_small_or_too_large_is_refused(komo, size):
    """A size that is too small or too large is refused when the code is made."""
    with pytest.raises(PaylabError, match="29 to 10000 pixels"):
        QR(komo, size=size)
