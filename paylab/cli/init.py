"""Check the address and keys of a service, and write them into a profile.

The address and the keys come from options, from PAYLAB_BASE_URL, PAYLAB_API_KEY and
PAYLAB_SECRET_KEY, or from a prompt that hides keys. The keys are stored in the system's keyring
if there is one, else in the profile file, which only you can read.
"""

from __future__ import annotations

import argparse
import getpass
import os
import re
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import tomlkit

from .. import files
from ..client.base_url import check_base_url, check_encrypted
from ..client.profiles import DEFAULT, SECRETS, profiles_path
from ..client.settings import VARIABLES
from ..errors.base import ConfigError, PaylabError
from ..errors.extras import extra_imports
from ..lab.lab import connect
from ..lab.parts import refuse_service_in_browser
from .terminal import announce, has_keyboard, say

EXAMPLE = "paylab init --profile sandbox --base-url https://sandbox.example.com"
SERVICE = "paylab"
"""The name of all secrets of paylab in a keyring."""

NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
PROMPTS = {"base_url": "Base URL: ", "api_key": "API key: ", "secret_key": "Secret key: "}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command; keys are not options, since other users can read those."""
    parser.add_argument("--profile", default=DEFAULT, metavar="NAME", help="name of the profile")
    parser.add_argument(
        "--base-url", metavar="URL", help="address of the service (default: prompt)"
    )
    parser.add_argument(
        "--keyring",
        action=argparse.BooleanOptionalAction,
        help="keep the keys in the system's keyring (default: if there is one)",
    )
    parser.add_argument("--replace", action="store_true", help="replace a profile of this name")
    parser.add_argument(
        "--no-check", action="store_true", help="write without testing the keys first"
    )


def run(options: argparse.Namespace) -> int:
    """Ask for what is missing, check it with one signed GET, and write the profile."""
    refuse_service_in_browser(PROMPTS["secret_key"])
    path = profiles_path()
    profiles_document = _read_profiles(path)
    if not NAME.fullmatch(options.profile):
        raise ConfigError("--profile must be 1 to 40 letters, digits, - or _")
    if options.profile in profiles_document and not options.replace:
        raise ConfigError(f"{path} has a profile {options.profile!r}: use --replace to replace it")
    base_url = _ask_setting("base_url", options)
    check_encrypted(check_base_url(base_url))  # before any key is typed
    value_by_name = {"base_url": base_url} | {
        setting_name: _ask_setting(setting_name, options) for setting_name in SECRETS
    }
    if not options.no_check:
        _check_keys(value_by_name)
    is_in_keyring = _move_keys_to_keyring(options, value_by_name)
    stored_place_text = "the system's keyring" if is_in_keyring else f"{path} (only you)"
    profiles_document[options.profile] = value_by_name
    path.parent.mkdir(parents=True, exist_ok=True)
    with files.replace(path, private=True) as profiles_file:
        profiles_file.write(tomlkit.dumps(profiles_document).encode())
    say(f"Profile {options.profile!r} is in {path}; its keys are in {stored_place_text}.")
    if options.profile != DEFAULT:
        say(f"Use it with: export PAYLAB_PROFILE={options.profile}")
    return 0


def _read_profiles(path: Path) -> Any:
    """The profiles with their comments; an empty document when there are none."""
    try:
        return tomlkit.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return tomlkit.document()
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"the profiles in {path} cannot be read: {error}") from None


def _ask_setting(setting_name: str, options: argparse.Namespace) -> str:
    """A setting from the options, the environment, or the terminal."""
    option_value = options.base_url if setting_name == "base_url" else None
    setting_value = option_value or os.environ.get(VARIABLES[setting_name])
    if setting_value:
        return str(setting_value)
    if not has_keyboard():
        raise ConfigError(
            f"{setting_name} is missing: set {VARIABLES[setting_name]}, or run this in a terminal"
        )
    ask = getpass.getpass if setting_name in SECRETS else input
    typed_text = ask(PROMPTS[setting_name]).strip()
    if not typed_text:
        raise ConfigError(f"{setting_name} is empty: nothing was written")
    return typed_text


def _check_keys(value_by_name: dict[str, str]) -> None:
    """Send one signed GET; an error says that nothing was written."""
    base_url, api_key, secret_key = (value_by_name[setting_name] for setting_name in PROMPTS)
    with connect(base_url, api_key, secret_key) as lab:
        announce(lab.place)
        try:
            lab.transfers.list(limit=1).first()
        except PaylabError as error:
            advice_text = "nothing was written; --no-check writes the profile anyway"
            error.hint = f"{error.hint}; {advice_text}" if error.hint else advice_text
            raise
        say("The service answers, and accepts the signature.")


def _move_keys_to_keyring(options: argparse.Namespace, value_by_name: dict[str, str]) -> bool:
    """Move all keys to the keyring, or none; return whether they were moved.

    `options.keyring`: True requires a keyring, False forbids it, and None uses it if it works.
    `value_by_name` then has references to the keys, such as `keyring:sandbox.api_key`.
    """
    if options.keyring is False:
        return False
    entry_by_key_name = {key_name: f"{options.profile}.{key_name}" for key_name in SECRETS}
    secret_by_entry = {
        entry_name: value_by_name[key_name] for key_name, entry_name in entry_by_key_name.items()
    }
    try:
        _store_secrets(secret_by_entry)
    except ConfigError as error:
        if options.keyring:
            raise ConfigError(f"--keyring: {error}") from None
        return False
    for key_name, entry_name in entry_by_key_name.items():
        value_by_name[key_name] = f"keyring:{entry_name}"
    return True


def _store_secrets(secret_by_entry: dict[str, str]) -> None:
    """Put secrets into the keyring; if one cannot be stored, restore all and raise ConfigError."""
    with extra_imports():
        import keyring
        from keyring.errors import KeyringError
    with ExitStack() as restoration:
        try:
            for entry_name, secret in secret_by_entry.items():
                former_secret = keyring.get_password(SERVICE, entry_name)
                restoration.callback(_restore_secret, entry_name, former_secret)
                keyring.set_password(SERVICE, entry_name, secret)
        except KeyringError as error:
            raise ConfigError(f"the system's keyring cannot be used: {error}") from None
        restoration.pop_all()  # all are stored: restore none


def _restore_secret(entry_name: str, former_secret: str | None) -> None:
    """Store the former secret of an entry of the keyring again; delete an entry that had none."""
    with extra_imports():
        import keyring
        from keyring.errors import KeyringError
    with suppress(KeyringError):  # the error that made it necessary is the one to report
        if former_secret is None:
            keyring.delete_password(SERVICE, entry_name)
        else:
            keyring.set_password(SERVICE, entry_name, former_secret)
