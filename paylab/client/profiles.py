"""Profiles: named settings in a TOML file, with references to secrets."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from ..errors.base import ConfigError
from ..errors.extras import extra_imports

DEFAULT = "default"
OTHERS = stat.S_IRWXG | stat.S_IRWXO
VARIABLE = re.compile("[A-Z_][A-Z0-9_]*")
SECRETS = ("api_key", "secret_key")
NAMES = ("base_url", *SECRETS, "timeout", "max_retries", "service", "read_only")

Profile = dict[str, Any]
LARGEST = 2**20
"""Maximum bytes of the profiles; a larger file could fill the memory."""


def profiles_path() -> Path:
    """The path of the profiles file on this system."""
    return user_config_path("paylab", appauthor=False) / "profiles.toml"


def load(path: Path, name: str | None, environ: Mapping[str, str]) -> tuple[str, Profile]:
    """A profile by name, with its secrets; without a name, `default` if it exists."""
    tables, private = _read(path)
    chosen = name or DEFAULT
    if name is None and DEFAULT not in tables:
        return DEFAULT, {}
    if chosen in tables and not isinstance(tables[chosen], dict):
        raise ConfigError(f"{chosen!r} in {path} is not a profile: begin one with [{chosen}]")
    if chosen not in tables:
        profile_names = ", ".join(sorted(tables)) or "none"
        # The name is not repeated: it may be a key that was passed by mistake.
        raise ConfigError(
            f"there is no profile of the given name in {path}; it has: {profile_names}"
        )
    profile = tables[chosen]
    _check_names(chosen, profile)
    secrets = {key: profile[key] for key in SECRETS if key in profile}
    return chosen, profile | {
        key: _secret(f"{chosen}.{key}", value, environ, private=private)
        for key, value in secrets.items()
    }


def _read(path: Path) -> tuple[dict[str, Any], bool]:
    try:
        if path.exists() and not path.is_file():  # a pipe may never end
            raise ValueError("this is not a regular file")
        if path.exists() and path.stat().st_size > LARGEST:
            raise ValueError(f"it has more than {LARGEST} bytes")
        with path.open("rb") as file:
            private = os.name != "posix" or not os.fstat(file.fileno()).st_mode & OTHERS
            import tomllib  # only for a file

            return tomllib.load(file), private
    except FileNotFoundError:
        return {}, True
    except RecursionError:
        reason = "its values are nested too deep"
        raise ConfigError(f"the profiles in {path} cannot be read: {reason}") from None
    except (OSError, ValueError) as error:
        # The parser quotes no values, so its message is safe to repeat.
        raise ConfigError(f"the profiles in {path} cannot be read: {error}") from None


def _check_names(chosen: str, profile: Profile) -> None:
    unknown = sorted(set(profile) - set(NAMES))
    if unknown:
        names = f"{unknown[0]!r}; known: {', '.join(NAMES)}"
        raise ConfigError(f"profile {chosen!r} has the unknown setting {names}")


def _secret(where: str, value: object, environ: Mapping[str, str], *, private: bool) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{where} must be text")
    scheme, colon, name = value.partition(":")
    if colon and scheme == "env":
        if not environ.get(name):
            variable = f" {name}" if VARIABLE.fullmatch(name) else ""  # it may be the key itself
            message = f"refers to the environment variable{variable}, which is not set"
            raise ConfigError(f"{where} {message}")
        return environ[name]
    if colon and scheme == "keyring":
        return _from_keyring(where, name)
    if not private:
        reason = "other users can read the file: chmod 600 it, or write env:NAME or keyring:NAME"
        raise ConfigError(f"{where} is plain text, but {reason}")
    return value


def _from_keyring(where: str, name: str) -> str:
    with extra_imports():
        import keyring
        from keyring.errors import KeyringError
    try:
        value = keyring.get_password("paylab", name)
    except KeyringError as error:
        raise ConfigError(f"{where}: the system's keyring does not answer: {error}") from None
    if not value:
        # The name is not repeated: it may be the key itself.
        raise ConfigError(f"{where}: the system's keyring has no such entry under 'paylab'")
    return value
