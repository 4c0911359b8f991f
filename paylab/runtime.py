"""Starts threads, timers, processes and sockets, if this Python can. Nothing else starts any."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event, Thread, Timer, current_thread
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from .errors.base import ConfigError
from .errors.extras import in_page

if TYPE_CHECKING:  # imported by the functions, since few sessions need them
    import asyncio
    import socket
    import subprocess
    from concurrent.futures import Executor

P = ParamSpec("P")
A = TypeVar("A")
T = TypeVar("T")

Process: TypeAlias = "subprocess.Popen[bytes]"

END_SECONDS = 10.0
"""How long a process has for its end before it is asked again, or killed."""

BACKLOG = 2048
"""Maximum connections that wait to be accepted."""


def has_threads() -> bool:
    """Whether a thread can start. It is tried, since no setting of Python says so."""
    thread = Thread(target=bool, name="paylab-trial", daemon=True)
    try:
        thread.start()
    except Exception:  # RuntimeError in a browser
        return False
    thread.join()
    return True


def start_thread(run: Callable[[], object], name: str) -> Thread:
    """Start a daemon thread that calls `run`; ConfigError if this Python cannot start threads."""
    thread = Thread(target=run, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError as error:
        raise ConfigError(f"{name} needs a thread, which this Python cannot start") from error
    return thread


def make_executor(workers: int, name: str) -> Executor:
    """Make an executor with `workers` threads; where no thread can start, it works at once."""
    from concurrent.futures import ThreadPoolExecutor

    if has_threads():
        return ThreadPoolExecutor(workers, name)
    return _make_inline_executor()


def _make_inline_executor() -> Executor:
    """Make an executor that works in the calling thread."""
    from concurrent.futures import Executor, Future

    class InlineExecutor(Executor):  # here, since its base takes long to import
        """Does the work when it is submitted."""

        def submit(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
            """Do the work, and return its future, which has a result or an error."""
            future = Future[T]()
            try:
                future.set_result(work(*args, **kwargs))
            except Exception as error:
                future.set_exception(error)
            return future

    return InlineExecutor()


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do work in a thread while the event loop goes on, or at once without threads."""
    import asyncio

    if has_threads():
        return await asyncio.to_thread(work, *args, **kwargs)
    return work(*args, **kwargs)


async def in_executor(executor: Executor, work: Callable[[A], T], argument: A) -> T:
    """Do work in an executor while the event loop goes on."""
    import asyncio

    return await asyncio.get_running_loop().run_in_executor(executor, work, argument)


def call_later(seconds: float, run: Callable[[], object], name: str) -> Callable[[], None]:
    """Call a function once after some seconds. The returned function cancels the call.

    Without threads the running event loop calls it, and without a loop it is called at once.
    """
    if has_threads():
        timer = Timer(seconds, run)
        timer.name = name
        timer.daemon = True
        timer.start()
        return timer.cancel
    import asyncio

    try:
        event_loop = asyncio.get_running_loop()
    except RuntimeError:
        run()
        return lambda: None
    return event_loop.call_later(seconds, run).cancel


class Repetition:
    """Calls a function every `seconds` until it is stopped, in a thread or the event loop."""

    def __init__(self, run: Callable[[], object], seconds: float, name: str) -> None:
        self._run = run
        self._seconds = seconds
        self._name = name
        self._stopped = Event()
        self._thread: Thread | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the calls in a thread, else in the running event loop; without both do nothing."""
        if has_threads():
            self._thread = start_thread(self._repeat, self._name)
            return
        import asyncio

        with suppress(RuntimeError):
            self._task = asyncio.get_running_loop().create_task(self._repeat_in_loop())

    @property
    def is_running(self) -> bool:
        """Whether the function will be called again."""
        if self._stopped.is_set():
            return False
        if self._thread is not None:
            return self._thread.is_alive()
        return self._task is not None and not self._task.done()

    def stop(self) -> None:
        """Stop the calls. It returns when a call that is under way has ended."""
        self._stopped.set()
        if self._task is not None:
            self._task.cancel()
        thread = self._thread
        is_own_thread = thread is current_thread()  # the function itself stops the calls
        if thread is not None and not is_own_thread and thread.is_alive():
            thread.join()

    def _repeat(self) -> None:
        """Call the function in a thread until it is stopped."""
        while not self._stopped.wait(self._seconds):
            self._run()

    async def _repeat_in_loop(self) -> None:
        """Call the function in the event loop until it is stopped."""
        import asyncio

        while not self._stopped.is_set():
            await asyncio.sleep(self._seconds)
            self._run()


def start_process(command: Sequence[str], **options: Any) -> Process:
    """Start a command with options of `Popen`. OSError if this Python cannot."""
    import subprocess

    return subprocess.Popen(command, **options)  # noqa: S603 - a list of arguments, no shell


def end_process(process: Process, seconds: float = END_SECONDS) -> None:
    """Ask a process to end, ask again after some seconds, and kill it after as many more.

    Its children are killed with it if it leads a session. The function does not wait.
    """

    def ask_again() -> None:
        """Ask again, and kill the process later."""
        process.terminate()
        call_later(seconds, kill, "paylab-kill")

    def kill() -> None:
        """Kill the process and its session, unless it has ended."""
        if process.poll() is not None:
            return
        with suppress(AttributeError, ProcessLookupError):  # Windows has no groups
            if os.getpgid(process.pid) == process.pid:
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()

    process.terminate()
    call_later(seconds, ask_again, "paylab-end")


def require_sockets(purpose: str) -> None:
    """ConfigError in a page of a browser, where Python can neither connect nor listen."""
    if in_page():
        raise ConfigError(f"{purpose} needs sockets, which a page in a browser does not have")


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. ConfigError if the port cannot be opened; port 0 is any free one.

    IPPROTO_TCP must be named: without it asyncio leaves TCP_NODELAY off, and every keep-alive
    request then takes 44 ms.
    """
    require_sockets("a server")
    import socket

    address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening_socket = socket.socket(address_family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening_socket.bind((host, port))
        listening_socket.listen(
            BACKLOG
        )  # two sockets can be bound to the same port until one listens
    except OSError as error:
        listening_socket.close()
        raise ConfigError(f"cannot listen on {host} port {port}: {error.strerror}") from None
    except OverflowError:
        listening_socket.close()
        raise ConfigError(f"port must be from 0 (any free one) to 65535, not {port}") from None
    except TypeError:  # a port that is no number, which the public function names
        listening_socket.close()
        raise
    return listening_socket


def datagram_socket() -> socket.socket:
    """A Unix datagram socket. OSError or AttributeError where there are none."""
    import socket

    return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)


def check_listening(host: str, port: int, seconds: float) -> None:
    """Connect and disconnect. OSError if nothing listens there within some seconds."""
    import socket

    socket.create_connection((host, port), timeout=seconds).close()
