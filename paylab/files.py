"""Paths of files, their atomic replacement, and private files.

A file is written only into a folder that exists: a misspelt folder is an error. A folder that is
itself what is written, such as a dataset, is made.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from .errors.base import ArgumentError, ConfigError
from .spec.text import plain

PRIVATE_MODE = 0o600
NEW_FILE_MODE = 0o666

NAME_BYTES_MAX = 255
PATH_BYTES_MAX = 4095
"""Maximum bytes of one part of a path, and of a path, on the usual file systems."""


def path_of(value: str | os.PathLike[str]) -> Path:
    """Make a Path of the name of a file; ConfigError if no file can have this name.

    ArgumentError for a value that is neither text nor a path.
    """
    if not isinstance(value, str | os.PathLike) or isinstance(os.fspath(value), bytes):
        value_text = plain(repr(value), 60)
        message = f"the path of a file must be text or a Path, not {value_text}"
        raise ArgumentError(message, "path", is_general=True)
    path_text = os.fspath(value)
    reason = _find_name_problem(path_text)
    if reason:
        raise ConfigError(f"{plain(path_text, 80)!r} cannot be the name of a file: {reason}")
    return Path(path_text)


def require_regular(path: Path) -> None:
    """Raise ConfigError for a pipe, which may never end, a device, a folder, or a loop of links.

    A missing file raises nothing: reading it raises FileNotFoundError.
    """
    try:
        is_regular = stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"{path} cannot be read: {reason}") from None
    if not is_regular:
        raise ConfigError(f"{path} cannot be read: it is not a regular file")


def _find_name_problem(path_text: str) -> str:
    """Say why no file can have this path; "" if one can."""
    try:
        path_bytes = os.fsencode(path_text)
        part_lengths = [len(os.fsencode(part)) for part in Path(path_text).parts]
    except UnicodeEncodeError:
        return "it contains an unpaired surrogate"
    if b"\0" in path_bytes:
        return "it contains a NUL character"
    if len(path_bytes) > PATH_BYTES_MAX:
        return f"a path has at most {PATH_BYTES_MAX} bytes"
    part_length_max = max(part_lengths, default=0)
    if part_length_max > NAME_BYTES_MAX:
        return f"a name has at most {NAME_BYTES_MAX} bytes, and one in it has {part_length_max}"
    return ""


@contextmanager
def replace(
    path: Path, *, private: bool = False, mode: int | None = None, is_durable: bool = True
) -> Iterator[BinaryIO]:
    """Yield a temporary file to write to; it replaces `path` at the end of the block.

    After an error it is removed. The file keeps the mode of the old one; a new file gets `mode`.
    With `private` only the owner can read it. A file that is not durable outlives the process, but
    perhaps not a loss of power.
    """
    path = _resolve_path(path)  # keep a symbolic link
    require_parent(path)
    _require_replaceable(path)
    final_mode = PRIVATE_MODE if private else (file_mode(path) or mode)
    # Without a mode, the umask of the process decides.
    draft_mode = NEW_FILE_MODE if final_mode is None else PRIVATE_MODE
    temporary_path = draft_path(path, "part")

    def open_draft(draft_name: str, flags: int) -> int:
        """Open the temporary file with its mode from the start."""
        return os.open(draft_name, flags, draft_mode)

    try:
        with open(temporary_path, "xb", opener=open_draft) as draft_file:
            yield draft_file
            draft_file.flush()
            if is_durable:
                os.fsync(draft_file.fileno())
        if final_mode is not None:
            temporary_path.chmod(final_mode)
        os.replace(temporary_path, path)
    finally:
        temporary_path.unlink(missing_ok=True)
    if is_durable:
        sync_folder(path.parent)


def require_writable(path: Path) -> None:
    """Raise ConfigError if `replace` cannot write this file. No file is left by the trial."""
    try:
        path = _resolve_path(path)
        require_parent(path)
        _require_replaceable(path)
        temporary_path = draft_path(path, "part")
        temporary_path.touch(PRIVATE_MODE, exist_ok=False)
        temporary_path.unlink()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"{path} cannot be written ({reason})") from None


def _resolve_path(path: Path) -> Path:
    """Follow links to the path of a file; ConfigError for a loop, and for a link to no file."""
    try:
        resolved_path = path.resolve()
        is_loop = resolved_path.is_symlink()  # Python 3.13 resolves a loop to itself
    except RuntimeError:
        is_loop = True
    if is_loop:
        raise ConfigError(f"{path} cannot be written ({os.strerror(errno.ELOOP)})")
    # Somebody may have placed a link to no file, to have one created elsewhere.
    if path.is_symlink() and not resolved_path.exists():
        raise ConfigError(
            f"{path} cannot be written: it is a link to {resolved_path}, which does not exist"
        )
    return resolved_path


def create_private(path: Path) -> None:
    """Create an empty file that only its owner can read, if it does not exist."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, PRIVATE_MODE))


def require_parent(path: Path) -> None:
    """Raise ConfigError if the parent folder does not exist."""
    if not path.parent.is_dir():
        raise ConfigError(
            f"cannot write {path.name}: there is no folder {path.parent}; make it first"
        )


def _require_replaceable(path: Path) -> None:
    """Raise ConfigError if something else than a regular file is there, as a device or a folder."""
    if path.exists() and not path.is_file():
        raise ConfigError(f"cannot replace {path}: it is not a regular file")


def draft_path(path: Path, suffix: str) -> Path:
    """Make the path of a temporary file: an unpredictable hidden name in the folder of `path`."""
    return path.with_name(f".{path.name}.{token_hex(6)}.{suffix}")


def recover_path(path: Path) -> None:
    """Remove the temporary files and folders that a killed process left for a path.

    If the process had moved the old folder away (`.old`), and had not yet put the new one in its
    place, the old folder is moved back.
    """
    path = path.resolve()
    draft_pattern = re.compile(
        rf"\.{re.escape(path.name)}(\.columns\.json)?\.[0-9a-f]{{12}}\.(part|old)"
    )
    for leftover_path in sorted(path.parent.iterdir()):
        if not draft_pattern.fullmatch(leftover_path.name):
            continue
        if leftover_path.suffix == ".old" and not path.exists():
            leftover_path.rename(path)
        elif leftover_path.is_dir() and not leftover_path.is_symlink():
            shutil.rmtree(leftover_path, ignore_errors=True)
        else:
            leftover_path.unlink(missing_ok=True)


def remove_drafts(folder: Path) -> None:
    """Remove the temporary files that a killed process left in a folder."""
    for file_path in folder.rglob(".*.part"):
        if re.fullmatch(r"\..+\.[0-9a-f]{12}\.part", file_path.name) and file_path.is_file():
            file_path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk, if the system can."""
    with suppress(OSError):  # Windows cannot open a folder
        folder_descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(folder_descriptor)
        finally:
            os.close(folder_descriptor)


def file_mode(path: Path) -> int | None:
    """The permissions of a file. None if it does not exist."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def unreadable_error(
    path: str | os.PathLike[str], format_name: str, error: Exception
) -> ConfigError:
    """Make the error for a damaged file, or a file of another format."""
    reason = str(error).partition("\n")[0].rstrip(". ")
    message = f"{os.fspath(path)} cannot be read as {format_name}: {reason:.200}"
    return ConfigError(f"{message}; write or export the file again")
