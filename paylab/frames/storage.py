"""Small files under an address: a folder here, or anything fsspec knows (s3://, memory://)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from ..errors import ConfigError
from ..files import locked, replace, sweep


class Storage(Protocol):
    """Reads and replaces whole files; nobody ever sees half of one."""

    def read(self, name: str) -> bytes | None:
        """The content of a file; None when there is none."""

    def write(self, name: str, content: bytes) -> None:
        """Put a file in place, or replace it, at once."""

    def names(self, ending: str) -> list[str]:
        """The names with this ending, sorted."""

    def locked(self) -> Any:
        """A context in which no other process writes, where that can be had."""


class Folder:
    """A folder of this machine."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)

    def read(self, name: str) -> bytes | None:
        """The content of a file; None when there is none."""
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """Replace a file at once: who has the old one open goes on reading it."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with replace(target) as sink:
            sink.write(content)

    def names(self, ending: str) -> list[str]:
        """The names with this ending, sorted."""
        found = self.path.rglob(f"*{ending}")
        return sorted(path.relative_to(self.path).as_posix() for path in found)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from writing."""
        self.path.mkdir(parents=True, exist_ok=True)
        with locked(self.path / "_lock"):
            sweep(self.path)
            yield


class Remote:
    """A folder behind an fsspec address; object stores replace a file at once by themselves."""

    def __init__(self, address: str, options: dict[str, Any]) -> None:
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise ConfigError(f"{address}: needs fsspec, pip install 'paylab[scale]'") from None
        self._files, self._root = url_to_fs(address, **options)

    def read(self, name: str) -> bytes | None:
        """The content of a file; None when there is none."""
        try:
            content: bytes = self._files.cat_file(f"{self._root}/{name}")
        except FileNotFoundError:
            return None
        return content

    def write(self, name: str, content: bytes) -> None:
        """Replace a file."""
        path = f"{self._root}/{name}"
        self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
        self._files.pipe_file(path, content)

    def names(self, ending: str) -> list[str]:
        """The names with this ending, sorted."""
        found = self._files.find(self._root)
        return sorted(str(path)[len(self._root) + 1 :] for path in found if path.endswith(ending))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """There is no lock to be had: one process at a time may sync."""
        yield


def storage(address: str, options: dict[str, Any]) -> Storage:
    """What keeps the files of an address."""
    return Remote(address.rstrip("/"), options) if "://" in address else Folder(address)
