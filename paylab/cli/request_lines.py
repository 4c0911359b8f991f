"""The lines of `paylab requests` and `paylab proxy`: one for each request of a journal."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

from ..simulator.requests import JournalRequest, Requests
from ..spec.text import printable, show_json
from .terminal import say, status_colour

CHECK_SECONDS = 0.5
LINE_LENGTH_MAX = 200
"""Maximum characters of a line."""


def yield_new_requests(
    requests: Requests, last_shown: list[JournalRequest], stopped: Event
) -> Iterator[JournalRequest]:
    """Yield the requests after `last_shown`, then wait a moment.

    `last_shown` is the caller's list, whose last item is the request that was shown last: it
    then holds only the request that is yielded, so that the next call continues after that one.
    """
    last_number = last_shown[-1].number if last_shown else 0
    for request in requests.after(last_number):
        last_shown[:] = [request]
        yield request
    stopped.wait(CHECK_SECONDS)


def show_request(request: JournalRequest, *, as_json: bool, refused: bool) -> bool:
    """Show a request, or with `refused` only a refused one; return whether it was shown."""
    if refused and not request.is_refused:
        return False
    if as_json:
        say(show_json(dict(request.row)))
        return True
    request_text = f"{request.at:%H:%M:%S}  {request.method} {request.path} -> {request.status}"
    request_line = printable(f"{request_text}  {request.verdict}")
    if len(request_line) > LINE_LENGTH_MAX:
        request_line = f"{request_line[:LINE_LENGTH_MAX]}..."
    say(request_line, status_colour(request.status))
    return True
