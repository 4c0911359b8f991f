"""Python programs of our own that answer requests.

A program of our own draws or reads what a service or a user sent. It may crash, hang or exhaust
memory: then only that program ends, and the next request starts a fresh one.
"""

from __future__ import annotations

import atexit
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import Signals
from threading import Event, Lock
from typing import Any, BinaryIO

from . import child, forks
from .errors.base import ProgramError
from .interpreter import python_command, python_environment
from .runtime import Process, call_later, start_process

SECONDS = 60
"""Maximum seconds to wait for an answer, the start of the program included."""


class PythonProgram:
    """A Python program that answers requests one by one; the first request starts it.

    `function` is the name of a function in `file`, from the bytes of a request to those of its
    answer; `name` is for messages. Threads wait for one another. A forked process starts a program
    of its own.
    """

    def __init__(self, file: str | Path, function: str, name: str) -> None:
        self.name = name
        self._command = python_command(str(child.__file__), str(file), function)
        self._process: Process | None = None
        self._lock = Lock()
        forks.renew_after_fork(self, PythonProgram._in_child)
        atexit.register(self.close)

    @property
    def pid(self) -> int | None:
        """The id of the running process."""
        return self._process.pid if self._process else None

    def ask(self, request: bytes, seconds: float = SECONDS) -> bytes:
        """The answer to a request; ProgramError when it has none."""
        with self._lock:
            expired = Event()
            try:
                process = self._running()
                with _limit(process, seconds, expired):
                    is_answer, content = _exchange(process, request)
            except (OSError, EOFError) as error:
                raise self._failure(error, f"{seconds:g}" if expired.is_set() else "") from None
            except BaseException:  # after an interrupt the answer would be read as the next one
                self.close()
                raise
        if not is_answer:
            raise ProgramError(f"{self.name} failed: {content.decode(errors='replace')}")
        return content

    def close(self) -> None:
        """End the program; the next request starts it again."""
        process = self._process
        self._process = None
        if process is None:
            return
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=SECONDS)
        _close_pipes(process)

    def _running(self) -> Process:
        """The running program; one that has ended is replaced."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            # From no folder in particular, which it would keep in use.
            place = Path(sys.executable or ".").anchor or None
            options = {**pipes, "stderr": subprocess.DEVNULL, "bufsize": 0, "cwd": place}
            environment = python_environment()
            self._process = start_process(self._command, env=environment, **options)
        return self._process

    def _failure(self, error: Exception, seconds: str) -> ProgramError:
        """The error of a program that ended without an answer; ends what is left of it."""
        process = self._process
        self.close()
        if process is None:
            reason = getattr(error, "strerror", None) or error
            return ProgramError(f"{self.name} cannot be started: {reason}")
        if seconds:
            return ProgramError(f"{self.name} was ended: it took longer than {seconds} seconds")
        return ProgramError(f"{self.name} ended before it answered ({_ending(process.returncode)})")

    def _in_child(self) -> None:
        """Leave the program to the parent process."""
        process = self._process
        self._process = None
        self._lock = Lock()
        if process is not None:
            process.returncode = 0  # it is not a child of this process
            _close_pipes(process)


@contextmanager
def _limit(process: Process, seconds: float, expired: Event) -> Iterator[None]:
    """Kill the process if the block takes longer."""

    def end() -> None:
        expired.set()
        process.kill()

    cancel = call_later(seconds, end, "paylab-limit")
    try:
        yield
    finally:
        cancel()


def _exchange(process: Process, request: bytes) -> tuple[bool, bytes]:
    """Send a request, and read whether it was answered and the answer, or the error's text."""
    pipes: tuple[Any, Any] = process.stdin, process.stdout
    to_program: BinaryIO = pipes[0]
    from_program: BinaryIO = pipes[1]
    child.send_message(to_program, request)
    mark = child.receive_message(from_program)
    return mark == child.ANSWER, child.receive_message(from_program)


def _close_pipes(process: Process) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _ending(status: int | None) -> str:
    """How a process ended."""
    if status is None or status >= 0:
        return f"exit status {status}"
    with suppress(ValueError):
        return f"signal {Signals(-status).name}"
    return f"signal {-status}"
