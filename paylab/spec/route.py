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
        """Sort the routes by path; the shape of a path has its placeholders without names."""
        routes_by_shape: dict[str, dict[str, Route]] = {}
        # Templates with fewer placeholders come first, and win.
        for route in sorted(routes, key=lambda route: route.template.count("{")):
            route_by_method = routes_by_shape.setdefault(make_template_shape(route.template), {})
            route_by_method[route.method] = route
        self._routes_by_path: dict[str, dict[str, Route]] = {}
        self._routes_by_pattern: list[tuple[re.Pattern[str], dict[str, Route]]] = []
        for routes_by_method in routes_by_shape.values():
            template = next(iter(routes_by_method.values())).template
            if "{" in template:
                self._routes_by_pattern.append((_make_path_pattern(template), routes_by_method))
            else:
                self._routes_by_path[template] = routes_by_method

    def match(self, path: str) -> tuple[Mapping[str, Route], dict[str, str]]:
        """The routes at a path by method, and the values of its placeholders by name.

        `/v1/transfers/tr_1` matches the template `/v1/transfers/{id}` with `{"id": "tr_1"}`. Both
        are empty if no template matches.
        """
        if path in self._routes_by_path:
            return self._routes_by_path[path], {}
        for pattern, routes_by_method in self._routes_by_pattern:
            path_match = pattern.fullmatch(path)
            if path_match:
                return routes_by_method, path_match.groupdict()
        return {}, {}


def strip_base_path(path: str, base: str) -> str:
    """A path without the path of the base address, `signing.base_path`, that is not signed.

    >>> from paylab.spec.route import strip_base_path
    >>> strip_base_path("/api/v1/transfers", "/api")
    '/v1/transfers'
    """
    has_base = base != NONE and path.startswith(f"{base}/")
    return path.removeprefix(base) if has_base else path


def make_template_shape(template: str) -> str:
    """A template without the names of its placeholders: two of one shape match the same paths."""
    return PLACEHOLDER.sub("{}", template)


def _make_path_pattern(template: str) -> re.Pattern[str]:
    """The pattern of the paths of a template, with a group for each placeholder."""
    pattern_text = ""
    # `split` returns fixed texts with the names of placeholders between them.
    for piece_number, template_piece in enumerate(PLACEHOLDER.split(template)):
        is_placeholder = piece_number % 2 == 1
        piece_pattern = f"(?P<{template_piece}>[^/]+)"
        pattern_text += piece_pattern if is_placeholder else re.escape(template_piece)
    return re.compile(pattern_text)
