"""The first requests: whether a walk can work at all, and one sentence if it cannot."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

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
from ..spec.timestamps import from_http
from .paths import PATH_MISSING
from .refusals import HopelessError, describe_error, is_web_page
from .signatures import is_about_signature
from .steps import LISTS, read_first_page
from .trial import Trials

MOST_SECONDS = 300
DOCTOR = "`paylab doctor` shows the same"
REFUSED = (AuthenticationError, PermissionDeniedError)


def read_any_list(trials: Trials) -> str:
    """Read one list, and return its name; HopelessError with one sentence when nothing can work."""
    failures = list[PaylabError]()
    base_url = trials.client.settings.base_url
    for list_name in LISTS:
        try:
            trials.run(
                partial(read_first_page, name=list_name), ("signing.", "lists.", "rate_limits.")
            )
        except PaylabError as error:
            failures.append(error)
            if isinstance(error, (*REFUSED, *SENTENCES)) or read_status(error) in ADVICE:
                raise HopelessError(explain_failure(error, base_url)) from error
        else:
            return list_name
    raise HopelessError(_explain_no_list(failures, base_url)) from failures[0]


def _explain_no_list(failures: Sequence[PaylabError], base_url: str) -> str:
    """Why no list can be read, by the errors of all of them."""
    if all(failure.call and is_web_page(failure.call) for failure in failures):
        return f"{base_url} answers with web pages, not with the API: check the base URL ({DOCTOR})"
    for failure in failures:
        if read_status(failure) not in (0, *PATH_MISSING):
            return (
                f"{base_url} refuses its lists: {describe_error(failure)}. Follow these words; the "
                "names of the query parameters are lists.limit_parameter and lists.cursor_parameter"
            )
    return (
        f"{base_url} has none of the lists: {describe_error(failures[0])}. Check the base URL; if "
        "the paths differ, ask your provider for them and set paths.transfers"
    )


def explain_failure(error: PaylabError, where: str) -> str:
    """Why nothing can work at an address, and what to do."""
    if isinstance(error, REFUSED):
        return _explain_refusal(error, where)
    advice = ADVICE.get(read_status(error))
    if advice:
        return f"{where} refuses every request ({describe_error(error)}): {advice}"
    sentence = next(
        sentence for error_class, sentence in SENTENCES.items() if isinstance(error, error_class)
    )
    return sentence.format(where=where, words=describe_error(error)) + f" ({DOCTOR})"


SENTENCES = {
    APITimeoutError: "{where} did not answer in time: check the base URL and the network",
    APIConnectionError: "no connection to {where} ({words}): check the base URL",
    RedirectError: "{where} answers {words}: set the base URL to the address of the API",
    ServerError: "{where} fails ({words}): try again later, or ask your provider",
}
"""What is wrong and what to do, by error; no other list would answer either."""
ADVICE = {
    402: "ask your provider for a plan that has these operations",
    410: "set the base URL to a version of the API that is in service",
    429: "try again when the service permits it, or ask your provider for a higher limit",
}
"""What to do, by the status of a refusal that is not about the request."""


def read_status(error: PaylabError) -> int:
    """The status of a refusal; 0 for another error."""
    return error.status if isinstance(error, APIStatusError) else 0


def _explain_refusal(error: PaylabError, base_url: str) -> str:
    """Why a 401 or 403 refuses every request: the clock, the permission, the key or the signature.

    The clock of the service is known by its Date, if it sends one.
    """
    headers = error.call.response_headers if error.call else {}
    service_time = from_http(str(headers.get("date", "")))
    seconds_ahead = (error.call.when - service_time).total_seconds() if service_time else 0.0
    refusal_words = describe_error(error)
    is_about_key = isinstance(error, PermissionDeniedError) and not is_about_signature(error)
    if is_about_key:
        return (
            f"{base_url} does not permit this key or this machine to read ({refusal_words}): "
            "your provider has to permit it; another signature does not help"
        )
    if abs(seconds_ahead) > MOST_SECONDS:
        side = "ahead" if seconds_ahead > 0 else "behind"
        return (
            f"{base_url} refuses the signature, and the clock of this machine is "
            f"{abs(seconds_ahead):.0f} s {side}: set the clock ({DOCTOR})"
        )
    if not is_about_signature(error):
        return (
            f"{base_url} refuses the key or the form of the request ({refusal_words}): follow "
            "these words, or ask your provider; paylab has no setting that would help"
        )
    return (
        f"{base_url} refuses the signature in every dialect ({refusal_words}): check that API "
        f"key and secret belong together and to this address ({DOCTOR})"
    )
