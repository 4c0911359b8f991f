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
from ..redaction.hiding import Secret

DEFAULT = "default"
OTHERS = stat.S_IRWXG | stat.S_IRWXO
VARIABLE = re.compile("[A-Z_][A-Z0-9_]*")
SECRETS = ("api_key", "secret_key")
SETTING_NAMES = ("base_url", *SECRETS, "timeout", "max_retries", "service", "read_only")

Profile = dict[str, Any]
PROFILES_SIZE_MAX = 2**20
"""Maximum bytes of the profiles; a larger file could fill the memory."""


def profiles_path() -> Path:
    """The path of the profiles file on this system."""
    return user_config_path("paylab", appauthor=False) / "profiles.toml"


def load(
    path: Path,
    profile_name: str | None,
    environ: Mapping[str, str],
    name_source: str = "profile=",
) -> tuple[str, Profile]:
    """The (name, settings) of a profile. A key that refers to a variable or the keyring is read.

    Without a name, it is the profile `default`, which is empty if the file does not have it.
    `name_source` is the parameter or variable that has the name.
    """
    tables, is_file_private = _read_profiles(path)
    if profile_name is None and DEFAULT not in tables:
        return DEFAULT, {}
    chosen_name = profile_name or DEFAULT
    if chosen_name not in tables:
        profiles_text = ", ".join(sorted(tables)) or "none"
        # The name is not repeated: it may be a key that was passed by mistake.
        raise ConfigError(
            f"{name_source} names no profile in {path}, which has {profiles_text}: "
            "`paylab init --profile NAME` writes one"
        )
    if not isinstance(tables[chosen_name], dict):
        raise ConfigError(
            f"{chosen_name!r} in {path} is not a profile: begin one with [{chosen_name}]"
        )
    profile = tables[chosen_name]
    _check_names(chosen_name, profile)
    secret_by_name = {
        key_name: _resolve_key(
            f"{chosen_name}.{key_name}", profile[key_name], environ, is_file_private=is_file_private
        )
        for key_name in SECRETS
        if key_name in profile
    }
    return chosen_name, {**profile, **secret_by_name}


def _read_profiles(path: Path) -> tuple[dict[str, Any], bool]:
    """The tables of a file, and whether nobody else can read it; no tables without a file."""
    try:
        _require_small_file(path)
        with path.open("rb") as profiles_file:
            # Only POSIX has the bits that tell.
            is_file_private = (
                os.name != "posix" or not os.fstat(profiles_file.fileno()).st_mode & OTHERS
            )
            import tomllib  # only for a file

            tables = tomllib.load(profiles_file)
    except (FileNotFoundError, NotADirectoryError):  # the home may be no folder, as /dev/null
        return {}, True
    except RecursionError:
        reason = "its values are nested too deep"
        raise ConfigError(f"the profiles in {path} cannot be read: {reason}") from None
    except (OSError, ValueError) as error:
        # The parser quotes no values, so its message is safe to repeat.
        raise ConfigError(f"the profiles in {path} cannot be read: {error}") from None
    profiles = {
        profile_name: _hide_keys(profile_table) for profile_name, profile_table in tables.items()
    }
    return profiles, is_file_private


def _require_small_file(path: Path) -> None:
    """ValueError for a pipe or a file of more than PROFILES_SIZE_MAX bytes.

    A pipe may never end.
    """
    if path.exists() and not path.is_file():
        raise ValueError("this is not a regular file")
    if path.exists() and path.stat().st_size > PROFILES_SIZE_MAX:
        raise ValueError(f"it has more than {PROFILES_SIZE_MAX} bytes")


def _hide_keys(profile: object) -> Any:
    """A profile whose keys no variable of a traceback shows; another value is unchanged."""
    if not isinstance(profile, dict):
        return profile
    return {
        setting_name: Secret(setting_value)
        if setting_name in SECRETS and isinstance(setting_value, str)
        else setting_value
        for setting_name, setting_value in profile.items()
    }


def _check_names(profile_name: str, profile: Profile) -> None:
    """ConfigError for the first unknown setting of a profile."""
    unknown_names = sorted(set(profile) - set(SETTING_NAMES))
    if unknown_names:
        names_text = f"{unknown_names[0]!r}; known: {', '.join(SETTING_NAMES)}"
        raise ConfigError(f"profile {profile_name!r} has the unknown setting {names_text}")


def _resolve_key(
    key_place: str, key_setting: object, environ: Mapping[str, str], *, is_file_private: bool
) -> Secret:
    """A key of a profile: from a variable, from the keyring, or the text itself.

    `key_place` is where it is written, such as `default.api_key`. A key in plain text is refused
    if other users can read the file.
    """
    if not isinstance(key_setting, Secret):  # each text became one when the file was read
        raise ConfigError(f"{key_place} must be text")
    scheme = _read_scheme(key_setting)
    if scheme == "env":
        return _read_from_environment(key_place, key_setting, environ)
    if scheme == "keyring":
        return _read_from_keyring(key_place, key_setting)
    if not is_file_private:
        reason = "other users can read the file: chmod 600 it, or write env:NAME or keyring:NAME"
        raise ConfigError(f"{key_place} is plain text, but {reason}")
    return key_setting


def _read_scheme(key_setting: Secret) -> str:
    """The kind of a reference, "env" or "keyring"; empty for a key in plain text."""
    for scheme in ("env", "keyring"):
        if key_setting.reveal().startswith(f"{scheme}:"):
            return scheme
    return ""


def _read_from_environment(key_place: str, reference: Secret, environ: Mapping[str, str]) -> Secret:
    """The key in the variable that a profile names; ConfigError if it is not set."""
    environment_key = Secret.of(environ.get(reference.reveal().removeprefix("env:"), ""))
    if environment_key.reveal():
        return environment_key
    # What does not look like a name is not repeated: it may be the key itself.
    name_match = VARIABLE.fullmatch(reference.reveal().removeprefix("env:"))
    variable_text = f" {name_match[0]}" if name_match else ""
    message = f"refers to the environment variable{variable_text}, which is not set"
    raise ConfigError(f"{key_place} {message}")


def _read_from_keyring(key_place: str, reference: Secret) -> Secret:
    """The key in the keyring of the system; ConfigError if it has none or does not answer."""
    with extra_imports():
        import keyring
        from keyring.errors import KeyringError
    try:
        entry_name = Secret(reference.reveal().removeprefix("keyring:"))
        keyring_key = Secret(keyring.get_password("paylab", entry_name.reveal()) or "")
    except KeyringError as error:
        raise ConfigError(f"{key_place}: the system's keyring does not answer: {error}") from None
    if not keyring_key.reveal():
        # The name is not repeated: it may be the key itself.
        raise ConfigError(f"{key_place}: the system's keyring has no such entry under 'paylab'")
    return keyring_key
