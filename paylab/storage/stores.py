"""The files under an address: a folder of this machine, or one at an fsspec URL."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors.base import ConfigError
from ..errors.text import plain
from ..files import remove_drafts, replace
from .addresses import explain_storage, is_url, local_path, open_file_system
from .locks import hold_file_lock


class Folder:
    """A folder of this machine."""

    def __init__(self, path: str) -> None:
        self.path = local_path(path)

    def note_name(self, ending: str, start: str = "") -> str:
        """The name of a note about the folder: beside it, or inside if its parent is read-only.

        Some programs read every file in a folder as rows, so a note is beside it if possible.
        """
        folder = self.path.resolve()
        if folder.name and os.access(folder.parent, os.W_OK):
            return f"../{start}{folder.name}{ending}"
        return f"_{ending.lstrip('.')}"

    def read(self, name: str) -> bytes | None:
        """The content of a file; None if it does not exist."""
        try:
            return self._target(name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """Replace a file atomically; open readers keep the old content."""
        self._make_folder()
        target_path = self._target(name)
        target_path.parent.mkdir(parents=True, exist_ok=True)
        with replace(target_path) as target_file:
            target_file.write(content)

    def _make_folder(self) -> None:
        """Make the folder if it is not there; ConfigError if a file has its name."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise ConfigError(
                f"{plain(str(self.path), 200)} is a file: name a folder, such as transfers/"
            ) from None

    def remove(self, name: str) -> None:
        """Remove a file, and its folder if that is empty."""
        target_path = self._target(name)
        target_path.unlink(missing_ok=True)
        if target_path.parent not in (self.path, self.path.resolve().parent):
            with suppress(OSError):  # a folder with other files stays
                target_path.parent.rmdir()

    def names(self, ending: str) -> list[str]:
        """The names of the files that end so, sorted; those in subfolders with their path."""
        paths = (path for path in self.path.rglob(f"*{ending}") if not path.is_dir())
        return sorted(path.relative_to(self.path).as_posix() for path in paths)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from writing to the folder during the block."""
        self._make_folder()
        with hold_file_lock(self._target(self.note_name(".lock", start="."))):
            remove_drafts(self.path)
            yield

    def _target(self, file_name: str) -> Path:
        """The path of a file. `../NAME` is beside the folder itself, also if a link leads to it."""
        if file_name.startswith("../"):
            return self.path.resolve().parent / file_name[3:]
        return self.path / file_name


class Remote:
    """A folder at an fsspec URL; object stores replace files atomically."""

    def __init__(self, address: str, options: Mapping[str, object]) -> None:
        self._address = address
        self._files, self._root = open_file_system(address, options)

    def note_name(self, ending: str) -> str:
        """The name of a note about the folder: beside it, or in it if it is a whole bucket."""
        parent_path, _, root_name = self._root.rpartition("/")
        return f"../{root_name}{ending}" if parent_path.strip("/") else f"_{ending.lstrip('.')}"

    def _path(self, file_name: str) -> str:
        """The path of a file in the file system; a name may begin with `../`."""
        if file_name.startswith("../"):
            return f"{self._root.rpartition('/')[0]}/{file_name[3:]}"
        return f"{self._root}/{file_name}"

    def read(self, name: str) -> bytes | None:
        """The content of a file; None if it does not exist."""
        with explain_storage(self._address, "read"):
            try:
                content: bytes = self._files.cat_file(self._path(name))
            except FileNotFoundError:
                return None
        return content

    def write(self, name: str, content: bytes) -> None:
        """Replace the content of a file, or create it with its folder."""
        path = self._path(name)
        with explain_storage(self._address, "written"):
            self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(path, content)

    def remove(self, name: str) -> None:
        """Remove a file; one that does not exist is no error."""
        with explain_storage(self._address, "written"):
            if self._files.exists(self._path(name)):
                self._files.rm_file(self._path(name))

    def names(self, ending: str) -> list[str]:
        """The names of the files that end so, sorted; those in subfolders with their path."""
        with explain_storage(self._address, "read"):
            paths = self._files.find(self._root)
        return sorted(str(path)[len(self._root) + 1 :] for path in paths if path.endswith(ending))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Do nothing: a file system at a URL has no locks, so only one sync may run at a time."""
        yield


Store = Folder | Remote


def open_store(address: str, options: Mapping[str, object]) -> Store:
    """Open the folder at an address: a path, or an fsspec URL with its options."""
    return Remote(address.rstrip("/"), options) if is_url(address) else Folder(address)
