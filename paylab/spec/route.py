"""A route of a service, and the routes at a path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .service.value_types import NONE

PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


class Route(NamedTuple):
    """The route of an operation in one service."""

    operation: str
    method: str
    template: str


class RouteTable:
    """Finds the routes at a path; a path without placeholders wins."""

    def __init__(self, routes: Iterable[Route]) -> None:
        at: dict[str, dict[str, Route]] = {}
        for route in sorted(routes, key=lambda route: route.template.count("{")):
            at.setdefault(form_of(route.template), {})[route.method] = route
        first = (next(iter(methods.values())).template for methods in at.values())
        self._places = [(_pattern(template), at[form_of(template)]) for template in first]

    def match(self, path: str) -> tuple[Mapping[str, Route], dict[str, str]]:
        """The routes at a path by method, and the values of placeholders."""
        for pattern, methods in self._places:
            if hit := pattern.fullmatch(path):
                return methods, hit.groupdict()
        return {}, {}


def without_base(path: str, base: str) -> str:
    """A path without the path of the base address, `signing.base_path`, that is not signed.

    >>> from paylab.spec.route import without_base
    >>> without_base("/api/v1/transfers", "/api")
    '/v1/transfers'
    """
    return path.removeprefix(base) if base != NONE and path.startswith(f"{base}/") else path


def form_of(template: str) -> str:
    """A template without the names of its placeholders, for comparison."""
    return PLACEHOLDER.sub("{}", template)


def _pattern(template: str) -> re.Pattern[str]:
    parts = enumerate(PLACEHOLDER.split(template))  # fixed texts, with names between them
    pattern_parts = (f"(?P<{part}>[^/]+)" if at % 2 else re.escape(part) for at, part in parts)
    return re.compile("".join(pattern_parts))
