"""Query parameters that an operation does not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from urllib.parse import parse_qsl

from ..errors.base import Problem, RuleWarning, warn_caller
from ..errors.suggestions import find_nearest_name
from ..errors.text import plain
from .operations.operation import Operation
from .operations.records import OPERATIONS
from .row_filter import FIELDS, list_filter_names
from .service.service import Service

UNKNOWN_FIELD_SOURCE = "request.unknown"
WARNINGS_MAX = 5
"""The parameters of one request that are warned of."""
NAME_LENGTH_MAX = 60


def warn_of_unknown_parameters(service: Service, method: str, path: str, params: object) -> None:
    """Warn of query parameters, in the path or beside it, that a service may ignore."""
    bare_path, _, query_text = path.partition("?")
    parameter_names = [*dict(parse_qsl(query_text, keep_blank_values=True))]
    if isinstance(params, Mapping):  # anything else is refused when the request is made
        parameter_names += [name for name in params if isinstance(name, str)]
    route = service.match(bare_path)[0].get(method) if parameter_names else None
    if route is None:
        return
    operation = OPERATIONS[route.operation]
    resource = operation.resource
    problems = find_unknown_parameters(service, operation, parameter_names)
    for problem in islice(problems, WARNINGS_MAX):
        full_stop = "" if str(problem).endswith("?") else "."
        message = f"{problem}{full_stop} A service may ignore it"
        if resource in FIELDS and problem.field in list_filter_names(resource):
            message += f": lab.{resource}.list({problem.field}=...) filters the rows"
        warn_caller(message, RuleWarning)


def find_unknown_parameters(
    service: Service, operation: Operation, parameter_names: Iterable[str]
) -> Iterator[Problem]:
    """Yield a problem for each parameter that the operation does not have.

    It names the parameter that is probably meant, or else all that the operation has.
    """
    known_names = [field.name for field in operation.query]
    if operation.is_list:
        # A service can have other names for `limit` and `cursor`, or lack them.
        their_page_names = service.list(operation.resource).parameters.values()
        filter_names = [name for name in known_names if name not in ("limit", "cursor")]
        known_names = [*their_page_names, *filter_names]
    for parameter_name in parameter_names:
        if parameter_name in known_names:
            continue
        shown_name = plain(parameter_name, NAME_LENGTH_MAX)
        nearest_name = find_nearest_name(shown_name, known_names)
        suggestion_text = f": is {nearest_name} meant?" if nearest_name else ""
        if known_names and not nearest_name:
            suggestion_text = f" ({', '.join(known_names)} are)"
        yield Problem(shown_name, f"is no query parameter{suggestion_text}", UNKNOWN_FIELD_SOURCE)
