"""The body of an image upload: read once to hash it and once to send it, in blocks."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

import pybase64

from ..errors.base import Problem, RuleError
from ..rules import images as rules
from ..spec.codes import ImageSide
from ..spec.service.frozen import to_json_value
from ..spec.service.service import Service
from ..spec.text import JsonMapping, plain
from .parameters import refuse_spec_problems
from .request import encode

BLOCK_BYTES = 3 * 2**17
"""Block size in bytes: a multiple of 3, so that encoded blocks join to one Base64 text."""

HEAD_BYTES = 64
"""Number of first bytes that identify the kind of an image."""

PATH_LENGTH_MAX = 1024

Content = str | bytes | bytearray | memoryview | os.PathLike[str] | BinaryIO
Images = Mapping[ImageSide | str, Content] | Iterable[JsonMapping]

FILE_NAME = re.compile(r"(?!data:)[^\n,;]{0,1000}\.\w{1,5}", re.IGNORECASE)
"""A text that can only be meant as the path of a file."""
BY_SIDE = 'as in {"document-front": "front.jpg", "document-back": "back.jpg", "selfie": "me.jpg"}'
NO_IMAGE = f"must be an object with type and content, or images a dict {BY_SIDE}"
CHANGED = "changed between being hashed and being sent, so nothing was accepted: send it again"


class Upload:
    """A JSON body of images that is generated on each read.

    `digest` is its SHA-256 in hex, `length` its size, and `outline` its fields without images. If
    an image changes between the reads, RuleError is raised before the body is complete, so that
    no server accepts it.
    """

    def __init__(self, images: Images, service: Service | None = None) -> None:
        """Read the images once, for the digest and the length; RuleError for a wrong one."""
        numbered_entries = enumerate(_list_images(images))
        self._images = [Image(entry, f"images.{index}") for index, entry in numbered_entries]
        refuse_spec_problems(rules.check({"images": [image.measured for image in self._images]}))
        constant_fields: Any = service.extra.get("individuals.upload_images", {}) if service else {}
        self._constants = encode(to_json_value(constant_fields)) if constant_fields else b"{}"
        self.outline = encode({"images": [image.fields for image in self._images]})
        body_digest = sha256()
        self.length = 0
        for chunk in self:
            body_digest.update(chunk)
            self.length += len(chunk)
        self.digest = body_digest.hexdigest()

    def __iter__(self) -> Iterator[bytes]:
        yield b'{"images":['
        for index, image in enumerate(self._images):
            if index > 0:
                yield b","
            yield from image.chunks()
        # The constant fields of the operation are a JSON object; its members follow the images.
        yield b"]}" if self._constants == b"{}" else b"]," + self._constants.removeprefix(b"{")


class Image:
    """An entry of the list: a data URI, or an image that is opened and encoded for each read.

    `measured` is the entry for the rules, with the size and the first bytes of an image.
    """

    def __init__(self, entry: object, path: str) -> None:
        """Measure the image of an entry; `path` is the entry's dotted path, for errors."""
        if not isinstance(entry, Mapping):
            raise RuleError([Problem(path, NO_IMAGE)])
        self.fields = {name: value for name, value in entry.items() if name != "content"}
        self._content = entry.get("content")
        self._content_path = f"{path}.content"
        self._size = self._measure_content()
        self._first_checksum: int | None = None  # of the first time that the image is read
        self.measured = {**self.fields, "content": self._size or self._content}

    def _measure_content(self) -> rules.ImageSize | None:
        """The size and the first bytes of an image; None for a data URI."""
        if not _is_file_content(self._content):
            self._refuse_absent_file()
            return None
        with self._open_image() as image_file:
            image_file.seek(0, os.SEEK_END)
            size = image_file.tell()
            image_file.seek(0)
            return rules.ImageSize(size, _read_block(image_file, HEAD_BYTES))

    def _refuse_absent_file(self) -> None:
        """RuleError for a text that looks like the path of a file and is none."""
        content = self._content
        if isinstance(content, str) and FILE_NAME.fullmatch(content):
            raise RuleError([Problem(self._content_path, _describe_absent_file(content))])

    def _describe_error(self, error: OSError | ValueError) -> str:
        """Why the image cannot be read."""
        if isinstance(error, FileNotFoundError) and isinstance(self._content, os.PathLike):
            return _describe_absent_file(self._content)
        return f"cannot be read: {getattr(error, 'strerror', None) or error}"

    def chunks(self) -> Iterator[bytes]:
        """The entry as JSON; RuleError before its end when the image has changed."""
        if self._size is None:
            json_bytes = encode({**self.fields, "content": self._content})
            for offset in range(0, len(json_bytes), BLOCK_BYTES):
                yield json_bytes[offset : offset + BLOCK_BYTES]
            return
        # The JSON is cut before the end of the content, whose Base64 follows in blocks.
        uri_start = f"data:{self._size.mime};base64,"
        json_end = b'"}'
        yield encode({**self.fields, "content": uri_start}).removesuffix(json_end)
        yield from self._encode_blocks(self._size.size)
        yield json_end

    def _encode_blocks(self, announced_size: int) -> Iterator[bytes]:
        """The Base64 of an image; RuleError at its end if it is not the one read first."""
        read_byte_count = 0
        checksum = 0
        with self._open_image() as image_file:
            while block := _read_block(image_file, BLOCK_BYTES):
                read_byte_count += len(block)
                checksum = crc32(block, checksum)
                if read_byte_count > announced_size:  # no more is sent than the announced length
                    break
                yield pybase64.b64encode(block)
        if self._first_checksum is None:
            self._first_checksum = checksum
        if (read_byte_count, checksum) != (announced_size, self._first_checksum):
            raise RuleError([Problem(self._content_path, CHANGED)])

    @contextmanager
    def _open_image(self) -> Iterator[BinaryIO]:
        """The image from its start; RuleError when it cannot be read."""
        try:
            with _open_content(self._content) as image_file:
                image_file.seek(0)
                yield image_file
        except (OSError, ValueError) as error:  # ValueError: a path that no file can have
            raise RuleError([Problem(self._content_path, self._describe_error(error))]) from None


def _describe_absent_file(path: str | os.PathLike[str]) -> str:
    """Say that there is no file of a path, and in which folder a relative path was looked for."""
    place_text = "" if Path(path).is_absolute() else f" in {Path.cwd()}"
    return f"there is no file {plain(str(path), 200)}{place_text}"


def _is_file_content(content: object) -> bool:
    """Whether content is bytes, a path or an open binary file, rather than a data URI."""
    if isinstance(content, bytes | bytearray | memoryview | os.PathLike):
        return True
    return _is_file_path(content) if isinstance(content, str) else _is_binary_file(content)


def _is_binary_file(content: object) -> bool:
    """Whether content is an open binary file; one that does not tell its mode may be."""
    has_all_methods = all(hasattr(content, method_name) for method_name in ("read", "seek", "tell"))
    return has_all_methods and "b" in str(getattr(content, "mode", "b"))


def _is_file_path(content: str) -> bool:
    """Whether a text is the path of a file. A text too long for a path is a data URI."""
    if len(content) > PATH_LENGTH_MAX:
        return False
    try:
        return Path(content).is_file()
    except (OSError, ValueError):  # not a valid file name
        return False


def _open_content(content: Any) -> AbstractContextManager[BinaryIO]:
    """Readable content as a file; one that the caller opened stays open."""
    if isinstance(content, bytes | bytearray | memoryview):
        return BytesIO(bytes(content))
    if not isinstance(content, str | os.PathLike):
        return nullcontext(content)
    path = Path(content)
    if not stat.S_ISREG(path.stat().st_mode):  # a pipe would block and cannot be read twice
        raise OSError(f"{path.name} is not a file")
    return path.open("rb")


def _read_block(file: BinaryIO, size: int) -> bytes:
    """The next whole block; an unbuffered file may return less per read."""
    block = file.read(size)
    while 0 < len(block) < size:
        further_block = file.read(size - len(block))
        if not further_block:
            break
        block += further_block
    return block


def _list_images(images: object) -> Iterable[object]:
    """The images as entries with `type` and `content`; a list is taken as it is."""
    if isinstance(images, Mapping):
        return [{"type": image_side, "content": content} for image_side, content in images.items()]
    if isinstance(images, str) or not isinstance(images, Iterable):
        raise RuleError([Problem("images", f"must be a dict of sides, {BY_SIDE}")])
    return images
