"""Where the bytes of an image come from, read in blocks as often as needed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

BLOCK = 3 * 2**17
"""Bytes at a time: a multiple of 3, so that blocks encoded one by one make one Base64 text."""

HEAD = 64
"""Bytes that tell what kind of image it is."""


class Source(Protocol):
    """An image that can be read more than once; OSError when it cannot."""

    def stamp(self) -> tuple[int, ...]:
        """What stays the same while the image does, its size first."""

    def blocks(self) -> Iterator[bytes | memoryview]:
        """All of it, in blocks of BLOCK bytes but for the last."""


class Held:
    """Bytes that are in memory already."""

    def __init__(self, data: bytes | bytearray | memoryview) -> None:
        view = memoryview(data)
        # Only what lies in one piece can be looked at as bytes without a copy.
        self._data = view.cast("B") if view.c_contiguous else memoryview(view.tobytes())

    def stamp(self) -> tuple[int, ...]:
        """The size."""
        return (len(self._data),)

    def blocks(self) -> Iterator[memoryview]:
        """Slices, not copies."""
        return (self._data[at : at + BLOCK] for at in range(0, len(self._data), BLOCK))


class Stored:
    """A file on disk, opened for each reading."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def stamp(self) -> tuple[int, ...]:
        """Size, time of the last change, and which file it is."""
        found = self._path.stat()
        if not stat.S_ISREG(found.st_mode):  # a pipe would wait for ever, and cannot be read twice
            raise OSError(f"{self._path.name} is not a file")
        return found.st_size, found.st_mtime_ns, found.st_ino

    def blocks(self) -> Iterator[bytes]:
        """The file from its beginning."""
        with self._path.open("rb") as file:
            yield from _blocks(file)


class Opened:
    """A binary file that somebody else opened and will close; read from its beginning."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def stamp(self) -> tuple[int, ...]:
        """The size."""
        self._file.seek(0, os.SEEK_END)
        return (self._file.tell(),)

    def blocks(self) -> Iterator[bytes]:
        """The file from its beginning."""
        self._file.seek(0)
        return _blocks(self._file)


def source(content: object) -> Source | None:
    """How to read bytes, a path or an open binary file; None for anything else."""
    if isinstance(content, bytes | bytearray | memoryview):
        return Held(content)
    if isinstance(content, os.PathLike):
        return Stored(Path(content))
    return Opened(content) if _is_open(content) else None  # type: ignore[arg-type] # it reads


def head(image: Source) -> bytes:
    """The first bytes."""
    return bytes(next(iter(image.blocks()), b"")[:HEAD])


def _is_open(content: object) -> bool:
    binary = "b" in str(getattr(content, "mode", "b"))
    return binary and all(hasattr(content, name) for name in ("read", "seek", "tell"))


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    while block := _full(file):
        yield block


def _full(file: BinaryIO) -> bytes:
    """The next block; an unbuffered file may give it in pieces."""
    block = file.read(BLOCK)
    while 0 < len(block) < BLOCK and (more := file.read(BLOCK - len(block))):
        block += more
    return block
