"""A private temporary file that an image is collected in, slice by slice."""

from __future__ import annotations

import tempfile
from typing import BinaryIO, cast


class SpoolError(ValueError):
    """A slice that does not continue the file."""


class Spool:
    """A file of a size that was announced; `file` is private, and gone once nobody holds it.

    It has no name where the system allows that (mode 600 elsewhere), so no other user can open
    it, and nothing of it is left behind, not even by a kernel that was killed.
    """

    def __init__(self, size: int) -> None:
        self.size, self.at = size, 0
        self.file = temporary()

    @property
    def full(self) -> bool:
        """Whether all of it has come."""
        return self.at == self.size

    def add(self, at: int, data: bytes | memoryview) -> None:
        """Append a slice; SpoolError when it is not the next one."""
        if at != self.at or not data or at + len(data) > self.size:
            raise SpoolError(f"a slice at {at} of {len(data)} bytes, where {self.at} was next")
        self.file.write(data)
        self.at += len(data)

    def close(self) -> None:
        """Delete it."""
        self.file.close()


def temporary() -> BinaryIO:
    """A new private file."""
    return cast(BinaryIO, tempfile.TemporaryFile(prefix="paylab-"))
