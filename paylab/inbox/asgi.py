"""The receiver as an ASGI application: bodies bounded, work bounded, slow senders cut off."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .. import loopback
from .receiver import MOST_BYTES, Answer, Receiver

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

AT_ONCE = 64
"""Deliveries that are read and kept at the same time; the others wait, unread."""

WAITING = 1_000
"""Deliveries that may wait; one more is asked to come again."""

WORKERS = 4
BODY_SECONDS = 10.0
"""Seconds a sender has for its body."""


class App:
    """One receiver behind one path."""

    def __init__(self, receiver: Receiver, path: str, allowed: Collection[str] = ()) -> None:
        self._receiver, self._path, self._allowed = receiver, path, allowed
        self._open = asyncio.Semaphore(AT_ONCE)
        self._present = 0
        self._pool = ThreadPoolExecutor(WORKERS, "paylab-inbox")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        await _send(send, await self._answer(scope, receive))

    async def _answer(self, scope: Message, receive: Receive) -> Answer:
        given = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refused = loopback.refusal(given.get(b"host"), given.get(b"origin"), self._allowed)
        if refused:
            return Answer(*refused)
        if scope["path"] != self._path:
            return Answer(404, "events are posted elsewhere")
        if self._present >= AT_ONCE + WAITING:
            return Answer(503, "too many deliveries at once", {"retry-after": "1"})
        self._present += 1
        try:
            async with self._open:
                return await self._take(scope, receive)
        finally:
            self._present -= 1

    async def _take(self, scope: Message, receive: Receive) -> Answer:
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await _read(receive)
        except TimeoutError:
            return Answer(408, "the body did not come in time")
        if body is None:
            return Answer(400, "the body did not come whole")
        loop = asyncio.get_running_loop()
        kind = dict(scope["headers"]).get(b"content-type", b"").decode("latin-1")
        receiver = self._receiver.receive
        return await loop.run_in_executor(self._pool, receiver, scope["method"], kind, body)

    def close(self) -> None:
        """Let go of the threads."""
        self._pool.shutdown(wait=False)


async def _read(receive: Receive) -> bytes | None:
    """The body, or as much of it as shows that it is too large; None when the sender left."""
    parts: list[bytes] = []
    total = 0
    while total <= MOST_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        total += len(parts[-1])
        if not message.get("more_body"):
            break
    return b"".join(parts)


async def _send(send: Send, answer: Answer) -> None:
    body = answer.text.encode("ascii", "backslashreplace")
    length = str(len(body))
    # What was not read to its end is not worth reading on: the connection ends with the answer.
    close = {"connection": "close"} if answer.status in (403, 404, 408, 413, 421, 503) else {}
    headers = {"content-type": "text/plain", "content-length": length, **close, **answer.headers}
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})
