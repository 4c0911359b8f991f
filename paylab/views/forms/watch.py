"""Looking again and again without holding anything up: a task on the kernel's own loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ...errors import PaylabError

EVERY = 1.0
Look = Callable[[], Any]


async def at_once(look: Look) -> Any:
    """Look here and now: for a service in this process, which answers in a millisecond."""
    return look()


async def in_thread(look: Look) -> Any:
    """Look from a thread, so that a slow network holds up nothing."""
    return await asyncio.to_thread(look)


class Watch:
    """Shows what `look` sees until `rest` holds of it; `pass_time` is called between two looks.

    Without a running loop, as in a plain script, nothing is started.
    """

    def __init__(  # noqa: PLR0913 - what to see, when to stop, and how time passes
        self,
        look: Look,
        show: Callable[[Any], None],
        rest: Callable[[Any], bool],
        *,
        fail: Callable[[PaylabError], None],
        pass_time: Callable[[float], None] = lambda _: None,
        run: Callable[[Look], Awaitable[Any]] = in_thread,
        every: float = EVERY,
    ) -> None:
        self._look, self._show, self._rest, self._fail = look, show, rest, fail
        self._pass_time, self._run, self._every = pass_time, run, every
        self._task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Whether it still looks."""
        return self._task is not None and not self._task.done()

    def start(self) -> bool:
        """Begin to look; False where there is no loop to do it on."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return False
        self.stop()
        self._task = loop.create_task(self._go())
        return True

    def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
        self._task = None

    async def _go(self) -> None:
        while not await self._seen():
            await asyncio.sleep(self._every)
            if self._run is at_once and await self._seen():
                return  # a cell waited in the meantime: no more time may pass
            self._pass_time(self._every)

    async def _seen(self) -> bool:
        """Look and show; True when there is no reason to look again."""
        try:
            found = await self._run(self._look)
        except PaylabError as error:
            self._fail(error)
            return True
        self._show(found)
        return self._rest(found)
