"""Where journals are kept: by the service and the references, not by the file they came from."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from platformdirs import user_data_path

from .journal import UnwritableJournalError

NAME = "payouts-{}.journal"


def journal(service: str, references: Iterable[str], *, passing: object | None) -> Path:
    """The journal of these payouts; it goes with `passing`, a simulator of this process."""
    text = "\n".join([service, *sorted(references)])
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return (_lasting() if passing is None else _passing(passing)) / NAME.format(digest)


def others(path: Path | None, payouts: Any) -> list[Path]:
    """Journals that may know some of these payouts: of other lists, and one beside the file."""
    found = [] if path is None else sorted(path.parent.glob(NAME.format("*")))
    beside = [Path(f"{Path(payouts)}.journal")] if isinstance(payouts, str | os.PathLike) else []
    return [each for each in (*found, *beside) if each != path and each.is_file()]


def _lasting() -> Path:
    folder = user_data_path("paylab", appauthor=False) / "batches"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UnwritableJournalError(
            f"{folder} cannot be made ({error.strerror}) and nothing was sent: name a file for "
            "the journal with journal= or --journal"
        ) from None
    return folder


_FOLDERS: WeakKeyDictionary[object, Path] = WeakKeyDictionary()


def _passing(world: object) -> Path:
    """A folder that goes with a simulator of this process."""
    if world not in _FOLDERS:
        _FOLDERS[world] = Path(tempfile.mkdtemp(prefix="paylab-batches-"))
        weakref.finalize(world, _remove, _FOLDERS[world], os.getpid())
    return _FOLDERS[world]


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked child ends without taking the folder along
        shutil.rmtree(folder, ignore_errors=True)
