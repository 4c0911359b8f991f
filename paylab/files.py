"""Atomic replacement of files and folders, private files, locks, and CSV rows."""

from __future__ import annotations

import csv
import errno
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO

from filelock import FileLock, Timeout

from .errors.base import ArgumentError, ConfigError, PaylabError
from .spec.text import plain
from .spreadsheet_cells import RESULTS, restore_cell

PRIVATE = 0o600
EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
HERE = -100  # AT_FDCWD
DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas"}


LONGEST_NAME = 255
LONGEST_PATH = 4095
"""Maximum bytes of one part of a path, and of a path, on the usual file systems."""


def path_of(given: str | os.PathLike[str]) -> Path:
    """The path as given; ConfigError when no file can have this name."""
    if not isinstance(given, str | os.PathLike) or isinstance(os.fspath(given), bytes):
        shown = plain(repr(given), 60)
        raise ArgumentError(f"the path of a file must be text or a Path, not {shown}", "path")
    text = os.fspath(given)
    reason = ""
    try:
        encoded = os.fsencode(text)
        parts = [*map(os.fsencode, Path(text).parts)]
    except UnicodeEncodeError:
        encoded = b""
        parts = []
        reason = "it contains an unpaired surrogate"
    longest = max(map(len, parts), default=0)
    if b"\0" in encoded:
        reason = "it contains a NUL character"
    elif len(encoded) > LONGEST_PATH:
        reason = f"a path has at most {LONGEST_PATH} bytes"
    elif longest > LONGEST_NAME:
        reason = f"a name has at most {LONGEST_NAME} bytes, and one in it has {longest}"
    if reason:
        raise ConfigError(f"{plain(text, 80)!r} cannot be the name of a file: {reason}")
    return Path(text)


def require_regular(path: Path) -> None:
    """ConfigError for a pipe, which may never end, a device, a folder, or a loop of links."""
    try:
        is_regular = stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:  # whoever reads it says so
        return
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    if not is_regular:
        raise ConfigError(f"{path} cannot be read: it is not a regular file")


@contextmanager
def replace(
    path: Path, *, private: bool = False, mode: int | None = None, is_durable: bool = True
) -> Iterator[BinaryIO]:
    """Write a temporary file that replaces `path` at the end; after an error it is removed.

    The mode of the old file is kept, else it is `mode`; with `private` only the owner can read it.
    A file that is not durable outlives the process, but perhaps not a loss of power.
    """
    path = _resolved(path)  # keep a symbolic link
    require_parent(path)
    _require_file(path)
    mode = PRIVATE if private else file_mode(path) or mode
    draft = _beside(path, "part")

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags, 0o666 if mode is None else PRIVATE)

    try:
        with open(draft, "xb", opener=opener) as sink:
            yield sink
            sink.flush()
            if is_durable:
                os.fsync(sink.fileno())
        if mode is not None:
            draft.chmod(mode)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    if is_durable:
        sync_folder(path.parent)


def require_writable(path: Path) -> None:
    """ConfigError if `replace` cannot write this file; leaves no file."""
    try:
        path = _resolved(path)
        require_parent(path)
        _require_file(path)
        draft = _beside(path, "part")
        draft.touch(PRIVATE, exist_ok=False)
        draft.unlink()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"{path} cannot be written ({reason})") from None


def _resolved(path: Path) -> Path:
    """The existing file behind links; ConfigError for a loop, and for a link to no file."""
    try:
        file = path.resolve()
        is_loop = file.is_symlink()  # Python 3.13 resolves a loop to itself
    except RuntimeError:
        is_loop = True
    if is_loop:
        raise ConfigError(f"{path} cannot be written ({os.strerror(errno.ELOOP)})")
    if path.is_symlink() and not file.exists():  # perhaps planted, to create a file elsewhere
        raise ConfigError(f"{path} cannot be written: it is a link to {file}, which does not exist")
    return file


@contextmanager
def replace_folder(path: Path, ours: Callable[[Path], bool]) -> Iterator[Path]:
    """Fill a temporary folder that replaces `path` at the end; after an error it is removed.

    A folder with a file that is not `ours` is refused. Folder and files keep the modes of those
    that they replace; a file with a new name gets the permissions common to all old files.
    """
    path = path.resolve()
    require_parent(path)
    refuse_foreign(path, ours)
    draft = _beside(path, "part")
    draft.mkdir()
    usual = file_mode(draft)
    draft.chmod(0o700)
    try:
        yield draft
        refuse_foreign(path, ours)  # check again: a file may have been added meanwhile
        _keep_modes(path, draft)
        draft.chmod(file_mode(path) or usual or 0o700)
        _swap(draft, path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    sync_folder(path.parent)


def create_private(path: Path) -> None:
    """Create an empty file that only its owner can read, if it does not exist."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, PRIVATE))


def require_parent(path: Path) -> None:
    """ConfigError if the parent folder does not exist."""
    if not path.parent.is_dir():
        raise ConfigError(f"cannot write {path.name}: there is no folder {path.parent}")


def recover(path: Path) -> None:
    """Clean up after a killed process: restore a folder, remove temporary files."""
    path = path.resolve()
    draft_names = re.compile(
        rf"\.{re.escape(path.name)}(\.columns\.json)?\.[0-9a-f]{{12}}\.(part|old)"
    )
    for entry in sorted(path.parent.iterdir()):
        if not draft_names.fullmatch(entry.name):
            continue
        if entry.suffix == ".old" and not path.exists():
            entry.rename(path)
        elif entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove the temporary files that a killed process left in a folder."""
    for file in folder.rglob(".*.part"):
        if re.fullmatch(r"\..+\.[0-9a-f]{12}\.part", file.name) and file.is_file():
            file.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk, if the system can."""
    with suppress(OSError):  # Windows cannot open a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def locked(path: Path, busy: Exception | None = None) -> Iterator[None]:
    """Hold the lock file `path`; raise `busy` if another process holds it.

    The lock ends with the process. `busy` is by default a ConfigError with the folder's name.
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
    """An unpredictable hidden name in the same folder."""
    return path.with_name(f".{path.name}.{token_hex(6)}.{ending}")


def file_mode(path: Path) -> int | None:
    """The permissions of a file; None if it does not exist."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def _require_file(path: Path) -> None:
    if path.exists() and not path.is_file():  # it may be a device
        raise ConfigError(f"cannot replace {path}: it is not a regular file")


def _keep_modes(old: Path, new: Path) -> None:
    old_entries = {entry.relative_to(old): entry for entry in old.rglob("*")}
    modes = {name: file_mode(entry) or 0 for name, entry in old_entries.items()}
    common = {True: 0o777, False: 0o666}  # of folders, of files
    for name, entry in old_entries.items():
        common[entry.is_dir()] &= modes[name]
    for entry in sorted(new.rglob("*"), reverse=True) if modes else ():
        entry.chmod(modes.get(entry.relative_to(new), common[entry.is_dir()]))


def _swap(draft: Path, path: Path) -> None:
    """Move the draft into place; the old folder gets the draft's name."""
    if not path.exists():
        draft.rename(path)
    elif not _exchange(draft, path):
        old_folder = _beside(path, "old")  # `recover` restores it if the next step fails
        path.rename(old_folder)
        try:
            draft.rename(path)
        except OSError:
            old_folder.rename(path)
            raise
        shutil.rmtree(old_folder, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two names atomically; False if the system or file system cannot."""
    if os.name == "nt":
        return False
    import ctypes  # only for replacing a folder

    library = ctypes.CDLL(None)
    names = os.fsencode(one), os.fsencode(other)
    if hasattr(library, "renameat2"):
        return bool(library.renameat2(HERE, names[0], HERE, names[1], EXCHANGE) == 0)
    return hasattr(library, "renamex_np") and bool(library.renamex_np(*names, EXCHANGE) == 0)


def refuse_foreign(path: Path, ours: Callable[[Path], bool]) -> None:
    """ConfigError if a folder cannot be replaced: it has a file that is not `ours`."""
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
    """A row of a CSV file: cells by column, line number, and number of surplus cells."""

    cells: Mapping[str, Any]
    line: int | None = None
    surplus: int = 0


def csv_rows(path: str | os.PathLike[str], delimiter: str = ",") -> Iterator[CsvRow]:
    """Yield the rows of a UTF-8 CSV file; PaylabError if it cannot be read.

    The cells of a file of results are read as they were before they were escaped.
    """
    with _csv_reader(path, delimiter) as reader:
        is_escaped = set(reader.fieldnames or ()) >= RESULTS
        for record in reader:
            surplus: Sequence[str] = record.pop(None, ())  # cells without a column
            cells = _restored(record) if is_escaped else record
            yield CsvRow(cells, reader.line_num, len(surplus))


def _restored(record: Mapping[str, str | None]) -> dict[str, str | None]:
    return {
        restore_cell(name): cell if cell is None else restore_cell(cell)
        for name, cell in record.items()
    }


def csv_header(path: str | os.PathLike[str], delimiter: str = ",") -> list[str]:
    """The columns of a CSV file; PaylabError if the delimiter seems to be wrong."""
    names = written_header(path, delimiter)
    return [*map(restore_cell, names)] if set(names) >= RESULTS else names


def written_header(path: str | os.PathLike[str], delimiter: str = ",") -> list[str]:
    """The columns of a CSV file as they are written there, escaped or not."""
    with _csv_reader(path, delimiter) as reader:
        return list(reader.fieldnames or ())


@contextmanager
def _csv_reader(path: str | os.PathLike[str], delimiter: str) -> Iterator[csv.DictReader[str]]:
    if len(delimiter) != 1:
        raise ArgumentError(f"delimiter must be one character, not {delimiter!r}", "delimiter")
    file = path_of(path)
    require_regular(file)
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines, strict=True, delimiter=delimiter)
            _suggest_delimiter(os.fspath(path), list(reader.fieldnames or ()), delimiter)
            yield reader
    except (csv.Error, UnicodeDecodeError) as error:
        raise unreadable(path, "CSV in UTF-8", error) from None


def unreadable(path: str | os.PathLike[str], form: str, error: Exception) -> ConfigError:
    """The error for a file of another format, or a damaged file."""
    first = str(error).partition("\n")[0].rstrip(". ")
    message = f"{os.fspath(path)} cannot be read as {form}: {first:.200}"
    return ConfigError(f"{message}; write or export the file again")


def _suggest_delimiter(path: str, names: list[str], used: str) -> None:
    marks = [mark for mark in DELIMITERS if mark != used and mark in "".join(names[:1])]
    if len(names) == 1 and marks:
        raise PaylabError(
            f"{path} has one column, {names[0][:60]!r}: its cells seem to be separated by "
            f"{DELIMITERS[marks[0]]}; pass delimiter={marks[0]!r} or --delimiter "
            f"{marks[0]!r}"
        )
