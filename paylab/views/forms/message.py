"""Messages of a page in a browser, read into plain values whatever their shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import RLock

from ...spec.text import JsonMapping, JsonObject

Message = JsonMapping
"""A message of a browser: its names with a text, a number, a bool or None each."""

PLAIN_TYPES = (int, float, bool, type(None))
NUMBER_DIGITS_MAX = 15
"""Digits of a whole number that JavaScript keeps."""


def read_message(message: object) -> Message:
    """Read the members of a message that are plain values; an empty dict if it is no object."""
    if not isinstance(message, Mapping):
        return {}
    plain_members: JsonObject = {}
    for member_name, member in message.items():
        if isinstance(member, str):
            plain_members[str(member_name)] = _without_surrogates(member)
        elif isinstance(member, PLAIN_TYPES):
            plain_members[str(member_name)] = member
    return plain_members


def read_buffers(buffers: object) -> list[bytes]:
    """Read the bytes beside a message; an empty list if a part is no bytes."""
    if not isinstance(buffers, Iterable):
        return []
    buffer_list = list(buffers)
    if not all(isinstance(buffer, bytes | bytearray | memoryview) for buffer in buffer_list):
        return []
    return [bytes(buffer) for buffer in buffer_list]


def whole_number(value: object, default: int = 0) -> int:
    """A whole number of a message, or the default for any other value."""
    if not isinstance(value, int) or isinstance(value, bool):
        return default
    return value if abs(value) < 10**NUMBER_DIGITS_MAX else default


class InputOrder:
    """The numbers of the last inputs of a field, by page: an older input is not taken.

    JupyterLab sends the first messages of a page to the main shell of a kernel and the others to
    a subshell. They arrive in two threads, and the older one can come last: `lock` is held while an
    input is taken.
    """

    def __init__(self) -> None:
        self.last_number_by_page: dict[str, int] = {}
        self.lock = RLock()

    def take_if_newer(self, message: Message) -> bool:
        """Whether an input is newer than the last one of its page; it is the last one from now.

        An input without a number is always taken, and leaves the last number as it is.
        """
        page = str(message.get("view"))
        number = whole_number(message.get("n"))
        if number < 1:
            return True
        if number <= self.last_number_by_page.get(page, 0):
            return False
        self.last_number_by_page = {**self.last_number_by_page, page: number}
        return True


def _without_surrogates(message_text: str) -> str:
    """The text with each unpaired surrogate replaced: half a character cannot be sent."""
    return message_text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
