"""The planned faults of a simulator in Python: `lab.simulator.faults`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Unpack

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, UnknownNameError
from ..errors.names import unknown_name_error, with_name_suggestions
from ..spec.codes import EVENT_TYPES, EventType
from ..spec.operations.records import OPERATIONS
from ..spec.service.service import Service
from ..spec.text import JsonObject, JsonValue
from .deliveries import check_event_type
from .fault_kinds import CUSTOM_DETAILS, FAULT_KINDS, ON_EVENTS, UNLIMITED, FaultDetails, FaultKind
from .routing import find_fitting_routes

SendControl = Callable[..., Any]
"""Sends a signed request: (method, path, json=None) -> the decoded answer."""


@with_name_suggestions
class FaultBlock(AbstractContextManager[JsonObject]):
    """A fault that applies already; the end of a `with` block removes it."""

    def __init__(self, fault: JsonObject, remove: Callable[[str], None]) -> None:
        """Hold a fault; `remove` removes it by its id."""
        self._fault = fault
        self._remove = remove

    def __enter__(self) -> JsonObject:
        return self._fault

    def __exit__(self, *error: object) -> None:
        self._remove(str(self._fault["id"]))


@with_name_suggestions
@explain_arguments
class FaultControls:
    """The planned faults; each kind is also a method: `faults.drop_after(times=2)`."""

    def __init__(self, send_control: SendControl, service: Service) -> None:
        """Plan faults of a service by requests that `send_control` sends."""
        self._send_control = send_control
        self._service = service

    def add(self, kind: FaultKind | str, **details: Unpack[FaultDetails]) -> JsonObject:
        """Add a fault for the next matching call or event.

        `details`: operation, method, path (with *), event_type, times (0: until it is removed),
        every, probability and seed, and by kind status, retry_after, seconds. `kinds()` lists the
        kinds.

        >>> lab.simulator.faults.add("status", status=503, times=1)["kind"]
        'status'
        """
        return self._send_fault(kind, details)

    def on(
        self,
        name: EventType | str,
        kind: FaultKind | str = "custom",
        **details: Unpack[FaultDetails],
    ) -> FaultBlock:
        """Apply a fault to an operation or an event type, until the end of a `with` block.

        Without a block it applies until it is removed. An operation is named like
        "transfers.create" or "POST /v1/transfers". `kinds()` lists the kinds. Without a kind:

        - `status`, `headers` and `body` (JSON, or text) answer in place of the service; without a
          status the request is carried out. `content_type` replaces that of the answer.
        - `delay` is the time until the answer starts, and `slow` the time that its body takes, in
          seconds. The body comes in up to 20 pieces: a client times out if it waits too long for
          the next piece, or for all. `cut_after` is the number of bytes of the body that are sent.

        Of any kind, `times` is the number of the next calls that it applies to (0: all), `every=3`
        applies it to each third one, and `probability` with `seed` to a share of them.

        >>> with lab.simulator.faults.on("transfers.list", status=418, body={"error": "tea"}):
        ...     pass
        >>> with lab.simulator.faults.on("POST /v1/transfers", "refuse", every=3):
        ...     pass
        >>> with lab.simulator.faults.on("transfer.completed", "event_duplicate"):
        ...     pass
        """
        target_details = _make_target_details(name, kind, self._service)
        fault = self._send_fault(kind, {"times": UNLIMITED, **target_details, **details})
        return FaultBlock(fault, self.remove)

    def _send_fault(self, kind: FaultKind | str, details: Mapping[str, object]) -> JsonObject:
        """Add a fault; the error for a target in place of a kind says how to write it."""
        if isinstance(kind, str) and (kind in OPERATIONS or kind in EVENT_TYPES):
            raise ArgumentError(
                f"{kind} is no kind of fault: write faults.on({kind!r}, kind)", "kind"
            )
        if not isinstance(kind, str) or kind not in FAULT_KINDS:
            raise _unknown_kind_error(kind)
        return with_floats(
            self._send_control("POST", "/_simulator/faults", json={"kind": kind, **details})
        )

    def __getattr__(self, kind: str) -> Callable[..., JsonObject]:
        """A method that adds a fault of this kind; for another name an error with the nearest."""
        if kind.startswith("_"):
            raise AttributeError(kind)
        if kind not in FAULT_KINDS:
            raise _unknown_kind_error(kind)
        return partial(self.add, kind)

    def __dir__(self) -> list[str]:
        return sorted({*FAULT_KINDS, "add", "clear", "list", "on", "remove"})

    def list(self) -> list[JsonObject]:
        """The active faults, and how often each will apply.

        >>> lab.simulator.faults.list()
        []
        """
        return [with_floats(fault) for fault in self._send_control("GET", "/_simulator/faults")]

    def remove(self, fault_id: str) -> None:
        """Remove a fault by its id; one that is gone is no error.

        >>> lab.simulator.faults.remove(lab.simulator.faults.drop_after()["id"])
        """
        self._send_control("DELETE", f"/_simulator/faults/{fault_id}")

    def clear(self) -> None:
        """Remove all faults.

        >>> lab.simulator.faults.clear()
        """
        self._send_control("DELETE", "/_simulator/faults")

    def kinds(self) -> Sequence[tuple[str, str]]:
        """Every kind of fault, and what the service does then.

        >>> lab.simulator.faults.kinds()[0][0]
        'status'
        """
        return tuple(FAULT_KINDS.items())

    def __repr__(self) -> str:
        return f"<faults: {', '.join(FAULT_KINDS)}; list() gets the active ones>"


def _unknown_kind_error(kind: object) -> UnknownNameError:
    """The error for a kind of fault that does not exist, with the nearest kinds or all.

    A detail, such as `slow`, is like no kind.
    """
    if kind in CUSTOM_DETAILS:
        return UnknownNameError("fault", str(kind), known=FAULT_KINDS)
    return unknown_name_error("fault", kind, FAULT_KINDS)


def _make_target_details(target_name: str, fault_kind: str, service: Service) -> dict[str, str]:
    """The details that select the calls or events of a fault. UnknownNameError for a wrong name."""
    is_fault_of_calls = fault_kind in FAULT_KINDS and fault_kind not in ON_EVENTS
    if target_name in EVENT_TYPES and is_fault_of_calls:
        raise UnknownNameError("fault of events", fault_kind, tuple(ON_EVENTS))
    if fault_kind in ON_EVENTS:
        check_event_type(target_name)
        return {"event_type": target_name}
    if target_name.partition(" ")[2].startswith("/"):
        return _make_route_details(target_name, service)
    if target_name not in OPERATIONS:
        raise unknown_name_error("operation", target_name, OPERATIONS)
    return {"operation": target_name}


def _make_route_details(target_name: str, service: Service) -> dict[str, str]:
    """The details that select the calls of a route. UnknownNameError if there is no such route."""
    method, _, path = target_name.partition(" ")
    method = method.upper()
    if method not in {route.method for route in find_fitting_routes(service, path)}:
        route_by_name = {f"{route.method} {route.template}": route for route in service.routes}
        raise unknown_name_error("operation", target_name, route_by_name)
    return {"method": method, "path": path}


def with_floats(answer: JsonValue) -> JsonObject:
    """An answer with floats in place of decimals."""
    return dict(json.loads(json.dumps(answer, default=float)))
