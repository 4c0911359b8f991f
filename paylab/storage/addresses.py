"""Files at addresses: a path of this machine, or an fsspec URL such as s3://bucket/days.

Errors of file systems, such as missing credentials, are a ConfigError of one sentence.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, cast
from zlib import error as ZlibError  # noqa: N812 - an exception with the name of a variable

from ..errors.base import ArgumentError, ConfigError, PaylabError
from ..errors.extras import extra_imports
from ..errors.text import plain
from ..files import path_of, require_regular, unreadable_error

LOCAL = "file://"
GZIP = ".gz"


def is_url(address: object) -> bool:
    """Whether an address is an fsspec URL, and not a path of this machine."""
    return isinstance(address, str) and "://" in address and not address.startswith(LOCAL)


def write_address(address: str) -> str:
    """An address for a message: a URL without user, password and query, which may hold tokens."""
    if not is_url(address):
        return address
    scheme, _, address_rest = address.partition("://")
    address_path = re.split(r"[?#]", address_rest, maxsplit=1)[0]
    authority_text, slash, path_rest = address_path.partition("/")
    return f"{scheme}://{authority_text.rpartition('@')[2]}{slash}{path_rest}"


def unreadable_address_error(
    address: str | os.PathLike[str], format_name: str, error: Exception
) -> ConfigError:
    """The error for a damaged file at an address, which is shown without its tokens."""
    return unreadable_error(write_address(os.fspath(address)), format_name, error)


def local_path(address: str | os.PathLike[str]) -> Path:
    """The path of a local address, a path or a file:// URL."""
    address_text = os.fspath(address) if isinstance(address, str | os.PathLike) else address
    if isinstance(address_text, str) and address_text.startswith(LOCAL):
        address_text = address_text.removeprefix(LOCAL)
    return path_of(address_text)


def open_file_system(url: str, options: Mapping[str, Any] | None = None) -> tuple[Any, str]:
    """The file system of a URL, and the path in it; ConfigError names a missing package."""
    path_of(url)  # refuses a text that no path can be
    with extra_imports():
        from fsspec.core import url_to_fs
    try:
        file_system, root_path = url_to_fs(url, **(options or {}))
    except (ImportError, ValueError, TypeError, OSError) as error:  # names the package or protocol
        scheme = url.partition("://")[0]
        raise ConfigError(f"{scheme}:// cannot be used: {one_sentence(error)}") from None
    return file_system, str(root_path).rstrip("/")


@contextmanager
def explain_storage(address: str, act: str) -> Iterator[None]:
    """Turn any error of a file system in the block into a ConfigError.

    `act` is "read" or "written", for the message that the address cannot be read or written.
    """
    printable_address = write_address(address)
    try:
        yield
    except PaylabError:
        raise
    except FileNotFoundError:
        raise ConfigError(f"{printable_address} cannot be {act}: it does not exist") from None
    except Exception as error:  # each file system has exceptions of its own
        reason_text = one_sentence(error).replace(address, printable_address)
        raise ConfigError(f"{printable_address} cannot be {act}: {reason_text}") from None


def one_sentence(error: Exception) -> str:
    """The first line of an error, escaped; its class if it has no text."""
    error_text = str(error).strip().partition("\n")[0].rstrip(". ")
    return plain(error_text or type(error).__name__, 200)


def check_storage_options(address: object, storage_options: object) -> None:
    """Raise ArgumentError for options that are no dict, or that are given for a local path."""
    if storage_options is not None and not isinstance(storage_options, Mapping):
        message = f"must be a dict of options, not {plain(repr(storage_options), 60)}"
        raise ArgumentError(f"storage_options {message}", "storage_options")
    if storage_options and not is_url(address):
        message = "storage_options are for fsspec URLs, not for a path: leave them out"
        raise ArgumentError(message, "storage_options")


@contextmanager
def local_copy(
    address: str | os.PathLike[str], storage_options: Mapping[str, Any] | None = None
) -> Iterator[Path]:
    """Provide a local file with the content of an address, decompressed if it ends in .gz.

    An uncompressed local file is used directly; a copy of any other is removed after the block.
    """
    check_storage_options(address, storage_options)
    source_path = None if is_url(address) else local_path(address)
    if source_path is not None and source_path.suffix.lower() != GZIP:
        yield source_path
        return
    with TemporaryDirectory() as folder_name:
        if source_path is None:
            file_system, remote_path = open_file_system(os.fspath(address), storage_options)
            file_name = write_address(os.fspath(address)).rpartition("/")[2]
            source_path = Path(folder_name) / (file_name or "file")
            with explain_storage(os.fspath(address), "read"):
                file_system.get_file(remote_path, str(source_path))
        yield _unzipped(source_path, Path(folder_name) / "plain", address)


@contextmanager
def compress_if_gz(sink: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    """Provide the file to write to: `sink`, or for a .gz path a file that compresses into it."""
    if path.suffix.lower() != GZIP:
        yield sink
        return
    # Without a name and a time, equal rows are equal bytes.
    with gzip.GzipFile("", "wb", fileobj=sink, mtime=0) as compressing_file:
        yield cast("BinaryIO", compressing_file)


def _unzipped(zipped_path: Path, target: Path, address: str | os.PathLike[str]) -> Path:
    """Decompress a .gz file to `target`, and return that path; another file is returned itself."""
    if zipped_path.suffix.lower() != GZIP:
        return zipped_path
    require_regular(zipped_path)
    try:
        with gzip.open(zipped_path) as zipped_file, target.open("xb") as unzipped_file:
            shutil.copyfileobj(zipped_file, unzipped_file)
    except (EOFError, ZlibError, gzip.BadGzipFile) as error:
        raise unreadable_address_error(address, "gzip", error) from None
    return target


def _is_never_own(_path: Path) -> bool:
    """For a target that is a single file: no file in a folder there is our own."""
    return False


@contextmanager
def local_target(
    address: str | os.PathLike[str],
    is_own: Callable[[Path], bool] = _is_never_own,
    storage_options: Mapping[str, Any] | None = None,
) -> Iterator[tuple[Path, str | Path]]:
    """Provide a local path to write to, and the address to show in messages.

    For a URL the path is temporary, and its files are uploaded at the end of the block. A folder
    there is refused if it has a file for which `is_own` is false, which is any file by default.
    """
    check_storage_options(address, storage_options)
    if not is_url(address):
        path = local_path(address)
        yield path, path
        return
    url = os.fspath(address)
    file_system, root_path = open_file_system(url, storage_options)
    file_name = root_path.rpartition("/")[2]
    if not file_name:
        raise ArgumentError(f"{write_address(url)} has no name of a file or folder: add one", "to")
    old_names = _require_own_files(file_system, root_path, url, is_own)
    with TemporaryDirectory() as folder_name:
        path = Path(folder_name) / file_name
        yield path, url
        with explain_storage(url, "written"):
            _upload(
                file_system,
                folder=Path(folder_name),
                parent=root_path.rpartition("/")[0],
                root=f"{root_path}/",
                old_names=old_names,
            )


def _require_own_files(
    files: Any, root: str, url: str, is_own: Callable[[Path], bool]
) -> list[str]:
    """The names of the files in the folder at a URL; ConfigError if one is not our own.

    Empty for the URL of a file, whose file system is reached, too, to notice missing credentials.
    """
    with explain_storage(url, "written"):
        if not url.endswith("/"):
            files.exists(root)
            return []
        file_names = [str(file_name) for file_name in files.find(root)]
    for file_name in file_names:
        if not is_own(Path(file_name.removeprefix(root).lstrip("/"))):
            raise ConfigError(
                f"cannot replace the folder {write_address(url)}: {file_name.rpartition('/')[2]} "
                "is not from an export; name another folder"
            )
    return file_names


def _upload(files: Any, folder: Path, parent: str, root: str, old_names: list[str]) -> None:
    """Copy all files of a local folder to the folder `parent` of a file system.

    Of `old_names`, those under `root` that were not replaced are removed afterwards.
    """
    new_names = set()
    for local_file in sorted(folder.rglob("*")):
        if local_file.is_file():
            target_name = f"{parent}/{local_file.relative_to(folder).as_posix()}"
            files.makedirs(target_name.rpartition("/")[0], exist_ok=True)
            files.put_file(str(local_file), target_name)
            new_names.add(target_name)
    for target_name in old_names:
        # A file system may spell a name otherwise than its root: such a file could be a new one.
        if target_name.startswith(root) and target_name not in new_names:
            files.rm_file(target_name)
