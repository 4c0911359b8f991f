"""The paths that an operation of a service may have, beside the one in force."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from ..spec.operations.records import OPERATIONS
from ..spec.service.key import SettingKey
from ..spec.service.keys import setting_keys
from ..spec.service.service import Service
from ..spec.service.setting import setting_key_of
from ..spec.service.value_types import NONE

PATH_MISSING = (404, 405, 501)
"""Statuses of a service that has nothing at a path."""
ABOUT_PATHS = re.compile(r"rout|path|url|endpoint|cannot (get|post|delete)|/v\d", re.IGNORECASE)
SINGLE_OBJECTS = ("individual", "transfer", "account", "conversion")
"""The ends of the names of paths of one object that the list of its resource shows as well."""


def suggest_paths(setting: SettingKey, service: Service) -> Iterator[str]:
    """Yield the paths that a setting may have, the most likely first.

    They are its own and those of its resource, in the settings and in public descriptions of such
    services, each in all spellings. The last one is NONE for an object that can also be read in
    the list.
    """
    operations = [
        operation
        for operation in OPERATIONS.values()
        if setting_key_of(operation.path) == setting.name
    ]
    operation_names = [f"{operations[0].resource}.{verb}" for verb in ("create", "list", "get")]
    operations += [
        OPERATIONS[operation_name]
        for operation_name in operation_names
        if operation_name in OPERATIONS
    ]
    path_settings = [setting_keys()[setting_key_of(operation.path)] for operation in operations]
    path_values = [
        *(service.value(path_setting.name) for path_setting in path_settings),
        *(path for path_setting in path_settings for path in path_setting.others),
    ]
    # Other values are words, such as that for no path.
    path_spellings = [
        path_spelling
        for path in map(str, path_values)
        if path.startswith("/")
        for path_spelling in _spell_path(_add_id(setting, path))
    ]
    for path_spelling in dict.fromkeys(path_spellings):
        with suppress(ValueError):  # the setting needs an id that this path lacks
            yield str(setting.limit.check(path_spelling) if setting.limit else path_spelling)
    if NONE in setting.others and setting.name.endswith(SINGLE_OBJECTS):
        yield NONE


def _add_id(setting: SettingKey, path: str) -> str:
    """Add an id to a path if the setting needs one that the path does not have."""
    needs_id = "id" in setting.placeholders and "{id}" not in path
    return f"{path}/{{id}}" if needs_id else path


def _spell_path(path: str) -> Iterator[str]:
    """Yield a path as it is, with hyphens, with underscores, and with nouns in the singular.

    Placeholders and the version are not changed.
    """
    yield path
    segments = re.split(r"(\{[a-z_]+\}|^/v1)", path)
    for pattern, replacement in (("_", "-"), ("-", "_"), (r"s(?=/|$)", "")):
        yield "".join(
            segment if segment.startswith(("{", "/v1")) else re.sub(pattern, replacement, segment)
            for segment in segments
        )
