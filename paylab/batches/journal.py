"""What a batch was about to send and what came of it, on disk before the first request leaves.

One JSON object a line. The head names the newest transfer there was when the batch began; a
`plan` line stands for a payout that may have been sent, a `made` line for one that surely was.
A crash can only tear the last line, and a torn line was never acted upon.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from .. import instants
from ..errors import PaylabError

Raw = dict[str, Any]


class Journal:
    """The memory of one batch; without a path it lasts as long as the object."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.head: Raw | None = None
        self.planned: dict[str, str] = {}
        self.made: dict[str, Raw] = {}
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        if self.path is None:
            return self
        self._file = open(self.path, "ab+", opener=_private)
        _lock(self._file, self.path)
        self._load(self._file)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._file:
            self._file.close()
            self._file = None

    @classmethod
    def peek(cls, path: Path) -> Journal:
        """What a journal holds now, read without taking hold of the file; empty for no journal."""
        found = cls(path)
        try:
            found._read_all(path.read_bytes())
        except (OSError, PaylabError):
            return cls(path)
        return found

    @property
    def last(self) -> str | None:
        """The id of a transfer that only the journal's own service knows."""
        after = (self.head or {}).get("after") or {}
        made: str | None = next(reversed(self.made.values()), after).get("id")
        return made

    def adopt(self, other: Journal, names: Iterable[str]) -> None:
        """Take over what another journal knows of these payouts."""
        known, head = sorted(names), _older(self.head, other.head or {})
        lines = [{"journal": 1, **head}] if head != self.head else []
        lines += [{"plan": name, "terms": other.planned[name]} for name in known]
        made = {name: other.made[name] for name in known if name in other.made}
        lines += [{"made": name, "transfer": transfer} for name, transfer in made.items()]
        self._write(lines)
        self.head, self.made = head, self.made | made
        self.planned |= {name: other.planned[name] for name in known}

    def begin(self, head: Mapping[str, Any], plans: Mapping[str, str]) -> None:
        """Note what may be sent from now on; on disk when this returns."""
        lines: list[Raw] = [] if self.head else [{"journal": 1, **head}]
        new = {name: terms for name, terms in plans.items() if self.planned.get(name) != terms}
        lines += [{"plan": name, "terms": terms} for name, terms in new.items()]
        self._write(lines)
        self.head = self.head or dict(head)
        self.planned |= new

    def note(self, reference: str, transfer: Raw) -> None:
        """Note what was made; should this get lost, the service is asked."""
        self._write([{"made": reference, "transfer": transfer}], sync=False)
        self.made[reference] = transfer

    def forget(self) -> None:
        """Begin anew: what this journal knows of is gone."""
        self.head, self.planned, self.made = None, {}, {}
        if self._file:
            self._file.truncate(0)

    def _write(self, lines: Iterable[Raw], *, sync: bool = True) -> None:
        if self._file is None:
            return
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        self._file.write(text.encode())
        self._file.flush()
        if sync:
            os.fsync(self._file.fileno())
            _sync_folder(self._file.name)

    def _load(self, file: BinaryIO) -> None:
        file.seek(0)
        text = file.read()
        file.truncate(text.rfind(b"\n") + 1)
        self._read_all(text)

    def _read_all(self, text: bytes) -> None:
        for line in text[: text.rfind(b"\n") + 1].splitlines():
            self._take(self._read(line))
        if self.planned and self.head is None:
            raise self._stranger()

    def _read(self, line: bytes) -> Raw:
        try:
            entry = json.loads(line)
        except ValueError:
            raise self._stranger() from None
        if not isinstance(entry, dict):
            raise self._stranger()
        return entry

    def _take(self, entry: Raw) -> None:
        if "journal" in entry:
            self.head = entry
        elif "plan" in entry:
            self.planned[entry["plan"]] = entry["terms"]
        elif "made" in entry:
            self.made[entry["made"]] = entry["transfer"]
        else:
            raise self._stranger()

    def _stranger(self) -> PaylabError:
        return PaylabError(f"{self.path} is not the journal of a batch: name another file")


def _older(head: Raw | None, other: Raw) -> Raw:
    """The head from which a search meets all that either stands for."""
    heads = [other] if head is None else [head, other]
    if not all(each.get("after") for each in heads):
        return {"after": None}
    return min(heads, key=lambda each: instants.from_text(each["after"]["created_at"]))


def fingerprint(terms: Mapping[str, Any]) -> str:
    """A short text that is the same for the same terms."""
    text = json.dumps(terms, sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()[:32]


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _lock(file: BinaryIO, path: Path) -> None:
    """Two runs of one batch at a time would both ask, and both send."""
    try:
        import fcntl
    except ImportError:  # no such locks on Windows; the idempotency keys still stand
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise PaylabError(f"{path} is in use: another run of this batch goes on") from None


def _sync_folder(name: str) -> None:
    """The file's name is on disk too, where a folder can be told to be."""
    if os.name == "nt":
        return
    folder = os.open(Path(name).parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
