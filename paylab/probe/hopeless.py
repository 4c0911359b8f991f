"""Services at which nothing can work: one sentence says why, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors.api import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    PermissionDeniedError,
    RedirectError,
    ServerError,
)
from ..errors.base import PaylabError
from ..spec.text import plain
from ..spec.timestamps import from_http
from .paths import PATH_MISSING
from .refused_request import describe_error, is_web_page
from .signatures import CLOCK_SECONDS, is_about_signature

DOCTOR = "(`paylab doctor` shows the same)"
REFUSES = "{address} refuses every request ({words}): "
SENTENCES: Mapping[int | type[PaylabError], str] = {
    402: REFUSES + "ask your provider for a plan that has these operations",
    410: REFUSES + "set the base URL to a version of the API that is in service",
    429: REFUSES + "try again when the service permits it, or ask your provider for a higher limit",
    APITimeoutError: "{address} did not answer in time: check the base URL and the network "
    + DOCTOR,
    APIConnectionError: "no connection to {address} ({words}): check the base URL " + DOCTOR,
    RedirectError: "{address} answers {words}: set the base URL to the address of the API "
    + DOCTOR,
    ServerError: "{address} fails ({words}): try again later, or ask your provider " + DOCTOR,
}
"""What is wrong and what to do, by the status or the class of an error."""


class HopelessError(PaylabError):
    """The run cannot work; the message says why and what to do."""


def explain_failure(error: PaylabError, address: str) -> str:
    """Say why nothing can work at an address after an error; "" if another request may succeed."""
    if isinstance(error, AuthenticationError | PermissionDeniedError):
        return f"{address} {_explain_refused_key(error)}"
    for status_or_class, sentence_template in SENTENCES.items():
        is_status = isinstance(status_or_class, int) and read_status(error) == status_or_class
        if is_status or (isinstance(status_or_class, type) and isinstance(error, status_or_class)):
            return sentence_template.format(address=address, words=describe_error(error))
    return ""


def read_status(error: object) -> int:
    """The status of a refusal; 0 for anything else."""
    return error.status if isinstance(error, APIStatusError) else 0


def _explain_refused_key(error: PaylabError) -> str:
    """Say why a 401 or 403 refuses every request: permission, clock, key or signature.

    The clock of the service is known by its Date, if it sends one.
    """
    reason = describe_error(error)
    if isinstance(error, PermissionDeniedError) and not is_about_signature(error):
        return (
            f"does not permit this key or this machine to read ({reason}): your provider has to "
            "permit it; another signature does not help"
        )
    headers = error.call.response_headers if error.call else {}
    service_time = from_http(str(headers.get("date", "")))
    seconds_ahead = (error.call.when - service_time).total_seconds() if service_time else 0.0
    if abs(seconds_ahead) > CLOCK_SECONDS:
        side = "ahead" if seconds_ahead > 0 else "behind"
        return (
            "refuses the signature, and the clock of this machine is "
            f"{abs(seconds_ahead):.0f} s {side}: set the clock {DOCTOR}"
        )
    if not is_about_signature(error):
        return (
            f"refuses the key or the form of the request ({reason}): follow these words, or ask "
            "your provider; paylab has no setting that would help"
        )
    return (
        f"refuses the signature in every dialect ({reason}): check that API key and secret belong "
        f"together and to this address {DOCTOR}"
    )


def explain_missing_lists(failures: Sequence[PaylabError], address: str) -> str:
    """Say why no list can be read, by the errors of all of them."""
    if all(failure.call and is_web_page(failure.call) for failure in failures):
        return f"{address} answers with web pages, not with the API: check the base URL {DOCTOR}"
    for failure in failures:
        if read_status(failure) not in (0, *PATH_MISSING):
            return (
                f"{address} refuses its lists: {describe_error(failure)}. Follow these words; the "
                "names of the query parameters are lists.limit_parameter and lists.cursor_parameter"
            )
    return (
        f"{address} has none of the lists: {describe_error(failures[0])}. Check the base URL; if "
        "the paths differ, ask your provider for them and set paths.transfers"
    )


def raise_if_forbidden(error: PaylabError) -> None:
    """Raise HopelessError if a POST was answered with 403, after which nothing may be created."""
    call = error.call
    if isinstance(error, PermissionDeniedError) and call and call.method == "POST":
        raise HopelessError(
            f"the service refuses POST {plain(call.path, 100)} with {describe_error(error)}: it is "
            "production, or this key may only read; use the keys of a sandbox, or leave out --write"
        ) from error
