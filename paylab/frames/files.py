"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO

from ..errors import ConfigError


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of `path` at the end; an error leaves no trace."""
    path = path.resolve()  # a link stays a link
    require_parent(path)
    _require_file(path)
    draft = _draft(path)
    try:
        with draft.open("xb") as sink:
            yield sink
            sink.flush()
            os.fsync(sink.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)


@contextmanager
def replacing_folder(path: Path, ours: Callable[[Path], bool]) -> Iterator[Path]:
    """A folder to fill, which takes the place of `path` at the end; an error leaves no trace.

    A folder that holds a file which is not `ours` is refused.
    """
    path = path.resolve()
    require_parent(path)
    _refuse_foreign(path, ours)
    draft = _draft(path)
    draft.mkdir()
    try:
        yield draft
        _refuse_foreign(path, ours)  # something may have been put there meanwhile
        _swap(draft, path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    sync_folder(path.parent)


def require_parent(path: Path) -> None:
    """Raise a clear error when there is no folder to write into."""
    if not path.parent.is_dir():
        raise ConfigError(f"cannot write {path.name}: there is no folder {path.parent}")


def _require_file(path: Path) -> None:
    if path.exists() and not path.is_file():  # a link may lead to a device
        raise ConfigError(f"cannot replace {path}: it is no file")


def sweep(path: Path) -> None:
    """Remove the drafts of a file or folder that a killed process left beside it."""
    path = path.resolve()
    draft = re.compile(rf"\.{re.escape(path.name)}(\.columns\.json)?\.[0-9a-f]{{12}}\.part")
    for entry in list(path.parent.iterdir()):
        if draft.fullmatch(entry.name):
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut, where the system can."""
    with suppress(OSError):  # Windows opens no folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _draft(path: Path) -> Path:
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.part")


def _swap(draft: Path, path: Path) -> None:
    if not path.exists():
        draft.rename(path)
        return
    old = _draft(path)
    path.rename(old)
    try:
        draft.rename(path)
    except OSError:
        old.rename(path)
        raise
    shutil.rmtree(old)


def _refuse_foreign(path: Path, ours: Callable[[Path], bool]) -> None:
    if Path.cwd().is_relative_to(path):
        raise ConfigError("cannot replace the folder you are in: name another folder")
    if path.exists() and not path.is_dir():
        raise ConfigError(f"cannot write the folder {path.name}/: a file has that name")
    for entry in path.rglob("*"):
        if entry.is_symlink() or not (entry.is_dir() or ours(entry.relative_to(path))):
            raise ConfigError(
                f"cannot replace the folder {path.name}/: {entry.relative_to(path)} is not from "
                "an export; name another folder"
            )


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a file's lock; ConfigError when another process has it. It ends with the process."""
    with path.open("ab") as file:
        try:
            _lock(file)
        except OSError:
            raise ConfigError(f"{path.parent.name} is in use by another process") from None
        yield


def _lock(file: IO[bytes]) -> None:
    try:
        import fcntl
    except ImportError:  # Windows, where an open file cannot be deleted either
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
