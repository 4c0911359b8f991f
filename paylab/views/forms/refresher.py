"""Read a resource again and again without blocking a cell."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ...errors.base import PaylabError
from ...runtime import in_thread

REFRESH_SECONDS = 1.0

Read = Callable[[], Any]
"""A function that reads the current value from the service."""


class Refresher:
    """Calls `read` and `show(value)` until `is_done(value)`, and `pass_time` between two calls.

    `read` is called in a thread, so that a slow network does not block the kernel, unless the
    service is in this process. Without a running event loop, as in a script, nothing is started.
    `every` is the seconds between two calls.
    """

    def __init__(  # noqa: PLR0913 - what to read, when to stop, and how time passes
        self,
        read: Read,
        show: Callable[[Any], None],
        is_done: Callable[[Any], bool],
        *,
        on_error: Callable[[PaylabError], object] = lambda _: None,
        pass_time: Callable[[float], object] = lambda _: None,
        in_process: bool = False,
        every: float = REFRESH_SECONDS,
    ) -> None:
        """Keep the functions; `start()` starts the calls."""
        self._read = read
        self._show = show
        self._is_done = is_done
        self._on_error = on_error
        self._pass_time = pass_time
        self._in_process = in_process
        self._interval_seconds = every
        self._task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether it is refreshing."""
        return self._task is not None and not self._task.done()

    def start(self) -> bool:
        """Start refreshing; return False without a running event loop."""
        try:
            event_loop = asyncio.get_running_loop()
        except RuntimeError:
            return False
        self.stop()
        self._task = event_loop.create_task(self._refresh_until_done())
        return True

    def stop(self) -> None:
        """Stop refreshing."""
        if self._task is not None:
            self._task.cancel()
        self._task = None

    async def _refresh_until_done(self) -> None:
        """Read and show the value at each interval; advance the simulator's clock by as much."""
        while not await self._refresh():
            await asyncio.sleep(self._interval_seconds)
            if self._in_process and await self._refresh():
                return  # another cell advanced the clock during the sleep
            self._pass_time(self._interval_seconds)

    async def _refresh(self) -> bool:
        """Read and show the value once; return whether refreshing ends now."""
        try:
            read_value = self._read() if self._in_process else await in_thread(self._read)
        except PaylabError as error:
            self._on_error(error)
            return True
        self._show(read_value)
        return self._is_done(read_value)
