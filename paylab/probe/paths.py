"""The paths that an operation of a service may have, beside the one in force."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

from ..spec.operations.records import OPERATIONS
from ..spec.service.key import SettingKey
from ..spec.service.service import Service
from ..spec.service.setting import setting_key_of
from ..spec.service.value_types import NONE

PATHS: Mapping[str, tuple[str, ...]] = {
    "quotes": ("/v1/transfer_quotes", "/v1/transfers/quote", "/v1/quotes/create", "/v1/fx/quotes"),
    "sandbox": (
        "/v1/simulations/deposits",
        "/v1/sandbox_deposits",
        "/v1/conversion_accounts/{id}/deposit",
        "/v1/simulate/deposits",
    ),
    "conversions": ("/v1/onramp/conversions", "/v1/on_ramp/conversions"),
    "conversion_accounts": (
        "/v1/virtual_accounts",
        "/v1/onramp/conversion_accounts",
        "/v1/conversions/accounts",
    ),
    "individuals": ("/v1/customers", "/v1/users"),
    "transfers": ("/v1/payouts", "/v1/payments"),
    "webhook_subscriptions": ("/v1/webhooks", "/v1/webhooks/subscriptions"),
    "upload_verification_images": ("/v1/individuals/{id}/documents", "/v1/individuals/{id}/images"),
    "verification_images": ("/v1/individuals/{id}/documents", "/v1/individuals/{id}/images"),
}
"""Paths that public descriptions of such services have, by resource or by key."""

PATH_MISSING = (404, 405, 501)
"""Statuses of a service that has nothing at a path."""
ABOUT_PATHS = re.compile(r"rout|path|url|endpoint|cannot (get|post|delete)|/v\d", re.IGNORECASE)
SINGLE_OBJECTS = ("individual", "transfer", "account", "conversion")
"""The ends of the names of paths of one object that the list of its resource shows as well."""


def suggest_paths(key: SettingKey, service: Service) -> Iterator[str]:
    """The paths that a setting may have, the most likely first, and NONE at last.

    They are those of the resource and of public descriptions, each in all spellings. NONE is for an
    object that the list shows as well, which is then read there.
    """
    path_name = key.name.partition(".")[2]
    operations = OPERATIONS.values()
    resource = next(each.resource for each in operations if setting_key_of(each.path) == key.name)
    resource_names = [f"{resource}.{verb}" for verb in ("create", "list", "get")]
    paths = [
        service.value(key.name),
        *(OPERATIONS[name].path(service) for name in resource_names if name in OPERATIONS),
        *key.others,
        *PATHS.get(resource, ()),
        *PATHS.get(path_name, ()),
    ]
    # Other values are words, such as that for no path.
    spellings = [
        spelling
        for path in map(str, paths)
        if path.startswith("/")
        for spelling in _spell_path(_add_id(key, path))
    ]
    for spelling in dict.fromkeys(spellings):
        with suppress(ValueError):  # the key needs an id that this path does not have
            yield str(key.limit.check(spelling) if key.limit else spelling)
    if NONE in key.others and path_name.endswith(SINGLE_OBJECTS):
        yield NONE


def _add_id(key: SettingKey, path: str) -> str:
    """A path with an id if the key needs one that the path does not have."""
    needs_id = "id" in key.placeholders and "{id}" not in path
    return f"{path}/{{id}}" if needs_id else path


def _spell_path(path: str) -> Iterator[str]:
    """A path as it is, with hyphens, with underscores, and with nouns in the singular."""
    yield path
    segments = re.split(r"(\{[a-z_]+\}|^/v1)", path)
    for pattern, replacement in (("_", "-"), ("-", "_"), (r"s(?=/|$)", "")):
        yield "".join(
            segment if segment.startswith(("{", "/v1")) else re.sub(pattern, replacement, segment)
            for segment in segments
        )
