"""Atomic replacement of folders."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors.base import ConfigError
from ..files import draft_path, file_mode, require_parent, sync_folder

FOLDER_MODE = 0o700
EXCHANGE_FLAG = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
CURRENT_FOLDER = -100  # AT_FDCWD


@contextmanager
def replace_folder(path: Path, is_own: Callable[[Path], bool]) -> Iterator[Path]:
    """Provide a temporary folder that replaces the folder `path` at the end of the block.

    After an error the temporary folder is removed, and the old one stays. A folder that has a file
    for which `is_own` is false is refused. Folder and files keep the modes of those that they
    replace. A file with a new name gets the permissions common to all old files.
    """
    path = path.resolve()
    require_parent(path)
    require_replaceable(path, is_own)
    draft_folder = draft_path(path, "part")
    draft_folder.mkdir()
    new_folder_mode = file_mode(draft_folder)
    draft_folder.chmod(FOLDER_MODE)
    try:
        yield draft_folder
        require_replaceable(path, is_own)  # check again: a file may have been added meanwhile
        _copy_modes(path, draft_folder)
        draft_folder.chmod(file_mode(path) or new_folder_mode or FOLDER_MODE)
        _move_into_place(draft_folder, path)
    finally:
        shutil.rmtree(draft_folder, ignore_errors=True)
    sync_folder(path.parent)


def require_replaceable(path: Path, is_own: Callable[[Path], bool]) -> None:
    """Raise ConfigError if a folder cannot be replaced, for example for a file not our own."""
    if Path.cwd().is_relative_to(path):
        raise ConfigError("cannot replace the folder you are in: name another folder")
    if path.exists() and not path.is_dir():
        raise ConfigError(f"cannot write the folder {path.name}/: a file has that name")
    for entry_path in path.rglob("*"):
        relative_path = entry_path.relative_to(path)
        if entry_path.is_symlink() or (not entry_path.is_dir() and not is_own(relative_path)):
            raise ConfigError(
                f"cannot replace the folder {path.name}/: {relative_path} is not from an export; "
                "name another folder"
            )


def _copy_modes(old_folder: Path, new_folder: Path) -> None:
    """Give each entry of the new folder the mode of the old one with its name.

    A new name gets the permissions that all old entries of its kind have in common.
    """
    mode_by_path: dict[Path, int] = {}
    common_folder_mode = 0o777
    common_file_mode = 0o666
    for entry_path in old_folder.rglob("*"):
        mode = file_mode(entry_path) or 0  # 0: the entry was deleted meanwhile
        mode_by_path[entry_path.relative_to(old_folder)] = mode
        if entry_path.is_dir():
            common_folder_mode &= mode
        else:
            common_file_mode &= mode
    if not mode_by_path:
        return
    # Contents come before their folder, which its own mode may make unreadable.
    for entry_path in sorted(new_folder.rglob("*"), reverse=True):
        common_mode = common_folder_mode if entry_path.is_dir() else common_file_mode
        entry_path.chmod(mode_by_path.get(entry_path.relative_to(new_folder), common_mode))


def _move_into_place(draft: Path, path: Path) -> None:
    """Rename the draft to `path`. The old folder gets the draft's name, or is removed."""
    if not path.exists():
        draft.rename(path)
        return
    if _exchange_names(draft, path):
        return
    old_folder = draft_path(path, "old")  # `recover_path` restores it if the next step fails
    path.rename(old_folder)
    try:
        draft.rename(path)
    except OSError:
        old_folder.rename(path)
        raise
    shutil.rmtree(old_folder, ignore_errors=True)


def _exchange_names(path: Path, other_path: Path) -> bool:
    """Swap two names atomically. False if the system or file system cannot."""
    if os.name == "nt":
        return False
    import ctypes  # only for replacing a folder

    c_library = ctypes.CDLL(None)
    path_bytes = os.fsencode(path)
    other_path_bytes = os.fsencode(other_path)
    if hasattr(c_library, "renameat2"):
        exit_status = c_library.renameat2(
            CURRENT_FOLDER, path_bytes, CURRENT_FOLDER, other_path_bytes, EXCHANGE_FLAG
        )
        return bool(exit_status == 0)
    if hasattr(c_library, "renamex_np"):
        return bool(c_library.renamex_np(path_bytes, other_path_bytes, EXCHANGE_FLAG) == 0)
    return False
