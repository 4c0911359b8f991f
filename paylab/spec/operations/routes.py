"""The routes of the operations in one service."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from ...errors.base import MissingOperationError, ServiceError
from ..service_keys import NONE, Key
from .operation import Operation

PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


class Route(NamedTuple):
    """The route of an operation; `key` is the key of its path."""

    operation: str
    method: str
    template: str
    key: str


def routes(operations: Iterable[Operation], paths: Any) -> tuple[Route, ...]:
    """The routes of a service."""
    found = [Route(each.name, each.method, *_template(paths, each.path)) for each in operations]
    return tuple(route for route in found if route.template != NONE)


def _template(paths: Any, path: str) -> tuple[str, str]:
    """The template of a path and its key; no key if the path is fixed."""
    return (path, "") if path.startswith("/") else (str(paths[path]), f"paths.{path}")


class RouteTable:
    """Finds the routes at a path; a path without placeholders wins."""

    def __init__(self, routes: Iterable[Route]) -> None:
        at: dict[str, dict[str, Route]] = {}
        for route in sorted(routes, key=lambda route: route.template.count("{")):
            at.setdefault(_form(route.template), {})[route.method] = route
        first = (next(iter(there.values())).template for there in at.values())
        self._places = [(_pattern(template), at[_form(template)]) for template in first]

    def match(self, path: str) -> tuple[Mapping[str, Route], dict[str, str]]:
        """The routes at a path by method, and the values of placeholders."""
        for pattern, there in self._places:
            if hit := pattern.fullmatch(path):
                return there, hit.groupdict()
        return {}, {}


def path(paths: Any, key: str, parts: Mapping[str, str], keys: Mapping[str, Key]) -> str:
    """The path of a key of [paths], or a fixed path, with placeholders filled in."""
    template, _ = _template(paths, key)
    if template == NONE:
        row = keys[f"paths.{key}"].row
        raise MissingOperationError(
            f'the service has no operation {key}: paths.{key} is "{NONE}" (assumption {row}); '
            "set it in service.toml if your provider documents a path",
            f"paths.{key}",
        )
    return PLACEHOLDER.sub(lambda found: _segment(parts[found[1]]), template)


def check(routes: Collection[Route], given: Collection[str]) -> None:
    """ServiceError if two operations have the same method and path."""
    there: dict[tuple[str, str], Route] = {}
    for route in routes:
        place = route.method, _form(route.template)
        other = there.setdefault(place, route)
        if other is not route:
            key = route.key if route.key in given else other.key
            message = f"{key}: {route.method} {route.template} would be both "
            raise ServiceError(f"{message}{other.operation} and {route.operation}", key)


def _form(template: str) -> str:
    """A template without the names of its placeholders, for comparison."""
    return PLACEHOLDER.sub("{}", template)


def _pattern(template: str) -> re.Pattern[str]:
    parts = enumerate(PLACEHOLDER.split(template))  # fixed texts, with names between them
    named = (f"(?P<{part}>[^/]+)" if at % 2 else re.escape(part) for at, part in parts)
    return re.compile("".join(named))


def _segment(text: str) -> str:
    """One segment of a path; segments of dots are escaped, because they would be resolved."""
    encoded = quote(text, safe="", errors="surrogatepass")
    return encoded.replace(".", "%2E") if not encoded.strip(".") else encoded


def reading(operation: str) -> str:
    """The operation that reads the result of an operation."""
    return f"{operation.partition('.')[0]}.get"
