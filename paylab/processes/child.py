"""The program in a child process: it answers requests from stdin on stdout, until stdin ends.

Its arguments are a Python file and the name of a function in it, from bytes to bytes. It imports
nothing of paylab, so that it starts quickly. A message is its length in eight bytes, and its bytes.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import BinaryIO

ANSWER = b"answer"
ERROR = b"error"
LENGTH_BYTES = 8
"""The number of bytes in which a message has its length."""
ERROR_CHARACTERS_MAX = 300
"""Maximum characters of the text of an exception."""


def send_message(pipe: BinaryIO, message: bytes) -> None:
    """Write a message to an unbuffered pipe."""
    unsent_bytes = memoryview(len(message).to_bytes(LENGTH_BYTES, "big") + message)
    while unsent_bytes:
        unsent_bytes = unsent_bytes[pipe.write(unsent_bytes) :]


def receive_message(pipe: BinaryIO) -> bytes:
    """Read a message; EOFError when the other side has ended."""
    message_length = int.from_bytes(_read_bytes(pipe, LENGTH_BYTES), "big")
    return _read_bytes(pipe, message_length)


def _read_bytes(pipe: BinaryIO, byte_count: int) -> bytes:
    """Read exactly this number of bytes; EOFError if the pipe ends before."""
    content = bytearray()
    while len(content) < byte_count:
        chunk = pipe.read(min(byte_count - len(content), 1 << 20))
        if not chunk:
            raise EOFError
        content += chunk
    return bytes(content)


def serve_requests() -> None:
    """Answer requests until the parent closes the pipe; an exception is answered with its text.

    The arguments of the process are a Python file and the name of its function from bytes to bytes.
    """
    from runpy import run_path  # for the child alone

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    request_pipe: BinaryIO = os.fdopen(os.dup(0), "rb", 0)
    answer_pipe: BinaryIO = os.fdopen(os.dup(1), "wb", 0)
    null_descriptor = os.open(os.devnull, os.O_RDWR)
    for stream_number in (0, 1):  # what a library prints must not be read as an answer
        os.dup2(null_descriptor, stream_number)
    _, program_path, function_name = sys.argv
    answer_request = run_path(program_path)[function_name]
    with suppress(EOFError, BrokenPipeError):
        while True:
            request = receive_message(request_pipe)
            try:
                answer_mark = ANSWER
                answer_bytes = answer_request(request)
            except Exception as error:
                error_text = str(error) or type(error).__name__
                answer_mark = ERROR
                answer_bytes = error_text[:ERROR_CHARACTERS_MAX].encode(errors="replace")
            send_message(answer_pipe, answer_mark)
            send_message(answer_pipe, answer_bytes)


if __name__ == "__main__":
    serve_requests()
