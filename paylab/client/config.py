"""Settings: which service, with which keys, and where each setting came from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ConfigError
from ..signing import EmptyQuery
from . import profiles as profile_files
from .address import check_base_url, check_encrypted
from .secret import Secret

REQUIRED = ("base_url", "api_key", "secret_key")
VARIABLES = {name: f"PAYLAB_{name.upper()}" for name in REQUIRED}
SHARED_VARIABLE = "PAYLAB_SHARED_SIMULATOR"
"""Set by `paylab lab` to the address of the simulator it started, beside the other three."""

PROFILE_VARIABLE = "PAYLAB_PROFILE"
DIALECTS = ("omit", "blank")


@dataclass(frozen=True)
class Settings:
    """Everything a client needs to know; `where` says where each setting came from.

    `empty_query` chooses what stands for a missing query in the signed text: no line ("omit",
    as the spec says) or an empty one ("blank").
    """

    base_url: str
    api_key: Secret
    secret_key: Secret
    where: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 30.0
    max_retries: int = 2
    empty_query: EmptyQuery = "omit"

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", check_base_url(self.base_url))
        for name in ("api_key", "secret_key"):
            object.__setattr__(self, name, Secret.of(getattr(self, name)))
        _check_keys(self.api_key.reveal(), self.secret_key.reveal())
        _check_options(self)


def resolve(  # noqa: PLR0913 - each may come from a caller, a test or a command line
    base_url: str | None = None,
    api_key: str | Secret | None = None,
    secret_key: str | Secret | None = None,
    profile: str | None = None,
    environ: Mapping[str, str] | None = None,
    profiles: Path | None = None,
) -> Settings | None:
    """The settings from arguments, then environment, then profile; None when nothing is set.

    The profile is `profile`, else the one PAYLAB_PROFILE names, else `default`. None means
    that nobody configured a service: the embedded simulator is meant.
    """
    environ = os.environ if environ is None else environ
    given = {"base_url": base_url, "api_key": api_key, "secret_key": secret_key}
    found = _sourced(given, dict.fromkeys(REQUIRED, "argument"))
    found = _from_environment(environ) | found
    name = profile or environ.get(PROFILE_VARIABLE) or None
    options: dict[str, Any] = {}
    if name or len(found) < len(REQUIRED):
        chosen, table = profile_files.load(profiles or profile_files.default_path(), name, environ)
        options = {key: value for key, value in table.items() if key not in REQUIRED}
        found = _sourced(table, dict.fromkeys(REQUIRED, f"profile {chosen}")) | found
    return _settings(found, options) if found or name else None


Found = dict[str, tuple[Any, str]]


def _sourced(values: Mapping[str, Any], sources: Mapping[str, str]) -> Found:
    return {
        name: (values[name], source)
        for name, source in sources.items()
        if values.get(name) is not None
    }


def _from_environment(environ: Mapping[str, str]) -> Found:
    # An empty variable is how a shell or CI says "not set".
    values = {name: environ.get(variable) or None for name, variable in VARIABLES.items()}
    shared = values["base_url"] and values["base_url"] == environ.get(SHARED_VARIABLE)
    return _sourced(
        values,
        {
            name: "the simulator that paylab lab started"
            if shared
            else f"environment {VARIABLES[name]}"
            for name in REQUIRED
        },
    )


def _settings(found: Found, options: Mapping[str, Any]) -> Settings:
    missing = [name for name in REQUIRED if name not in found]
    if missing:
        raise ConfigError(_missing_message(missing))
    where = {name: source for name, (_, source) in found.items()}
    _check_text({name: value for name, (value, _) in found.items()})
    values = {name: value for name, (value, _) in found.items()}
    settings = Settings(**values, where=where, **options)
    check_encrypted(settings.base_url)
    return settings


def _missing_message(missing: list[str]) -> str:
    names = " and ".join(missing)
    places = " / ".join(VARIABLES[name] for name in missing)
    return (
        f"some settings are there, but {names} {'is' if len(missing) == 1 else 'are'} missing: "
        f"pass {names} to connect(), set {places}, or write {names} into a profile"
    )


def _check_text(values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if not isinstance(value, str | Secret):
            raise ConfigError(f"{name} must be text")


def _check_keys(api_key: str, secret_key: str) -> None:
    # The API key stands in headers and, before a comma, in Authorization.
    if not api_key or "," in api_key or not all("!" <= letter <= "~" for letter in api_key):
        raise ConfigError("api_key must be printable ASCII without spaces or commas")
    if not secret_key or secret_key != secret_key.strip():
        raise ConfigError("secret_key is empty, or a space or line break was pasted around it")


def _check_options(settings: Settings) -> None:
    if not _is_number(settings.timeout, int | float) or settings.timeout <= 0:
        raise ConfigError("timeout must be a number of seconds above 0")
    if not _is_number(settings.max_retries, int) or settings.max_retries < 0:
        raise ConfigError("max_retries must be a whole number, 0 or more")
    if settings.empty_query not in DIALECTS:
        raise ConfigError(f"empty_query must be one of {', '.join(DIALECTS)}")


def _is_number(value: object, kinds: Any) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)
