"""A file chosen, dropped or pasted in the browser, and sent to the kernel in 1 MiB slices.

Jupyter's message size limit does not apply, and no byte is stored in widget state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...spec.codes import IMAGE_MAX
from .message import Message, whole_number
from .view import Node, Send


class FilePicker(Node):
    """A button and a drop area for a file; calls `take(name, data)` when it was received.

    It calls `refuse(name, size)` for a file that is too large, and `remove` for the Remove
    button, which is shown while `chosen` is true. `picture` returns the preview; `hint` is the
    text beside the button.
    """

    kind = "file"
    attributes = ("label", "accept", "limit", "hint", "chosen", "disabled", "errors", "warnings")

    def __init__(
        self,
        label: str,
        accept: str,
        take: Callable[[str, bytes], None],
        refuse: Callable[[str, int], None] = lambda *_: None,
    ) -> None:
        super().__init__()
        self.label = label
        self.accept = accept
        self.limit = IMAGE_MAX
        self.take = take
        self.refuse = refuse
        self.remove: Callable[[], None] = lambda: None
        self.chosen = self.disabled = False
        self.hint = "or drop or paste it here"
        self.errors: list[str] = []
        self.warnings: list[str] = []
        self.picture: Callable[[], bytes | None] = lambda: None
        self._sends: list[Send] = []
        self._received: bytearray | None = None
        self._size = 0
        self._sending = self._name = ""

    def attach(self, send: Send) -> None:
        """Set the function that sends a message to a page."""
        if send not in self._sends:
            self._sends.append(send)

    def send(self, message: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        """Send a message to every page that shows this node."""
        for send in self._sends:
            send({**message, "node": self.id}, buffers)

    def show(self) -> None:
        """Update the preview on every open page."""
        picture = self.picture() if self._sends else None
        self.send({"kind": "preview"}, [picture] if picture else [])

    def drop(self) -> None:
        """Cancel a transfer in progress."""
        self._received = None
        self._sending = ""

    def receive(self, message: Message, buffers: Sequence[bytes]) -> None:
        """Receive a file slice by slice; a slice out of order cancels it."""
        act = message.get("kind")
        if act == "start":
            self._start(message)
        elif act == "slice":
            self._slice(message, buffers)
        elif act == "cancel" and message.get("id") == self._sending:
            self.drop()
        elif act == "refuse":
            self.refuse(str(message.get("name", "")), whole_number(message.get("size")))
        elif act == "remove" and not self.disabled:
            self.remove()
        elif act == "look":
            self.show()

    def _start(self, message: Message) -> None:
        self.drop()
        size = message.get("size")
        self._sending = str(message.get("id"))
        self._name = str(message.get("name", ""))
        if self.disabled or type(size) is not int or not 0 <= size <= self.limit:
            self._stop(f"The file is too large: at most {self.limit // 2**20} MB can be sent.")
            return
        self._size = size
        self._received = bytearray()
        self._go_on(self._received)

    def _slice(self, message: Message, buffers: Sequence[bytes]) -> None:
        received = self._received
        data = b"".join(buffers)
        at = message.get("at")
        if received is None or message.get("id") != self._sending:
            return
        if at != len(received) or not data or len(received) + len(data) > self._size:
            slice_ = f"a slice at {at} of {len(data)} bytes, where {len(received)} was expected"
            self._stop(f"The file was not received: {slice_}")
            return
        received += data
        self._go_on(received)

    def _go_on(self, received: bytearray) -> None:
        if len(received) < self._size:
            self.send({"kind": "next", "id": self._sending, "at": len(received)})
            return
        self.send({"kind": "done", "id": self._sending})
        self._received = None
        self.take(self._name, bytes(received))

    def _stop(self, reason: str) -> None:
        self.send({"kind": "stop", "id": self._sending, "reason": reason})
        self.drop()
