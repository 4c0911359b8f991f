"""The journal of a batch: planned payouts and transfers made, on disk before the first request.

One JSON object per line. The head names a transfer that identifies the service; a `plan` line is a
payout that may have been sent, a `made` line a transfer that exists, an `unsent` line a planned
payout that was not sent. After a crash only the last line can be incomplete, and nothing was sent
for an incomplete line.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from hashlib import sha256
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from weakref import WeakKeyDictionary

from platformdirs import user_data_path

from ..errors import PaylabError
from ..files import locked, sync_folder
from ..spec.text import read_json, write_json

Raw = dict[str, Any]
HEAD = b'{"journal":'


class UnwritableJournalError(PaylabError):
    """The journal cannot be written: a full disk, for example."""


class BusyJournalError(PaylabError):
    """Another process or thread runs this batch."""


class Journal:
    """The planned payouts and transfers of one batch; in memory without a path."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.head: Raw | None = None
        self.planned: dict[str, str] = {}
        self.made: dict[str, Raw] = {}
        self._file: FileIO | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        if self.path is None:
            return self
        busy = BusyJournalError(
            f"another run is sending these payouts (it holds {self.path}): wait until it ends"
        )
        try:
            with ExitStack() as stack:
                # Two simultaneous runs of one batch would both find nothing and both send.
                stack.enter_context(locked(self.path.with_name(f".{self.path.name}.lock"), busy))
                self._file = stack.enter_context(
                    FileIO(self.path, "a+", opener=lambda name, flags: os.open(name, flags, 0o600))
                )
                self._load(self._file)
                self._open = stack.pop_all()
        except OSError as error:
            raise UnwritableJournalError(
                f"the journal {self.path} cannot be opened ({error.strerror}) and nothing was "
                "sent: name a file in a folder that can be written with journal= or --journal"
            ) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._file = None
        self._open.close()

    @classmethod
    def peek(cls, path: Path) -> Journal:
        """The content of a journal, read without locking it; empty when there is none."""
        found = cls(path)
        try:
            found._read_all(path.read_bytes())
        except (OSError, PaylabError):
            return cls(path)
        return found

    @property
    def service(self) -> str | None:
        """The service and account of the journal; None when its head does not say."""
        named = (self.head or {}).get("service")
        return None if named is None else str(named)

    @property
    def last(self) -> str | None:
        """The id of a transfer that only the journal's own service has."""
        after = (self.head or {}).get("after") or {}
        made = next(reversed(self.made.values()), after).get("id")
        return None if made is None else str(made)

    def adopt(self, other: Journal, names: Iterable[str]) -> None:
        """Copy what another journal records about these payouts."""
        known = sorted(names)
        made = {name: other.made[name] for name in known if name in other.made}
        head = self.head or other.head or {}
        lines = [] if self.head else [{"journal": 1, **head}]
        lines += [{"plan": name, "terms": other.planned[name]} for name in known]
        lines += [_made(name, transfer) for name, transfer in made.items()]
        self._write(lines)
        self.head, self.made = head, self.made | made
        self.planned |= {name: other.planned[name] for name in known}

    def begin(self, head: Mapping[str, Any], plans: Mapping[str, str]) -> None:
        """Record what may be sent from now on; on disk when this returns."""
        lines: list[Raw] = [] if self.head else [{"journal": 1, **head}]
        new = {name: terms for name, terms in plans.items() if self.planned.get(name) != terms}
        lines += [{"plan": name, "terms": terms} for name, terms in new.items()]
        self._write(lines)
        self.head = self.head or dict(head)
        self.planned |= new

    def note(self, reference: str, transfer: Raw) -> None:
        """Record a transfer; if a crash loses this, the service's list is searched."""
        self.made[reference] = transfer
        self._write([_made(reference, transfer)], sync=False)

    def release(self, references: Iterable[str]) -> None:
        """Record which planned payouts were not sent, so that they need not be searched."""
        names = [name for name in references if name in self.planned]
        self._write([{"unsent": name} for name in names], sync=False)
        for name in names:
            del self.planned[name]

    def forget(self) -> None:
        """Start again: remove everything from the journal."""
        self.head, self.planned, self.made = None, {}, {}
        if self._file:
            self._file.truncate(0)

    def _write(self, lines: Iterable[Raw], *, sync: bool = True) -> None:
        data = "".join(write_json(line) + "\n" for line in lines).encode()
        if self._file is None or not data:
            return
        end = self._file.seek(0, os.SEEK_END)
        try:
            _append(self._file, data)
            if sync:
                os.fsync(self._file.fileno())
                sync_folder(Path(self._file.name).parent)
        except OSError as error:
            with suppress(OSError):  # half a line would spoil the lines that may follow it
                self._file.truncate(end)
            raise UnwritableJournalError(
                f"the journal {self.path} cannot be written: {error.strerror}"
            ) from None

    def _load(self, file: FileIO) -> None:
        file.seek(0)
        text = file.readall()
        self._read_all(text)
        file.truncate(text.rfind(b"\n") + 1)

    def _read_all(self, text: bytes) -> None:
        if not (text.startswith(HEAD) or HEAD.startswith(text)):
            raise self._stranger()
        for line in text[: text.rfind(b"\n") + 1].splitlines():
            try:
                self._take(read_json(line))
            except (ValueError, RecursionError):
                raise self._stranger() from None

    def _take(self, entry: Any) -> None:
        match entry:
            case {"journal": _}:
                self.head = entry
            case {"plan": str(name), "terms": str(terms)}:
                self.planned[name] = terms
            case {"made": str(name), "transfer": dict(transfer)}:
                self.made[name] = transfer
            case {"unsent": str(name)}:
                self.planned.pop(name, None)
            case _:
                raise self._stranger()

    def _stranger(self) -> PaylabError:
        return PaylabError(f"{self.path} is not the journal of a batch: name another file")


DEEPEST = 20
"""Maximum nesting of a stored transfer; no reader needs more than three levels."""


def _made(reference: str, transfer: Mapping[str, Any]) -> Raw:
    return {"made": reference, "transfer": _shallow(transfer, DEEPEST)}


def _shallow(value: Any, levels: int) -> Any:
    """The value cut off at a depth that can be read back safely."""
    if isinstance(value, Mapping):
        return {k: _shallow(v, levels - 1) for k, v in value.items()} if levels else None
    if isinstance(value, list):
        return [_shallow(item, levels - 1) for item in value] if levels else None
    return value


def fingerprint(terms: Mapping[str, Any]) -> str:
    """A short digest of the terms."""
    text = json.dumps(terms, sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()[:32]


def _append(file: FileIO, data: bytes) -> None:
    """Write all of it; a disk that fills up accepts only a part at first."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


NAME = "payouts-{}.journal"


def journal(service: str, references: Iterable[str], *, passing: object | None) -> Path:
    """The journal of these payouts; it is removed with `passing`, a simulator of this process."""
    text = "\n".join([service, *sorted(references)])
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return (_lasting() if passing is None else _passing(passing)) / NAME.format(digest)


def others(path: Path | None, payouts: Any, *, passing: object | None) -> list[Path]:
    """Other journals that may record some of these payouts, one beside the file included."""
    found = list[Path]()
    with suppress(UnwritableJournalError):
        folder = _lasting() if passing is None else _passing(passing)
        found = sorted(folder.glob(NAME.format("*")))
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
    """A folder that is removed together with a simulator of this process."""
    if world not in _FOLDERS:
        _FOLDERS[world] = Path(tempfile.mkdtemp(prefix="paylab-batches-"))
        weakref.finalize(world, _remove, _FOLDERS[world], os.getpid())
    return _FOLDERS[world]


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked child ends without taking the folder along
        shutil.rmtree(folder, ignore_errors=True)
