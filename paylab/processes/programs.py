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
from typing import BinaryIO, cast

from ..errors.base import ProgramError
from ..runtime import Process, call_later, start_process
from . import child, forks
from .interpreter import python_command, python_environment

ANSWER_SECONDS = 60
"""Maximum seconds to wait for an answer, the start of the program included."""


class PythonProgram:
    """A Python program that answers requests one by one; the first request starts it.

    `function` is the name of a function in `file`, from the bytes of a request to those of its
    answer. `name` is the program's name in messages. Threads wait for one another. A forked process
    starts a program of its own.
    """

    def __init__(self, file: str | Path, function: str, name: str) -> None:
        """Take the file, its function, and the program's name; nothing starts yet."""
        self.name = name
        self._command = python_command(str(child.__file__), str(file), function)
        self._process: Process | None = None
        self._lock = Lock()
        # Two processes that read one pipe would get each other's answers.
        forks.renew_after_fork(self, PythonProgram._leave_to_parent)
        atexit.register(self.close)

    @property
    def pid(self) -> int | None:
        """The id of the running process."""
        if self._process is None:
            return None
        return self._process.pid

    def ask(self, request: bytes, seconds: float = ANSWER_SECONDS) -> bytes:
        """Ask the program; return its answer. ProgramError if it fails, ends or takes too long."""
        with self._lock:
            expired_event = Event()
            try:
                process = self._start_if_ended()
                with _kill_after(process, seconds, expired_event):
                    is_answer, answer_bytes = _exchange_messages(process, request)
            except (OSError, EOFError) as error:
                if expired_event.is_set():
                    self.close()
                    message = f"{self.name} was ended: it took longer than {seconds:g} seconds"
                    raise ProgramError(message) from None
                raise self._close_and_make_error(error) from None
            except BaseException:  # after an interrupt the answer would be read as the next one
                self.close()
                raise
        if not is_answer:
            reason = answer_bytes.decode(errors="replace")
            raise ProgramError(f"{self.name} failed: {reason}", reason)
        return answer_bytes

    def close(self) -> None:
        """End the program. The next request starts it again."""
        process = self._process
        self._process = None
        if process is None:
            return
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=ANSWER_SECONDS)
        _close_pipes(process)

    def _start_if_ended(self) -> Process:
        """Return the running process; start a new one if there is none, or if it has ended."""
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        self._process = start_process(
            self._command,
            env=python_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            # It would keep the current folder in use.
            cwd=Path(sys.executable or ".").anchor or None,
        )
        return self._process

    def _close_and_make_error(self, error: Exception) -> ProgramError:
        """End the program, and make the error that says how it started or ended."""
        process = self._process
        self.close()
        if process is None:
            reason = getattr(error, "strerror", None) or error
            return ProgramError(f"{self.name} cannot be started: {reason}")
        exit_text = _describe_exit(process.returncode)
        return ProgramError(f"{self.name} ended before it answered ({exit_text})")

    def _leave_to_parent(self) -> None:
        """In a forked child: forget the program, which belongs to the parent process."""
        process = self._process
        self._process = None
        self._lock = Lock()
        if process is not None:
            process.returncode = 0  # it is not a child of this process
            _close_pipes(process)


@contextmanager
def _kill_after(process: Process, seconds: float, expired_event: Event) -> Iterator[None]:
    """Kill the process and set the event if the block takes longer."""

    def kill() -> None:
        """Set the event first: it tells why the process has ended."""
        expired_event.set()
        process.kill()

    cancel_kill = call_later(seconds, kill, "paylab-limit")
    try:
        yield
    finally:
        cancel_kill()


def _exchange_messages(process: Process, request: bytes) -> tuple[bool, bytes]:
    """Send a request. Return whether it was answered, and the answer or the error's text."""
    stdin = cast("BinaryIO", process.stdin)
    stdout = cast("BinaryIO", process.stdout)
    child.send_message(stdin, request)
    answer_mark = child.receive_message(stdout)
    content = child.receive_message(stdout)
    return answer_mark == child.ANSWER, content


def _close_pipes(process: Process) -> None:
    """Close the pipes to a process that has ended or belongs to another one."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _describe_exit(status: int | None) -> str:
    """Say how a process ended: "exit status 1" or "signal SIGKILL"."""
    if status is None or status >= 0:
        return f"exit status {status}"
    with suppress(ValueError):
        return f"signal {Signals(-status).name}"
    return f"signal {-status}"
