"""The picker's half in the kernel: slices in order, each acknowledged, nothing in its state."""

from __future__ import annotations

import pytest

from paylab.views.forms.file import FilePicker

SLICE = 2**20
SIZE = 2 * SLICE + 5


class Wire(list):
    """What a picker said to the browser."""

    def __call__(self, content, buffers=None):
        """Note it."""
        assert content.pop("node")
        self.append(content)


@pytest.fixture(name="taken")
def files():
    """Where files go."""
    return []


@pytest.fixture(name="picker")
def a_picker(taken):
    """A picker whose browser is this test."""
    picker = FilePicker(
        "Selfie",
        "image/*",
        lambda _, file: taken.append(file),
        refuse=lambda name, size: taken.append((name, size)),
    )
    picker.wire = Wire()
    picker.attach(picker.wire)
    return picker


def say(picker, kind, *buffers, **content):
    """A message from the browser."""
    message = {"kind": kind, "id": "1", **content}
    picker.receive(message, [memoryview(b) for b in buffers])


def test_slices_make_a_file(picker, taken):
    """Each slice is asked for once the one before has arrived."""
    data = bytes(range(256)) * (SIZE // 256) + b"\0" * (SIZE % 256)
    say(picker, "start", size=SIZE)
    for at in range(0, SIZE, SLICE):
        assert picker.wire[-1] == {"kind": "next", "id": "1", "at": at}
        say(picker, "slice", data[at : at + SLICE], at=at)
    taken[0].seek(0)
    assert taken[0].read() == data
    assert picker.wire[-1]["kind"] == "done"
    assert data[:64] not in str(picker.props()).encode()


@pytest.mark.parametrize("size", [-1, 15_728_641, 10**12, 1.5, "5", None, True])
def test_a_size_that_is_none(picker, taken, size):
    """Refused before a byte is sent."""
    say(picker, "start", size=size)
    say(picker, "slice", b"x", at=0)
    assert picker.wire == [picker.wire[0]]
    assert picker.wire[0]["kind"] == "stop"
    assert not taken


@pytest.mark.parametrize(
    ("at", "data"), [(1, b"x"), (0, b""), (0, b"x" * (SIZE + 1)), (-1, b"x"), (SLICE, b"x")]
)
def test_a_slice_out_of_turn(picker, taken, at, data):
    """It ends the sending, and says so."""
    say(picker, "start", size=SIZE)
    say(picker, "slice", data, at=at)
    assert picker.wire[-1]["kind"] == "stop"
    assert not taken


def test_cancelled(picker, taken):
    """What came is deleted, and a late slice finds nothing to go into."""
    say(picker, "start", size=SIZE)
    say(picker, "slice", b"x" * SLICE, at=0)
    say(picker, "cancel")
    say(picker, "slice", b"x" * SLICE, at=SLICE)
    assert picker.wire[-1]["kind"] == "next"
    assert not taken


def test_another_file_begins(picker, taken):
    """Slices of the one before are nobody's."""
    say(picker, "start", size=SIZE)
    say(picker, "start", size=3, id="2")
    say(picker, "slice", b"old", at=0)
    say(picker, "slice", b"new", at=0, id="2")
    taken[0].seek(0)
    assert taken[0].read() == b"new"


def test_too_large_is_told_by_the_browser(picker, taken):
    """Only the name and the size come."""
    say(picker, "refuse", name="a.jpg", size=99_000_000)
    assert taken == [("a.jpg", 99_000_000)]


@pytest.mark.parametrize("content", [{}, {"kind": None}, {"kind": "eval"}, {"kind": []}])
def test_junk_is_passed_over(picker, content):
    """A browser can send anything."""
    picker.receive(content, [])
    assert picker.wire == []
