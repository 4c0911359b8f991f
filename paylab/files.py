"""Files and folders that appear whole or not at all, private files, locks, and rows of CSV."""

from __future__ import annotations

import csv
import ctypes
import os
import re
import shutil
import stat
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from filelock import FileLock, Timeout

from .errors import ConfigError, PaylabError

PRIVATE = 0o600
EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
HERE = -100  # AT_FDCWD
DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas"}


@contextmanager
def replace(path: Path, *, private: bool = False, mode: int | None = None) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of `path` at the end; an error leaves no trace.

    It keeps the mode of the file that it replaces, else gets `mode`; with `private` only its owner
    can read it.
    """
    path = path.resolve()  # a link stays a link
    require_parent(path)
    _require_file(path)
    mode, draft = PRIVATE if private else file_mode(path) or mode, _beside(path, "part")

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags, 0o666 if mode is None else PRIVATE)

    try:
        with open(draft, "xb", opener=opener) as sink:
            yield sink
            sink.flush()
            os.fsync(sink.fileno())
        if mode is not None:
            draft.chmod(mode)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)


def require_writable(path: Path) -> None:
    """ConfigError when `replace` could not write a file here; nothing is left behind."""
    try:
        path = path.resolve()
        require_parent(path)
        _require_file(path)
        draft = _beside(path, "part")
        draft.touch(PRIVATE, exist_ok=False)
        draft.unlink()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links is a RuntimeError
        if isinstance(error, ConfigError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"{path} cannot be written ({reason})") from None


@contextmanager
def replace_folder(path: Path, ours: Callable[[Path], bool]) -> Iterator[Path]:
    """A folder to fill, which takes the place of `path` at the end; an error leaves no trace.

    A folder that holds a file which is not `ours` is refused. Folder and files keep the modes
    of those that they replace; a file with a new name gets what all the old files allow.
    """
    path = path.resolve()
    require_parent(path)
    _refuse_foreign(path, ours)
    draft = _beside(path, "part")
    draft.mkdir()
    usual = file_mode(draft)
    draft.chmod(0o700)
    try:
        yield draft
        _refuse_foreign(path, ours)  # something may have been put there meanwhile
        _keep_modes(path, draft)
        draft.chmod(file_mode(path) or usual or 0o700)
        _swap(draft, path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    sync_folder(path.parent)


def create_private(path: Path) -> None:
    """Create an empty file that only its owner can read, if there is no file yet."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, PRIVATE))


def require_parent(path: Path) -> None:
    """Raise a clear error when there is no folder to write into."""
    if not path.parent.is_dir():
        raise ConfigError(f"cannot write {path.name}: there is no folder {path.parent}")


def recover(path: Path) -> None:
    """Clean up after a killed process: put back a folder that it was replacing, remove drafts."""
    path = path.resolve()
    left = re.compile(rf"\.{re.escape(path.name)}(\.columns\.json)?\.[0-9a-f]{{12}}\.(part|old)")
    for entry in sorted(path.parent.iterdir()):
        if not left.fullmatch(entry.name):
            continue
        if entry.suffix == ".old" and not path.exists():
            entry.rename(path)
        elif entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove the drafts of files that a killed process left anywhere in a folder."""
    for file in folder.rglob(".*.part"):
        if re.fullmatch(r"\..+\.[0-9a-f]{12}\.part", file.name) and file.is_file():
            file.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut, where the system can."""
    with suppress(OSError):  # Windows opens no folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def locked(path: Path, busy: Exception | None = None) -> Iterator[None]:
    """Hold the lock file `path`; raise `busy` when another process holds it.

    The lock ends with the process. `busy` is a ConfigError that names the folder by default.
    """
    lock = FileLock(path, timeout=0, mode=PRIVATE, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise busy or ConfigError(f"{path.parent.name} is in use by another process") from None
    try:
        yield
    finally:
        lock.release()


def _beside(path: Path, ending: str) -> Path:
    """A hidden name in the same folder that nobody can foresee."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.{ending}")


def file_mode(path: Path) -> int | None:
    """Who may read and write it; None when there is nothing."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def _require_file(path: Path) -> None:
    if path.exists() and not path.is_file():  # a link may lead to a device
        raise ConfigError(f"cannot replace {path}: it is not a regular file")


def _keep_modes(old: Path, new: Path) -> None:
    before = {entry.relative_to(old): entry for entry in old.rglob("*")}
    known = {name: file_mode(entry) or 0 for name, entry in before.items()}
    common = {True: 0o777, False: 0o666}  # of folders, of files
    for name, entry in before.items():
        common[entry.is_dir()] &= known[name]
    for entry in sorted(new.rglob("*"), reverse=True) if known else ():
        entry.chmod(known.get(entry.relative_to(new), common[entry.is_dir()]))


def _swap(draft: Path, path: Path) -> None:
    """Put the draft in place; what was there before is then under the draft's name, or gone."""
    if not path.exists():
        draft.rename(path)
    elif not _exchange(draft, path):
        old = _beside(path, "old")  # which `recover` puts back when the next step does not come
        path.rename(old)
        try:
            draft.rename(path)
        except OSError:
            old.rename(path)
            raise
        shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two names in one step; False where the system or the file system cannot."""
    if os.name == "nt":
        return False
    library = ctypes.CDLL(None)
    names = os.fsencode(one), os.fsencode(other)
    if hasattr(library, "renameat2"):
        return bool(library.renameat2(HERE, names[0], HERE, names[1], EXCHANGE) == 0)
    return hasattr(library, "renamex_np") and bool(library.renamex_np(*names, EXCHANGE) == 0)


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


@dataclass(frozen=True)
class CsvRow:
    """A row of a CSV file: its cells by column, its last line, and how many cells had no column."""

    cells: Mapping[str, Any]
    line: int | None = None
    surplus: int = 0


def csv_rows(path: str | os.PathLike[str], delimiter: str = ",") -> Iterator[CsvRow]:
    """The rows of a CSV file in UTF-8, one at a time; PaylabError when it cannot be read."""
    with _csv_reader(path, delimiter) as reader:
        for record in reader:
            surplus: Sequence[str] = record.pop(None, ())  # cells past the header
            yield CsvRow(record, reader.line_num, len(surplus))


def csv_header(path: str | os.PathLike[str], delimiter: str = ",") -> list[str]:
    """The columns of a CSV file; PaylabError when another delimiter would split the only one."""
    with _csv_reader(path, delimiter) as reader:
        return list(reader.fieldnames or ())


@contextmanager
def _csv_reader(path: str | os.PathLike[str], delimiter: str) -> Iterator[csv.DictReader[str]]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines, strict=True, delimiter=delimiter)
            _suggest_delimiter(os.fspath(path), list(reader.fieldnames or ()), delimiter)
            yield reader
    except (csv.Error, UnicodeDecodeError) as error:
        raise PaylabError(f"{path} cannot be read as CSV in UTF-8: {error}") from None


def _suggest_delimiter(path: str, names: list[str], used: str) -> None:
    found = [mark for mark in DELIMITERS if mark != used and mark in "".join(names[:1])]
    if len(names) == 1 and found:
        raise PaylabError(
            f"{path} has one column, {names[0][:60]!r}: its cells seem to be separated by "
            f"{DELIMITERS[found[0]]}; say so with delimiter={found[0]!r} or --delimiter "
            f"{found[0]!r}"
        )
