"""The operations of the service, and their routes in one service."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from ..errors import MissingOperationError, ServiceError
from .service_keys import NONE, Key

PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")

OPERATIONS: Mapping[str, tuple[str, str]] = {
    "individuals.create": ("POST", "create_individual"),
    "individuals.list": ("GET", "individuals"),
    "individuals.get": ("GET", "individual"),
    "individuals.submit_token": ("POST", "submit_verification_token"),
    "individuals.upload_images": ("POST", "upload_verification_images"),
    "individuals.images": ("GET", "verification_images"),
    "financial_accounts.create": ("POST", "create_financial_account"),
    "financial_accounts.update": ("POST", "update_financial_account"),
    "quotes.create": ("POST", "quotes"),
    "transfers.create": ("POST", "create_transfer"),
    "transfers.list": ("GET", "transfers"),
    "transfers.get": ("GET", "transfer"),
    "conversion_accounts.create": ("POST", "create_conversion_account"),
    "conversion_accounts.list": ("GET", "conversion_accounts"),
    "conversion_accounts.get": ("GET", "conversion_account"),
    "conversions.list": ("GET", "conversions"),
    "conversions.get": ("GET", "conversion"),
    "sandbox.deposit": ("POST", "sandbox_deposits"),
    "webhook_subscriptions.create": ("POST", "create_webhook_subscription"),
    "webhook_subscriptions.list": ("GET", "webhook_subscriptions"),
    "webhook_subscriptions.get": ("GET", "webhook_subscription"),
    "webhook_subscriptions.delete": ("DELETE", "delete_webhook_subscription"),
}
"""Every operation: its method, and the key of its path in [paths]."""

AMOUNTS = ("source_amount", "destination_amount", "net_source_amount", "amount")

_TERMS = (
    *("financial_account", "financial_account_id", "payout_method", "source_network"),
    *("source_currency", "destination_currency"),
    *("source_amount", "destination_amount", "net_source_amount"),
)
PERSON = (
    *("given_name", "family_name", "email", "phone", "date_of_birth", "idv_consent_recorded_at"),
)
"""The texts of an individual."""

FIELDS: Mapping[str, Collection[str]] = {
    "individuals": (
        *(*PERSON, "product_types", "country", "address", "document", "financial_accounts"),
    ),
    "verification_token": ("provider", "token", "applicant_id", "partner_terms_accepted_at"),
    "verification_images": ("images",),
    "financial_accounts": ("individual_id", "type", "details"),
    "financial_account": ("details",),
    "quotes": _TERMS,
    "transfers": (*_TERMS, "quote_id", "source_type", "client_reference_id"),
    "conversion_accounts": (
        *("individual_id", "payout_account", "payout_account_id", "source_currency"),
        *("destination_currency", "client_reference_id"),
    ),
    "sandbox_deposits": ("conversion_account_id", "amount", "currency", "sender_name"),
    "webhook_subscriptions": ("url", "event_types"),
}
"""The fields that the body of each operation can have, by our names."""


class Route(NamedTuple):
    """The route of an operation; `key` is the key of its path."""

    operation: str
    method: str
    template: str
    key: str


def routes(paths: Any) -> tuple[Route, ...]:
    """The routes of a service; paths without placeholders come first."""
    found = [
        Route(name, method, paths[key], f"paths.{key}")
        for name, (method, key) in OPERATIONS.items()
    ]
    there = [route for route in found if route.template != NONE]
    return tuple(sorted(there, key=lambda route: route.template.count("{")))


class RouteTable:
    """Finds the routes at a path."""

    def __init__(self, routes: Iterable[Route]) -> None:
        at: dict[str, dict[str, Route]] = {}
        for route in routes:
            at.setdefault(_form(route.template), {})[route.method] = route
        self._fixed = {path: there for path, there in at.items() if "{" not in path}
        self._open = [
            (_pattern(next(iter(there.values())).template), there)
            for path, there in at.items()
            if "{" in path
        ]

    def match(self, path: str) -> tuple[Mapping[str, Route], dict[str, str]]:
        """The routes at a path by method, and the values of placeholders."""
        if there := self._fixed.get(path):
            return there, {}
        for pattern, there in self._open:
            if hit := pattern.fullmatch(path):
                return there, hit.groupdict()
        return {}, {}


def path(paths: Any, name: str, parts: Mapping[str, str], keys: Mapping[str, Key]) -> str:
    """The path of a key of [paths] or of an operation, with placeholders filled in."""
    key = OPERATIONS[name][1] if name in OPERATIONS else name
    template = str(getattr(paths, key))
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
    parts = PLACEHOLDER.split(template)
    fixed = [re.escape(part) for part in parts[::2]]
    open_ = [f"(?P<{name}>[^/]+)" for name in parts[1::2]]
    return re.compile("".join(a + b for a, b in zip(fixed, [*open_, ""], strict=True)))


def _segment(text: str) -> str:
    """One segment of a path; segments of dots are escaped, because they would be resolved."""
    encoded = quote(text, safe="", errors="surrogatepass")
    return encoded.replace(".", "%2E") if not encoded.strip(".") else encoded


def reading(operation: str) -> str:
    """The operation that reads the result of an operation."""
    return f"{operation.partition('.')[0]}.get"
