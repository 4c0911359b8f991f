"""The file picker in the kernel: slices in order, each acknowledged, no bytes in the state."""

from __future__ import annotations

import pytest

from paylab.views.forms.file import FilePicker

SLICE = 2**20
SIZE = 2 * SLICE + 5


class Wire(list):
    """The messages of a picker to the browser."""

    def __call__(self, content, buffers=None):
        """Store a message without its node."""
        assert content.pop("node")
        self.append(content)


@pytest.fixture(name="taken")
def files():
    """The files that the picker received."""
    return []


@pytest.fixture(name="picker")
def a_picker(taken):
    """A picker whose browser is the test."""
    picker = FilePicker(
        "Selfie",
        "image/*",
        lambda _, data: taken.append(data),
        on_refusal=lambda name, size: taken.append((name, size)),
    )
    picker.wire = Wire()
    picker.attach(picker.wire)
    return picker


def say(picker, kind, *buffers, **content):
    """Send a message from the browser to the picker."""
    message = {"kind": kind, "id": "1", **content}
    picker.receive(message, [memoryview(b) for b in buffers])


def test_slices_make_a_file(picker, taken):
    """Each slice is requested after the one before; the file is complete and not in the state."""
    data = bytes(range(256)) * (SIZE // 256) + b"\0" * (SIZE % 256)
    say(picker, "start", size=SIZE)
    for at in range(0, SIZE, SLICE):
        assert picker.wire[-1] == {"kind": "next", "id": "1", "at": at}
        say(picker, "slice", data[at : at + SLICE], at=at)
    assert taken == [data]
    assert picker.wire[-1]["kind"] == "done"
    assert data[:64] not in str(picker.props()).encode()


@pytest.mark.parametrize("size", [-1, 15_728_641, 10**12, 1.5, "5", None, True])
def test_a_size_that_is_none(picker, taken, size):
    """An invalid size stops the transfer at its start; later slices are ignored."""
    say(picker, "start", size=size)
    say(picker, "slice", b"x", at=0)
    assert picker.wire == [picker.wire[0]]
    assert picker.wire[0]["kind"] == "stop"
    assert not taken


@pytest.mark.parametrize(
    ("at", "data"), [(1, b"x"), (0, b""), (0, b"x" * (SIZE + 1)), (-1, b"x"), (SLICE, b"x")]
)
def test_a_slice_out_of_turn_stops_the_transfer(picker, taken, at, data):
    """A slice that is not the expected one stops the transfer."""
    say(picker, "start", size=SIZE)
    say(picker, "slice", data, at=at)
    assert picker.wire[-1]["kind"] == "stop"
    assert not taken


def test_a_slice_that_arrives_after_a_cancellation_is_ignored(picker, taken):
    """A slice that arrives after a cancellation is ignored."""
    say(picker, "start", size=SIZE)
    say(picker, "slice", b"x" * SLICE, at=0)
    say(picker, "cancel")
    say(picker, "slice", b"x" * SLICE, at=SLICE)
    assert [(each["kind"], each["at"]) for each in picker.wire] == [("next", 0), ("next", SLICE)]
    assert not taken


def test_slices_of_an_earlier_file_are_ignored_after_another_file_was_started(picker, taken):
    """Slices of an earlier file are ignored after another file was started."""
    say(picker, "start", size=SIZE)
    say(picker, "start", size=3, id="2")
    say(picker, "slice", b"old", at=0)
    say(picker, "slice", b"new", at=0, id="2")
    assert taken == [b"new"]


def test_too_large_is_told_by_the_browser(picker, taken):
    """The browser sends only the name and size of a file that is too large."""
    say(picker, "refuse", name="a.jpg", size=99_000_000)
    assert taken == [("a.jpg", 99_000_000)]


@pytest.mark.parametrize("content", [{}, {"kind": None}, {"kind": "eval"}, {"kind": []}])
def test_junk_is_passed_over(picker, content):
    """A malformed message from the browser is ignored."""
    picker.receive(content, [])
    assert picker.wire == []
