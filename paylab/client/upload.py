"""The body of an image upload: read once to hash it and once to send it, in blocks."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar
from zlib import crc32

import pybase64

from ..errors.base import Problem, RuleError
from ..rules import images as rules
from ..spec.service import Service
from .parameters import refuse
from .request import encode

BLOCK = 3 * 2**17
"""Block size in bytes: a multiple of 3, so that encoded blocks join to one Base64 text."""

HEAD = 64
"""Number of first bytes that identify the kind of an image."""


class ImageSource(Protocol):
    """An image that can be read more than once; OSError when it cannot."""

    def stamp(self) -> tuple[int, ...]:
        """A tuple that changes when the image changes; the size is first."""

    def blocks(self) -> Iterator[bytes | memoryview]:
        """The content in blocks of BLOCK bytes; the last may be shorter."""


class Held:
    """Bytes in memory."""

    def __init__(self, data: bytes | bytearray | memoryview) -> None:
        view = memoryview(data)
        # Only contiguous memory can be viewed as bytes without a copy.
        self._data = view.cast("B") if view.c_contiguous else memoryview(view.tobytes())

    def stamp(self) -> tuple[int, ...]:
        """The size."""
        return (len(self._data),)

    def blocks(self) -> Iterator[memoryview]:
        """Slices without copies."""
        return (self._data[at : at + BLOCK] for at in range(0, len(self._data), BLOCK))


class Stored:
    """A file on disk, opened for each read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def stamp(self) -> tuple[int, ...]:
        """Size, modification time and identity of the file."""
        found = self._path.stat()
        if not stat.S_ISREG(found.st_mode):  # a pipe would block and cannot be read twice
            raise OSError(f"{self._path.name} is not a file")
        return found.st_size, found.st_mtime_ns, found.st_ino

    def blocks(self) -> Iterator[bytes]:
        """The file from its start."""
        with self._path.open("rb") as file:
            yield from _blocks(file)


class Opened:
    """An open binary file that the caller closes; read from its start."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def stamp(self) -> tuple[int, ...]:
        """The size."""
        self._file.seek(0, os.SEEK_END)
        return (self._file.tell(),)

    def blocks(self) -> Iterator[bytes]:
        """The file from its start."""
        self._file.seek(0)
        return _blocks(self._file)


LONGEST_PATH = 1024


def source(content: object) -> ImageSource | None:
    """The source for bytes, a path or an open binary file; None for anything else."""
    if isinstance(content, bytes | bytearray | memoryview):
        return Held(content)
    if isinstance(content, os.PathLike) or _names_file(content):
        return Stored(Path(content))  # type: ignore[arg-type] # text or a path
    return Opened(content) if _is_open(content) else None  # type: ignore[arg-type] # it reads


def _names_file(content: object) -> bool:
    """Whether text is the path of a file, rather than a data URI."""
    if not isinstance(content, str) or len(content) > LONGEST_PATH or content[:5] == "data:":
        return False
    try:
        return Path(content).is_file()
    except (OSError, ValueError):  # not a valid file name
        return False


def first_bytes(image: ImageSource) -> bytes:
    """The first bytes."""
    return bytes(next(iter(image.blocks()), b"")[:HEAD])


def _is_open(content: object) -> bool:
    binary = "b" in str(getattr(content, "mode", "b"))
    return binary and all(hasattr(content, name) for name in ("read", "seek", "tell"))


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    while block := _full(file):
        yield block


def _full(file: BinaryIO) -> bytes:
    """The next whole block; an unbuffered file may return less per read."""
    block = file.read(BLOCK)
    while 0 < len(block) < BLOCK and (more := file.read(BLOCK - len(block))):
        block += more
    return block


Content = str | bytes | bytearray | memoryview | os.PathLike[str] | BinaryIO
Images = Mapping[str, Content] | Iterable[Mapping[str, Any]]
T = TypeVar("T")

CHANGED = "changed between being hashed and being sent, so nothing was accepted: send it again"


class Upload:
    """A JSON body of images that is generated on each read.

    `digest` is its SHA-256 in hex, `length` its size, and `outline` its fields without images. If
    a source changes between the reads, RuleError is raised before the body is complete, so that
    no server accepts it.
    """

    def __init__(self, images: Images, service: Service | None = None) -> None:
        items = [Item(item, f"images.{at}") for at, item in enumerate(_listed(images))]
        refuse(rules.check({"images": [item.measured() for item in items]}, service))
        self._parts = [item.part() for item in items]
        self.outline = encode({"images": [item.fields for item in items]})
        digest = sha256()
        self.length = 0
        for chunk in self._chunks():
            digest.update(chunk)
            self.length += len(chunk)
        self.digest = digest.hexdigest()

    @property
    def parts(self) -> dict[str, Any]:
        """What a request holds of it."""
        known = {"length": self.length, "digest": self.digest, "outline": self.outline}
        return {"content": self, **known}

    def __iter__(self) -> Iterator[bytes]:
        for part in self._parts:
            part.check()
        return self._chunks()

    def _chunks(self) -> Iterator[bytes]:
        for at, part in enumerate(self._parts):
            yield b'"},' if at else b'{"images":['
            yield from part.chunks()
        yield b'"}]}'


class Written:
    """An image given as a data URI: sent unchanged."""

    def __init__(self, start: bytes, text: str) -> None:
        self._start, self._text = start, text

    def check(self) -> None:
        """Does nothing: text cannot change."""

    def chunks(self) -> Iterator[bytes]:
        """The text in pieces."""
        yield self._start
        for at in range(0, len(self._text), BLOCK):
            yield self._text[at : at + BLOCK].encode("ascii")


class Encoded:
    """An image that is read and encoded in blocks; it must not change between reads."""

    def __init__(self, start: bytes, image: ImageSource, field: str) -> None:
        self._start, self._image, self._field = start, image, field
        self._stamp = _read(field, image.stamp)
        self._sum: int | None = None

    def check(self) -> None:
        """RuleError when the source has changed."""
        self._unless_same(_read(self._field, self._image.stamp) == self._stamp)

    def chunks(self) -> Iterator[bytes]:
        """Base64 in pieces; RuleError before the end when the bytes have changed."""
        yield self._start
        size, total = 0, 0
        for block in self._blocks():
            size, total = size + len(block), crc32(block, total)
            self._unless_same(size <= self._stamp[0])
            yield pybase64.b64encode(block)
        self._sum = total if self._sum is None else self._sum
        self._unless_same((size, total) == (self._stamp[0], self._sum))

    def _blocks(self) -> Iterator[bytes | memoryview]:
        blocks = self._image.blocks()
        while block := _read(self._field, partial(next, blocks, b"")):
            yield block

    def _unless_same(self, same: bool) -> None:
        if not same:
            raise RuleError([Problem(self._field, CHANGED)])


class Item:
    """One entry of the list as given, and the source of its bytes, if any."""

    def __init__(self, item: object, at: str) -> None:
        if not isinstance(item, Mapping):
            raise RuleError([Problem(at, "must be an object with type and content")])
        self.fields = {name: value for name, value in item.items() if name != "content"}
        self.content, self.field = item.get("content"), f"{at}.content"
        self.image = source(self.content)

    def measured(self) -> dict[str, Any]:
        """The entry for the rules: size and first bytes of an image."""
        content = self.content if self.image is None else self._measured(self.image)
        return {**self.fields, "content": content}

    def part(self) -> Written | Encoded:
        """The entry as it is sent, up to the end of its Base64."""
        if self.image is None:
            return Written(self._start(""), str(self.content))
        mime = self._measured(self.image).mime
        return Encoded(self._start(f"data:{mime};base64,"), self.image, self.field)

    def _measured(self, image: ImageSource) -> rules.Measured:
        size, *_ = _read(self.field, image.stamp)
        return rules.Measured(size, _read(self.field, partial(first_bytes, image)))

    def _start(self, uri: str) -> bytes:
        return encode({**self.fields, "content": uri}).removesuffix(b'"}')


def _listed(images: object) -> Iterable[object]:
    if isinstance(images, Mapping):
        return [{"type": side, "content": content} for side, content in images.items()]
    if isinstance(images, str) or not isinstance(images, Iterable):
        raise RuleError([Problem("images", "must be a dict of sides, or a list of objects")])
    return images


def _read(field: str, read: Callable[[], T]) -> T:
    """Read from a source; RuleError when that fails."""
    try:
        return read()
    except (OSError, ValueError) as error:  # ValueError: a path that no file can have
        reason = getattr(error, "strerror", None) or str(error)
        raise RuleError([Problem(field, f"cannot be read: {reason}")]) from None
