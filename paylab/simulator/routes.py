"""Every operation by path and method."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .endpoints import accounts, control, individuals, onramp, quotes, transfers, webhooks
from .exchange import Refused, Reply, Request
from .world import World

Operation = Callable[[World, Request], Reply]

ROUTES: Mapping[str, Mapping[str, Operation]] = {
    "/v1/individuals": {"POST": individuals.create, "GET": individuals.index},
    "/v1/individuals/{id}": {"GET": individuals.get},
    "/v1/individuals/{id}/verification_token": {"POST": individuals.submit_token},
    "/v1/individuals/{id}/verification_images": {
        "POST": individuals.upload_images,
        "GET": individuals.read_images,
    },
    "/v1/financial_accounts": {"POST": accounts.create},
    "/v1/financial_accounts/{id}": {"POST": accounts.update},
    "/v1/quotes": {"POST": quotes.create},
    "/v1/transfers": {"POST": transfers.create, "GET": transfers.index},
    "/v1/transfers/{id}": {"GET": transfers.get},
    "/v1/conversion_accounts": {"POST": onramp.create_account, "GET": onramp.list_accounts},
    "/v1/conversion_accounts/{id}": {"GET": onramp.get_account},
    "/v1/conversions": {"GET": onramp.list_conversions},
    "/v1/sandbox/deposits": {"POST": onramp.deposit},
    "/v1/webhook_subscriptions": {"POST": webhooks.create, "GET": webhooks.index},
    "/v1/webhook_subscriptions/{id}": {"GET": webhooks.get, "DELETE": webhooks.delete},
    "/_simulator": {"GET": control.summary},
    "/_simulator/clock": {"POST": control.clock},
    "/_simulator/reset": {"POST": control.reset},
    "/_simulator/objects/{id}": {"POST": control.move},
    "/_simulator/faults": {
        "POST": control.add_fault,
        "GET": control.list_faults,
        "DELETE": control.clear_faults,
    },
    "/_simulator/seed": {"POST": control.seed},
    "/_simulator/snapshot": {"GET": control.read_snapshot, "PUT": control.write_snapshot},
    "/_simulator/deliveries": {"GET": control.deliveries},
    "/_simulator/events": {"GET": control.events},
    "/_simulator/scenarios": {"GET": control.scenarios},
}

IDEMPOTENT = ("/v1/transfers", "/v1/conversion_accounts")
"""Paths whose POST takes an Idempotency-Key. Spec, "Idempotency"."""


def find(method: str, path: str) -> tuple[Operation, str]:
    """The operation for a request, and the id in its path; 404 or 405 when there is none."""
    methods, row_id = ROUTES.get(path), ""
    if methods is None:
        parts = path.split("/")
        row_id = parts[3] if len(parts) > _ID_PLACE else ""
        methods = ROUTES.get("/".join([*parts[:3], "{id}", *parts[4:]])) if row_id else None
    if methods is None:
        raise Refused(404, "there is no such path")
    if method not in methods:
        allowed = ", ".join(methods)
        raise Refused(405, f"this path takes {allowed}", headers={"allow": allowed})
    return methods[method], row_id


_ID_PLACE = 3
