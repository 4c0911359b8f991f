"""The first requests: whether a walk can work at all, and one sentence if it cannot."""

from __future__ import annotations

from functools import partial

from ..client.client import Client
from ..errors.api import (
    APIConnectionError,
    APITimeoutError,
    AuthenticationError,
    PermissionDeniedError,
    RedirectError,
    ServerError,
)
from ..errors.base import PaylabError
from ..spec.timestamps import from_http
from .steps import first_page
from .trial import Trials, words_of

LISTS = ("transfers", "individuals", "conversions")
MOST_SECONDS = 300
DOCTOR = "`paylab doctor` shows the same"


class HopelessError(PaylabError):
    """The walk cannot work; the message says why and what to do."""


def begin(trials: Trials) -> None:
    """Read one list; HopelessError with one sentence when nothing can work."""
    failures: list[PaylabError] = []
    for name in LISTS:
        try:
            trials.run(partial(first_page, name=name), ("signing.", "lists."))
        except PaylabError as error:
            failures.append(error)
            if not _may_differ(error):
                raise HopelessError(sentence(error, trials.client)) from error
        else:
            return
    if all("html" in _header(each, "content-type") for each in failures):
        raise HopelessError(
            f"{_address(trials.client)} answers with web pages, not with the API: check the base "
            f"URL ({DOCTOR})"
        ) from failures[0]
    raise HopelessError(
        f"{_address(trials.client)} has none of the lists: {words_of(failures[0])}. Check the base "
        "URL; if the paths differ, ask your provider for them and set paths.transfers"
    ) from failures[0]


def sentence(error: PaylabError, client: Client) -> str:
    """Why nothing can work, and what to do."""
    where, words = _address(client), words_of(error)
    if isinstance(error, AuthenticationError | PermissionDeniedError):
        return _refused(error, where)
    for kind, text in SENTENCES.items():
        if isinstance(error, kind):
            return text.format(where=where, words=words) + f" ({DOCTOR})"
    return f"{where} does not answer as the API does ({words}): check the base URL ({DOCTOR})"


SENTENCES = {
    APITimeoutError: "{where} did not answer in time: check the base URL and the network",
    APIConnectionError: "no connection to {where} ({words}): check the base URL",
    RedirectError: "{where} answers {words}: set the base URL to the address of the API",
    ServerError: "{where} fails ({words}): try again later, or ask your provider",
}
"""What is wrong and what to do, by error."""


def _refused(error: PaylabError, where: str) -> str:
    seconds = clock_offset(error)
    if abs(seconds) > MOST_SECONDS:
        side = "ahead" if seconds > 0 else "behind"
        return (
            f"{where} refuses the signature, and the clock of this machine is {abs(seconds):.0f} s "
            f"{side}: set the clock ({DOCTOR})"
        )
    return (
        f"{where} refuses the signature in every dialect ({words_of(error)}): check that API key "
        f"and secret belong together and to this address ({DOCTOR})"
    )


def clock_offset(error: PaylabError) -> float:
    """Seconds by which this machine is ahead of the Date header of the answer; 0 if unknown."""
    call = getattr(error, "call", None)
    theirs = from_http(_header(error, "date"))
    return (call.when - theirs).total_seconds() if call and theirs else 0.0


def _may_differ(error: PaylabError) -> bool:
    """Whether another list may still answer: this path or envelope may differ."""
    final = (APIConnectionError, RedirectError, ServerError, AuthenticationError)
    return not isinstance(error, (*final, PermissionDeniedError))


def _header(error: PaylabError, name: str) -> str:
    """A header of the answer; empty if there is none."""
    call = getattr(error, "call", None)
    return str(dict(call.response_headers or {}).get(name, "")) if call else ""


def _address(client: Client) -> str:
    return client.settings.base_url
