"""Settings: the service, its keys, and the source of each setting."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors.base import ConfigError, ConfigWarning, warn_caller
from ..errors.names import with_name_suggestions
from ..light_dataclass import light_dataclass
from ..redaction.hiding import HIDDEN, Secret
from ..signing.canonical import key_bytes
from ..spec.service.service import Service
from ..spec.text import plain
from .base_url import check_base_url, check_encrypted
from .profiles import SETTING_NAMES, load, profiles_path

KEYS = ("api_key", "secret_key")
REQUIRED = ("base_url", "api_key", "secret_key")
OPTIONS = tuple(name for name in SETTING_NAMES if name not in REQUIRED)
VARIABLES = {name: f"PAYLAB_{name.upper()}" for name in REQUIRED}
SHARED_VARIABLE = "PAYLAB_SHARED_SIMULATOR"
"""Set by `paylab lab` to the address of the simulator that it started."""

PROFILE_VARIABLE = "PAYLAB_PROFILE"
READ_ONLY_VARIABLE = "PAYLAB_READ_ONLY"
SERVICE_VARIABLE = "PAYLAB_SERVICE"
PREFIX = "PAYLAB_"
TOKEN_VARIABLE = f"{PREFIX}CONTROL_TOKEN"
KNOWN_VARIABLES = tuple(
    PREFIX + name
    for name in (
        *("BASE_URL", "API_KEY", "SECRET_KEY", "PROFILE", "READ_ONLY", "SERVICE", "LEDGER", "LOG"),
        *("SIMULATOR_API_KEY", "SIMULATOR_SECRET_KEY", "SHARED_SIMULATOR", "CONTROL_TOKEN"),
        "ARTEFACTS",  # the folder of the tests' screenshots
    )
)
"""Every variable that paylab reads; another one with this prefix is probably misspelt."""

SWITCH = {"1": True, "true": True, "yes": True, "on": True}
SWITCH |= {"0": False, "false": False, "no": False, "off": False}
GivenService = Service | str | os.PathLike[str] | Mapping[str, object]
"""A Service, the path of a service.toml, or values by dotted key or nested."""

SourcedSettings = dict[str, tuple[Any, str]]
"""Settings by name, each with its source."""


@with_name_suggestions
@light_dataclass(frozen=True)
class Settings:
    """The settings of a client. `source_by_setting` has the source of each setting.

    `service` has the assumptions: paths, names, limits and the signing dialect. With `read_only`
    only GETs are sent. `control_token` is the token for the control API of a simulator.
    """

    base_url: str
    api_key: Secret
    secret_key: Secret
    source_by_setting: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 30.0
    max_retries: int = 2
    service: Service = field(default_factory=Service, repr=False)
    read_only: bool = False
    control_token: Secret | None = None

    def __post_init__(self) -> None:
        for key_name in KEYS:
            object.__setattr__(self, key_name, Secret.of(getattr(self, key_name)))
        object.__setattr__(self, "base_url", check_base_url(self.base_url))
        _check_settings(self)

    @property
    def identity(self) -> str:
        """The base URL and a digest of the API key: it names the account without the key."""
        key_digest = sha256(self.api_key.reveal().encode()).hexdigest()[:16]
        return f"{self.base_url} {key_digest}"

    def sources(self) -> list[tuple[str, str, str]]:
        """Each setting, its value (secrets hidden) and its source.

        >>> lab.sources()[0]
        ('base_url', 'http://localhost', 'embedded simulator')
        """
        value_by_name = {"base_url": self.base_url, "api_key": HIDDEN, "secret_key": HIDDEN}
        if self.read_only:
            value_by_name["read_only"] = "yes"
        return [
            (setting_name, setting_value, self.source_by_setting.get(setting_name, ""))
            for setting_name, setting_value in value_by_name.items()
        ]


def resolve(  # noqa: PLR0913 - each may come from a caller, a test or a command line
    base_url: str | None = None,
    api_key: str | Secret | None = None,
    secret_key: str | Secret | None = None,
    profile: str | None = None,
    environ: Mapping[str, str] | None = None,
    profiles: Path | None = None,
    read_only: bool | None = None,
    service: GivenService | None = None,
    otherwise: Mapping[str, str] | None = None,
    control_token: str | None = None,
) -> Settings | None:
    """The settings from arguments, environment and profile, in this order.

    None means that no service is configured: the embedded simulator is used. The profile is
    `profile`, else the one that PAYLAB_PROFILE names, else `default`. `otherwise` has the settings
    to use for those that are missing, if some are configured.
    """
    environ = os.environ if environ is None else environ
    _warn_of_unknown_variables(environ)
    setting_arguments = {"base_url": base_url, "api_key": api_key, "secret_key": secret_key}
    required_settings = _read_from_environment(environ) | _add_source(setting_arguments, "argument")
    profile_name = profile or environ.get(PROFILE_VARIABLE) or None
    options: SourcedSettings = {}
    # A profile that is not named only completes settings: it is not read if all are given.
    if profile_name or len(required_settings) < len(REQUIRED):
        profiles_file = profiles or profiles_path()
        name_source = "profile=" if profile else PROFILE_VARIABLE
        chosen_profile, profile_table = load(profiles_file, profile_name, environ, name_source)
        profile_source = f"profile {chosen_profile}"
        options = _add_source(profile_table, profile_source, OPTIONS)
        if "service" in options:
            options |= _load_service(options["service"][0], profile_source, profiles_file.parent)
        required_settings = _add_source(profile_table, profile_source) | required_settings
    options |= read_only_source(read_only, environ) | find_service(service, environ)
    options |= _find_control_token(control_token, required_settings, environ)
    is_anything_set = bool(required_settings or profile_name)
    if not is_anything_set:
        return None
    return _make_settings(_add_source(otherwise or {}, "default") | required_settings, options)


def read_only_source(argument: bool | None, environ: Mapping[str, str]) -> SourcedSettings:
    """The setting `read_only` and its source; empty if not set."""
    if argument is not None:
        return {"read_only": (argument, "argument")}
    variable_text = environ.get(READ_ONLY_VARIABLE) or None
    if variable_text is None:
        return {}
    if variable_text.lower() not in SWITCH:
        raise ConfigError(f"{READ_ONLY_VARIABLE} is {plain(variable_text, 40)!r}: set it to 1 or 0")
    return {"read_only": (SWITCH[variable_text.lower()], f"environment {READ_ONLY_VARIABLE}")}


def find_service(argument: GivenService | None, environ: Mapping[str, str]) -> SourcedSettings:
    """The setting `service` and its source; empty if not set."""
    if argument is not None:
        return _load_service(argument, "argument", folder=Path())
    service_path = environ.get(SERVICE_VARIABLE)
    if not service_path:
        return {}
    return _load_service(service_path, f"environment {SERVICE_VARIABLE}", folder=Path())


def _find_control_token(
    argument: str | None, settings_found: SourcedSettings, environ: Mapping[str, str]
) -> SourcedSettings:
    """The setting `control_token` and its source; empty if not set.

    The token of the environment is sent only to the base URL of the environment.
    """
    if argument:
        return {"control_token": (Secret(argument), "argument")}
    _, url_source = settings_found.get("base_url", ("", ""))
    token_text = environ.get(TOKEN_VARIABLE)
    if not token_text or not url_source.startswith("environment"):
        return {}
    return {"control_token": (Secret(token_text), f"environment {TOKEN_VARIABLE}")}


def _load_service(service_value: object, source: str, folder: Path) -> SourcedSettings:
    """The setting `service` from a Service, its values, or its path below `folder`."""
    if isinstance(service_value, Service):
        return {"service": (service_value, source)}
    if isinstance(service_value, Mapping):
        return {"service": (Service(service_value), source)}
    if not isinstance(service_value, str | os.PathLike) or not os.fspath(service_value):
        message = f"service ({source}) must be the path of a service.toml, values or a Service"
        raise ConfigError(f"{message}, not {plain(repr(service_value), 80)}")
    service_path = folder / Path(service_value).expanduser()
    return {"service": (Service.load(service_path), f"{source}: {service_value}")}


def refuse_unknown_variables(environ: Mapping[str, str] = os.environ) -> None:
    """ConfigError for a variable with our prefix that is not known.

    It is probably misspelt, and without it another service or the simulator would be used.
    """
    for message in _describe_unknown_variables(environ):
        raise ConfigError(f"{message}; rename or unset it")


def _warn_of_unknown_variables(environ: Mapping[str, str]) -> None:
    """Warn about each variable with our prefix that is not known."""
    for message in _describe_unknown_variables(environ):
        warn_caller(message, ConfigWarning)  # the caller of `connect`


def _describe_unknown_variables(environ: Mapping[str, str]) -> Iterator[str]:
    """A message for each variable with our prefix that is not known, with the nearest name."""
    for variable_name in sorted(environ):
        if variable_name.startswith(PREFIX) and variable_name not in KNOWN_VARIABLES:
            from difflib import get_close_matches  # only for a wrong name

            known_names = [
                known_variable.removeprefix(PREFIX) for known_variable in KNOWN_VARIABLES
            ]
            near_names = get_close_matches(variable_name.removeprefix(PREFIX), known_names, 1)
            shown_name = plain(variable_name, 80)
            message = f"the environment variable {shown_name} is not known and has no effect"
            yield f"{message}; nearest: {PREFIX}{near_names[0]}" if near_names else message


def _add_source(
    values: Mapping[str, object], source: str, setting_names: Iterable[str] = REQUIRED
) -> SourcedSettings:
    """The values of these settings that are given, each with its source."""
    return {
        setting_name: (_hide_key(setting_name, values[setting_name]), source)
        for setting_name in setting_names
        if values.get(setting_name) is not None
    }


def _hide_key(setting_name: str, setting_value: object) -> Any:
    """A key as a Secret, so that no traceback with local variables shows it."""
    if setting_name in KEYS and isinstance(setting_value, str):
        return Secret(setting_value)
    return setting_value


def _read_from_environment(environ: Mapping[str, str]) -> SourcedSettings:
    """The settings of environment variables; an empty one is not set, as in shells and CI."""
    value_by_setting = {
        setting_name: _hide_key(setting_name, environ[variable_name])
        for setting_name, variable_name in VARIABLES.items()
        if environ.get(variable_name)
    }
    base_url = value_by_setting.get("base_url")
    # `paylab lab --shared` names its simulator twice; a base URL of your own differs from it.
    if base_url is not None and base_url == environ.get(SHARED_VARIABLE):
        return _add_source(value_by_setting, "the simulator that paylab lab started")
    return {
        setting_name: (setting_value, f"environment {VARIABLES[setting_name]}")
        for setting_name, setting_value in value_by_setting.items()
    }


def _make_settings(required: SourcedSettings, options: SourcedSettings) -> Settings:
    """The settings with the source of each; ConfigError if one is missing, or is no text."""
    if len(required) < len(REQUIRED):
        raise _make_incomplete_error(required)
    for setting_name, (setting_value, _) in required.items():
        if not isinstance(setting_value, str | Secret):
            raise ConfigError(f"{setting_name} must be text")
    found_settings = {**required, **options}
    source_by_setting = {name: source for name, (_, source) in found_settings.items()}
    value_by_setting = {name: value for name, (value, _) in found_settings.items()}
    settings = Settings(**value_by_setting, source_by_setting=source_by_setting)
    check_encrypted(settings.base_url)
    return settings


def _make_incomplete_error(required: SourcedSettings) -> ConfigError:
    """The error for required settings that are not all there: which are missing, and the ways."""
    base_url, _ = required.get("base_url", ("", ""))
    if isinstance(base_url, str) and base_url and "://" not in base_url:  # it may be a key
        message = "base_url must be an address such as https://sandbox.example.com"
        return ConfigError(f"{message}; profile= names a profile")
    if not isinstance(base_url, str | Secret):
        return ConfigError("base_url must be text such as https://sandbox.example.com")
    missing_names = [setting_name for setting_name in REQUIRED if setting_name not in required]
    missing_text = " and ".join(missing_names)
    verb_text = "is" if len(missing_names) == 1 else "are"
    variables_text = " / ".join(VARIABLES[setting_name] for setting_name in missing_names)
    address_text = ""
    if base_url and isinstance(base_url, str):
        try:
            check_encrypted(check_base_url(base_url))
        except ConfigError as error:  # said at once, not after the keys are there
            address_text = f"{error}; and "
    return ConfigError(
        f"{address_text}the settings are incomplete: {missing_text} {verb_text} missing: pass "
        f"{missing_text} to connect(), set {variables_text}, or write a profile with `paylab init`"
    )


def _is_printable_ascii(secret: Secret) -> bool:
    """Whether a secret is printable ASCII without spaces."""
    return all("!" <= character <= "~" for character in secret.reveal())


def _check_settings(settings: Settings) -> None:
    """ConfigError for the first setting that cannot be used."""
    # No local holds a revealed key: a traceback can show the locals of its frames.
    if not _is_header_value(settings.api_key):
        raise ConfigError("api_key must be printable ASCII without spaces or commas")
    if not _is_stripped(settings.secret_key):
        raise ConfigError("secret_key is empty, or has a space or line break at an end")
    token = settings.control_token
    if token is not None and not _is_printable_ascii(token):
        raise ConfigError("control_token must be printable ASCII without spaces")
    if not _is_number(settings.timeout, int | float) or settings.timeout <= 0:
        raise ConfigError("timeout must be a number of seconds above 0")
    if not _is_number(settings.max_retries, int) or settings.max_retries < 0:
        raise ConfigError("max_retries must be a whole number, 0 or more")
    if not isinstance(settings.read_only, bool):
        raise ConfigError("read_only must be true or false")
    key_encoding = settings.service.signing.key_encoding
    try:
        key_bytes(settings.secret_key.reveal(), key_encoding)
    except ValueError as error:
        raise ConfigError(f"{error}, as signing.key_encoding says") from None


def _is_header_value(key: Secret) -> bool:
    """Whether a key fits into headers, and into Authorization before a comma."""
    key_text = key.reveal()
    return (
        bool(key_text)
        and "," not in key_text
        and all("!" <= character <= "~" for character in key_text)
    )


def _is_stripped(key: Secret) -> bool:
    """Whether a key is not empty and has no space or line break at an end."""
    key_text = key.reveal()
    return bool(key_text) and key_text == key_text.strip()


def _is_number(value: object, number_types: Any) -> bool:
    """Whether a value has one of the types of numbers; a bool is no number."""
    return isinstance(value, number_types) and not isinstance(value, bool)
