"""A file chosen, dropped or pasted in the browser, and sent to the kernel in 1 MiB slices.

Jupyter's message size limit does not apply, and no byte is stored in widget state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...spec.codes import IMAGE_MAX
from ...spec.text import JsonObject
from .message import Message, whole_number
from .nodes import Node, Send


class FilePicker(Node):
    """A button and a drop area for a file; calls `on_file(name, data)` when it was received.

    It calls `on_refusal(name, size)` for a file that is too large, and `on_remove` for the Remove
    button, which is shown while `chosen` is true. `make_preview` returns the preview as JPEG;
    `hint` is the text beside the button.
    """

    kind = "file"
    attributes = ("label", "accept", "limit", "hint", "chosen", "disabled", "errors", "warnings")

    def __init__(
        self,
        label: str,
        accept: str,
        on_file: Callable[[str, bytes], None],
        on_refusal: Callable[[str, int], None] = lambda *_: None,
    ) -> None:
        """Start without a file; the form sets the other functions and the hint afterwards."""
        super().__init__()
        self.label = label
        self.accept = accept
        self.limit = IMAGE_MAX
        self.on_file = on_file
        self.on_refusal = on_refusal
        self.on_remove: Callable[[], None] = lambda: None
        self.chosen = False
        self.disabled = False
        self.hint = "or drop or paste it here"
        self.errors: list[str] = []
        self.warnings: list[str] = []
        self.make_preview: Callable[[], bytes | None] = lambda: None
        self._page_senders: list[Send] = []
        self._received: bytearray | None = None
        self._expected_size = 0
        self._transfer_id = ""
        self._file_name = ""

    def attach(self, send: Send) -> None:
        """Add the function that sends a message to another page that shows this node."""
        if send not in self._page_senders:
            self._page_senders.append(send)

    def send(self, message: JsonObject, buffers: list[bytes] | None = None) -> None:
        """Send a message to every page that shows this node."""
        for send_to_page in self._page_senders:
            send_to_page({**message, "node": self.id}, buffers)

    def show_preview(self) -> None:
        """Update the preview on every open page."""
        preview_bytes = self.make_preview() if self._page_senders else None
        self.send({"kind": "preview"}, [preview_bytes] if preview_bytes else [])

    def cancel_transfer(self) -> None:
        """Cancel a transfer in progress."""
        self._received = None
        self._transfer_id = ""

    def receive(self, message: Message, buffers: Sequence[bytes]) -> None:
        """Receive a file slice by slice; a slice out of order cancels it."""
        action_name = message.get("kind")
        if action_name == "start":
            self._start_transfer(message)
        elif action_name == "slice":
            self._receive_slice(message, buffers)
        elif action_name == "cancel" and message.get("id") == self._transfer_id:
            self.cancel_transfer()
        elif action_name == "refuse":
            self.on_refusal(str(message.get("name", "")), whole_number(message.get("size")))
        elif action_name == "remove" and not self.disabled:
            self.on_remove()
        elif action_name == "look":
            self.show_preview()

    def _start_transfer(self, message: Message) -> None:
        """Request the first slice, unless the file is too large."""
        self.cancel_transfer()
        self._transfer_id = str(message.get("id"))
        self._file_name = str(message.get("name", ""))
        file_size = message.get("size")
        has_valid_size = type(file_size) is int and 0 <= file_size <= self.limit
        if self.disabled or not has_valid_size:
            limit_mb = self.limit // 2**20
            self._stop_transfer(f"The file is too large: at most {limit_mb} MB can be sent.")
            return
        self._expected_size = whole_number(file_size)
        self._received = bytearray()
        self._continue_transfer(self._received)

    def _receive_slice(self, message: Message, buffers: Sequence[bytes]) -> None:
        """Append a slice; stop the transfer after one that is misplaced, empty or too long.

        A slice of a transfer that was cancelled is ignored.
        """
        received_bytes = self._received
        if received_bytes is None or message.get("id") != self._transfer_id:
            return
        file_slice = b"".join(buffers)
        offset = message.get("at")
        is_misplaced = offset != len(received_bytes)
        is_too_long = len(received_bytes) + len(file_slice) > self._expected_size
        if is_misplaced or is_too_long or not file_slice:
            self._stop_transfer(
                f"The file was not received: a slice at {offset} of {len(file_slice)} bytes, "
                f"where {len(received_bytes)} was expected"
            )
            return
        received_bytes += file_slice
        self._continue_transfer(received_bytes)

    def _continue_transfer(self, received: bytearray) -> None:
        """Request the next slice, or hand over the whole file."""
        if len(received) < self._expected_size:
            self.send({"kind": "next", "id": self._transfer_id, "at": len(received)})
            return
        self.send({"kind": "done", "id": self._transfer_id})
        self._received = None
        self.on_file(self._file_name, bytes(received))

    def _stop_transfer(self, reason: str) -> None:
        """End the transfer, and say why in the browser."""
        self.send({"kind": "stop", "id": self._transfer_id, "reason": reason})
        self.cancel_transfer()
