"""A file picker that works on any Jupyter server: slices of at most 1 MiB, each acknowledged."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.resources import files
from typing import Any, BinaryIO

import anywidget
import traitlets

from ...spec.codes import IMAGE_MAX, IMAGE_TYPES
from .choice import Spool, SpoolError

ACCEPT = ",".join([*IMAGE_TYPES, ".heic", ".heif"])  # browsers do not know these two by type
SLICE = 2**20
Take = Callable[[BinaryIO], None]
Refuse = Callable[[int], None]
Preview = Callable[[], bytes | None]


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


class Picker(anywidget.AnyWidget):
    """An `<input type=file>` whose file is handed to `take` as an open private file.

    `refuse` is told the size of a file that was not even sent; `preview` gives the picture to
    show. No byte of the file becomes widget state: slices and the preview are messages.
    """

    _esm = _text("picker.js")
    _css = _text("picker.css")

    description = traitlets.Unicode().tag(sync=True)
    accept = traitlets.Unicode(ACCEPT).tag(sync=True)
    limit = traitlets.Int(IMAGE_MAX).tag(sync=True)
    disabled = traitlets.Bool(False).tag(sync=True)
    value = traitlets.Int(0, help="How often a choice was made; only in the kernel.")

    def __init__(self, take: Take, refuse: Refuse, preview: Preview, **options: Any) -> None:
        super().__init__(**options)
        self._take, self._refuse, self._preview = take, refuse, preview
        self._spool: Spool | None = None
        self._sending = ""
        self.on_msg(self._receive)

    def show(self) -> None:
        """Show the preview there is, or none."""
        picture = self._preview()
        if picture is None:
            self.send({"kind": "clear"})
        else:
            self.send({"kind": "preview"}, [picture])

    def drop(self) -> None:
        """Give up a file that is on its way."""
        if self._spool is not None:
            self._spool.close()
        self._spool, self._sending = None, ""

    def close(self) -> None:
        """Take the picker off the page, and delete what was on its way."""
        self.drop()
        super().close()

    def _receive(self, _: object, content: dict[str, Any], buffers: list[memoryview]) -> None:
        known: dict[str, Callable[[dict[str, Any]], None]] = {
            "start": self._start,
            "slice": partial(self._slice, buffers),
            "cancel": self._cancel,
            "refuse": lambda said: self._refuse(int(said.get("size", 0))),
            "show": lambda _: self.show(),
        }
        act = known.get(str(content.get("kind")))
        if act is not None:
            act(content)

    def _start(self, content: dict[str, Any]) -> None:
        self.drop()
        size, self._sending = content.get("size"), str(content.get("id"))
        if self.disabled or type(size) is not int or not 0 <= size <= self.limit:
            self._stop(f"At most {self.limit // 2**20} MB can be sent.")
            return
        self._spool = Spool(size)
        self._go_on(self._spool)

    def _slice(self, buffers: list[memoryview], content: dict[str, Any]) -> None:
        if self._spool is None or content.get("id") != self._sending:
            return
        try:
            self._spool.add(int(content.get("at", -1)), b"".join(buffers))
        except (SpoolError, OSError) as error:
            self._stop(f"Not received: {error}")
            return
        self._go_on(self._spool)

    def _go_on(self, spool: Spool) -> None:
        if not spool.full:
            self.send({"kind": "next", "id": self._sending, "at": spool.at})
            return
        self.send({"kind": "done", "id": self._sending})
        self._spool = None
        self._take(spool.file)

    def _cancel(self, content: dict[str, Any]) -> None:
        if content.get("id") == self._sending:
            self.drop()

    def _stop(self, reason: str) -> None:
        self.send({"kind": "stop", "id": self._sending, "reason": reason})
        self.drop()
