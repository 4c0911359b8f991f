"""Where the operations of a service and the simulator's controls are: a path's operations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..spec import operations
from ..spec.operations import Route
from ..spec.service import Service
from .messages import Refused

CONTROL = "/_simulator"
"""What the paths of the controls begin with; no path of a service does."""

_CONTROLS = (
    ("control.summary", "GET", CONTROL),
    ("control.clock", "POST", f"{CONTROL}/clock"),
    ("control.reset", "POST", f"{CONTROL}/reset"),
    ("control.move_object", "POST", f"{CONTROL}/objects/{{id}}"),
    ("control.add_fault", "POST", f"{CONTROL}/faults"),
    ("control.list_faults", "GET", f"{CONTROL}/faults"),
    ("control.clear_faults", "DELETE", f"{CONTROL}/faults"),
    ("control.seed", "POST", f"{CONTROL}/seed"),
    ("control.read_snapshot", "GET", f"{CONTROL}/snapshot"),
    ("control.write_snapshot", "PUT", f"{CONTROL}/snapshot"),
    ("control.deliveries", "GET", f"{CONTROL}/deliveries"),
    ("control.events", "GET", f"{CONTROL}/events"),
    ("control.scenarios", "GET", f"{CONTROL}/scenarios"),
)
CONTROLS = tuple(Route(name, method, path, "") for name, method, path in _CONTROLS)

Parts = Mapping[str, str]


class Routes:
    """The operations of one service by method and path; computed once for a simulator."""

    def __init__(self, service: Service) -> None:
        every = (*service.routes, *CONTROLS)
        self._fixed: dict[str, dict[str, str]] = {}
        for route in every:
            if "{" not in route.template:
                self._fixed.setdefault(route.template, {})[route.method] = route.operation
        open_ = [route for route in every if "{" in route.template]
        self._patterns: Sequence[tuple[re.Pattern[str], Mapping[str, str]]] = [
            (pattern, {route.method: route.operation for route in there})
            for pattern, there in operations.patterns(open_)
        ]

    def find(self, method: str, path: str) -> tuple[str, Parts]:
        """The name of the operation, and what fills the placeholders; else a 404 or 405."""
        methods, parts = self._at(path)
        if method in methods:
            return methods[method], parts
        if not methods:
            raise Refused(404, "there is no such path")
        allowed = ", ".join(methods)
        raise Refused(405, f"this path takes {allowed}", headers={"allow": allowed})

    def _at(self, path: str) -> tuple[Mapping[str, str], Parts]:
        if methods := self._fixed.get(path):
            return methods, {}
        for pattern, there in self._patterns:
            if hit := pattern.fullmatch(path):
                return there, hit.groupdict()
        return {}, {}
