"""Settings: where they come from, and which are refused."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from paylab import connect
from paylab.client import Client
from paylab.client.base_url import address
from paylab.client.settings import (
    Secret,
    Settings,
    check_base_url,
    check_encrypted,
    profiles_path,
    resolve,
)
from paylab.errors import ConfigError, ConfigWarning, ReadOnlyError
from paylab.spec.service import Service

URL = "https://pay.test"
ENVIRON = {
    "PAYLAB_BASE_URL": "https://env.test",
    "PAYLAB_API_KEY": "env_key",
    "PAYLAB_SECRET_KEY": "env_secret",
}
PROFILES = """
[default]
base_url = "https://default.test/"
api_key = "env:MY_KEY"
secret_key = "env:MY_SECRET"

[slow]
base_url = "https://slow.test"
api_key = "env:MY_KEY"
secret_key = "env:MY_SECRET"
timeout = 90
max_retries = 5
service = "service.toml"
"""
BLANK = Service({"signing.empty_query": "blank"})
MINE = {"MY_KEY": "my_key", "MY_SECRET": "my_secret"}


@pytest.fixture
def written(tmp_path):
    """Write a profiles file and return its path."""

    def write(text, mode=0o600):
        path = tmp_path / "profiles.toml"
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    return write


def test_nothing_configured_means_the_embedded_simulator(tmp_path):
    """Without any configuration, `resolve` returns None and creates no file."""
    assert resolve(environ={}, profiles=tmp_path / "none.toml") is None
    assert resolve(environ={"PAYLAB_API_KEY": ""}, profiles=tmp_path / "none.toml") is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "environ", "base_url", "where"),
    [
        ({}, MINE, "https://default.test", ["profile default"] * 3),
        ({}, {**MINE, "PAYLAB_PROFILE": "slow"}, "https://slow.test", ["profile slow"] * 3),
        ({"profile": "slow"}, MINE, "https://slow.test", ["profile slow"] * 3),
        ({}, ENVIRON, "https://env.test", None),
        ({"base_url": URL}, ENVIRON, URL, ["argument", "environment PAYLAB_API_KEY", None]),
        (
            {"base_url": URL, "api_key": "k", "secret_key": Secret("s")},
            ENVIRON,
            URL,
            ["argument"] * 3,
        ),
        (
            {"api_key": "k"},
            {**MINE, "PAYLAB_SECRET_KEY": "s"},
            "https://default.test",
            ["profile default", "argument", "environment PAYLAB_SECRET_KEY"],
        ),
    ],
)
def test_arguments_win_over_environment_and_profile(written, given, environ, base_url, where):
    """Each setting comes from the first source that has it, and `where` names the source."""
    profiles = written(PROFILES)
    profiles.with_name("service.toml").touch()
    settings = resolve(**given, environ=environ, profiles=profiles)
    assert settings.base_url == base_url
    found = [settings.source_by_setting[name] for name in ("base_url", "api_key", "secret_key")]
    expected = where or [f"environment {name}" for name in ENVIRON]
    assert all(wanted in (None, place) for wanted, place in zip(expected, found, strict=True))


def test_options_come_from_the_profile(written):
    """A profile sets timeout, retries and the service file, which is beside the profiles."""
    profiles = written(PROFILES)
    profiles.with_name("service.toml").write_text('[signing]\nempty_query = "blank"\n')
    settings = resolve(profile="slow", environ=MINE, profiles=profiles)
    assert (settings.timeout, settings.max_retries) == (90, 5)
    assert settings.service == BLANK
    assert settings.source_by_setting["service"] == "profile slow: service.toml"


@pytest.mark.parametrize(
    ("given", "environ", "service"),
    [
        (None, {}, Service()),
        (None, {"PAYLAB_SERVICE": ""}, Service()),
        (None, {"PAYLAB_SERVICE": "blank.toml"}, BLANK),
        (BLANK, {"PAYLAB_SERVICE": "none.toml"}, BLANK),
        ("blank.toml", {}, BLANK),
        (Path("blank.toml"), {}, BLANK),
        ({"signing": {"empty_query": "blank"}}, {}, BLANK),
    ],
)
def test_the_service_is_an_argument_or_a_variable(tmp_path, monkeypatch, given, environ, service):
    """The service is a Service, a path or values; the argument overrides PAYLAB_SERVICE."""
    monkeypatch.chdir(tmp_path)
    Path("blank.toml").write_text('signing.empty_query = "blank"')
    found = resolve(URL, "k", "s", environ=environ, profiles=tmp_path / "none", service=given)
    assert found.service == service


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("nowhere.toml", "nowhere.toml cannot be read"),
        ({"signing": {"emty_query": "blank"}}, "nearest: signing.empty_query"),
        ({"signing.key_encoding": "hex"}, "the secret key is not hex text, as signing.key_enc"),
        ("", "must be the path of a service.toml, values or a Service"),
        (5, "must be the path"),
    ],
)
def test_a_service_that_cannot_be_followed(tmp_path, given, words):
    """An invalid service raises a ConfigError that says what is wrong."""
    with pytest.raises(ConfigError, match=words):
        resolve(URL, "k", "s", environ={}, profiles=tmp_path / "none", service=given)


@pytest.mark.parametrize(
    ("given", "environ", "words"),
    [
        ({"base_url": URL}, {}, "api_key and secret_key are missing.*PAYLAB_API_KEY / PAYLAB_SEC"),
        ({}, {"PAYLAB_API_KEY": "k"}, "base_url and secret_key are missing"),
        ({"base_url": "http://x.test"}, {}, "must begin with https:// for x.test.*are missing"),
        (
            {"base_url": URL, "api_key": "k"},
            {},
            "secret_key is missing: pass .* or write a profile with `paylab init`",
        ),
        ({"base_url": "sandbox"}, {}, "base_url must be an address such as .* profile= names"),
        (
            {"profile": "nobody"},
            {},
            "profile= names no profile in .*, which has none: `paylab init",
        ),
        (
            {},
            {"PAYLAB_PROFILE": "nobody"},
            "PAYLAB_PROFILE names no profile in .*, which has none: `paylab",
        ),
        ({"base_url": "", "api_key": "k", "secret_key": "s"}, {}, "base URL"),
        ({"base_url": 5, "api_key": "k", "secret_key": "s"}, {}, "base_url must be text"),
        ({"base_url": "http://pay.test", "api_key": "k", "secret_key": "s"}, {}, "https://"),
    ],
)
def test_half_a_configuration_is_an_error(tmp_path, given, environ, words):
    """A partial or invalid configuration raises a ConfigError that says what to set."""
    with pytest.raises(ConfigError, match=words):
        resolve(**given, environ=environ, profiles=tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[default", "cannot be read"),
        (
            "default = 5",
            r"'default' in .*profiles\.toml is not a profile: begin one with \[default\]",
        ),
        ('[default]\nempty_query = "blank"', "unknown setting 'empty_query'; known: base_url"),
        ('[default]\nsecert_key = "x"', "unknown setting 'secert_key'; known: base_url"),
        ("[default]\napi_key = 5", "default.api_key must be text"),
        ('[default]\napi_key = "env:NOT_SET"', "variable NOT_SET, which is not set"),
        ('[default]\nbase_url = "https://x.test"', "api_key and secret_key are missing"),
    ],
)
def test_a_faulty_profile_is_an_error(written, text, words):
    """A faulty profile raises a ConfigError with the place and the reason."""
    with pytest.raises(ConfigError, match=words):
        resolve(environ={}, profiles=written(text))


@pytest.mark.parametrize(
    ("mode", "good"), [(0o600, True), (0o400, True), (0o640, False), (0o604, False), (0o620, False)]
)
def test_a_secret_in_the_file_needs_a_private_file(written, mode, good):
    """A profiles file with a secret must be accessible only to its owner."""
    text = '[default]\nbase_url = "https://x.test"\napi_key = "k"\nsecret_key = "inline"'
    path = written(text, mode)
    if good:
        assert resolve(environ={}, profiles=path).secret_key.reveal() == "inline"
        return
    with pytest.raises(ConfigError, match="chmod 600") as caught:
        resolve(environ={}, profiles=path)
    assert "inline" not in str(caught.value)


KEYRING = """
import sys
from pathlib import Path
from paylab.client import resolve
def found(name, **environ):
    try:
        given = {"environ": environ, "profiles": Path(sys.argv[1])}
        settings = resolve("https://x.test", "k", None, name, **given)
        return settings.secret_key.reveal()
    except Exception as error:
        return error
print(found("default", S="s"), "keyring" in sys.modules)
import keyring
from keyring.backend import KeyringBackend
class Memory(KeyringBackend):
    priority = 1
    def get_password(self, *asked): return {("paylab", "sandbox"): "from_ring"}.get(asked)
    def set_password(self, *_): ...
    def delete_password(self, *_): ...
keyring.set_keyring(Memory())
print(found("there"), found("nobody"), sep="\\n")
sys.modules["keyring"] = None
print(found("there"))
"""


def test_a_secret_can_be_in_the_keyring(written):
    """A profile can refer to a secret in the keyring; an error says why it is not readable.

    keyring, which may ask for a password, is not imported for a profile without it.
    """
    path = written(
        '[default]\nsecret_key = "env:S"\n[there]\nsecret_key = "keyring:sandbox"\n'
        '[nobody]\nsecret_key = "keyring:nobody"'
    )
    command = [sys.executable, "-c", KEYRING, path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    without_need, there, nobody, without = done.stdout.splitlines()
    assert (without_need, there) == ("s False", "from_ring")
    assert "has no such entry under 'paylab'" in nobody
    assert "pip install 'paylab[keyring]'" in without


def test_a_home_that_is_no_folder_has_no_profiles(tmp_path):
    """Some services run with HOME=/dev/null: the variables alone decide."""
    home = tmp_path / "home"
    home.touch()
    settings = resolve(environ=ENVIRON, profiles=home / ".config" / "profiles.toml")
    assert settings.base_url == "https://env.test"


def test_profiles_live_in_the_users_configuration():
    """The profiles are in profiles.toml in a folder named paylab."""
    assert profiles_path().parts[-2:] == ("paylab", "profiles.toml")


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://pay.test", "https://pay.test"),
        ("https://pay.test/", "https://pay.test"),
        ("https://pay.test:8443/api/v7//", "https://pay.test:8443/api/v7"),
        ("https://pay.test/v1", "https://pay.test"),
        ("https://pay.test/api/v1/", "https://pay.test/api"),
        ("HTTPS://Pay.Test:443/a%20b", "https://pay.test/a%20b"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://127.9.9.9", "http://127.9.9.9"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
        ("http://localhost:1", "http://localhost:1"),
        ("http://LOCALHOST:80", "http://localhost"),
        ("https://pay.test:65535", "https://pay.test:65535"),
    ],
)
def test_a_good_base_url_is_accepted_with_its_prefix(url, kept):
    """A base URL is https, or http on this machine; a path prefix is kept."""
    assert check_base_url(url) == kept
    check_encrypted(kept)


@pytest.mark.parametrize(
    "url",
    [
        "http://pay.test",
        "http://localhost.pay.test",
        "http://localhost.",
        "http://127.0.0.1.pay.test",
        "http://127.1",
        "http://2130706433",
        "http://0.0.0.0",
        "http://10.0.0.1",
        "http://[::2]",
        "http://[::ffff:10.0.0.1]",
    ],
)
def test_http_is_for_this_machine_only(url):
    """http is refused for every other host, even if its name looks like this machine's."""
    with pytest.raises(ConfigError, match=r"unencrypted|cannot be read"):
        check_encrypted(check_base_url(url))


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "must begin with https"),
        ("pay.test", "must begin with https"),
        ("ftp://pay.test", "must begin with https"),
        ("//pay.test", "must begin with https"),
        ("https://", "not an address"),
        ("https://user:word@pay.test", "user name or password"),
        ("http://127.0.0.1@pay.test", "user name or password"),
        ("https://pay.test?x=1", "query"),
        ("https://pay.test/#x", "fragment"),
        ("https://pay.test/../x", r"\. or \.\."),
        ("https://pay.test\\@evil.test", "user name or password"),
        ("https://pay.test\\x", "not an address"),
        ("https://pay test", "not an address"),
        ("https://pay.test\n", "not an address"),
        (" https://pay.test", "must begin with https"),
        ("https://pay.test:65536", "port above 65535"),
        ("https://p\u0430y.test", "not an address"),
        ("https://pay..test", "cannot be read"),
        (f"https://{'a' * 64}.test", "cannot be read"),
        ("https://pay.test/é", "not an address"),
    ],
)
def test_a_bad_base_url_is_a_configuration_error(url, words):
    """A base URL that is malformed or ambiguous raises ConfigError."""
    with pytest.raises(ConfigError, match=words):
        check_encrypted(check_base_url(url))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"api_key": ""}, "api_key must be"),
        ({"api_key": "a b"}, "api_key must be"),
        ({"api_key": "a,b"}, "api_key must be"),
        ({"api_key": "añb"}, "api_key must be"),
        ({"secret_key": ""}, "secret_key is empty"),
        ({"secret_key": "abc\n"}, "space or line break"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": "30"}, "timeout"),
        ({"timeout": True}, "timeout"),
        ({"max_retries": -1}, "max_retries"),
        ({"max_retries": 1.5}, "max_retries"),
    ],
)
def test_settings_check_their_values_when_they_are_made(change, words):
    """Settings check their values when they are made."""
    good = {"base_url": URL, "api_key": "k", "secret_key": "s"}
    assert Settings(**good).max_retries == 2
    with pytest.raises(ConfigError, match=words):
        Settings(**{**good, **change})


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("PAYLAB_APIKEY", "PAYLAB_API_KEY"),
        ("PAYLAB_SECRET", "PAYLAB_SECRET_KEY"),
        ("PAYLAB_READONLY", "PAYLAB_READ_ONLY"),
        ("PAYLAB_URL", ""),
        ("PAYLAB_ZZZ", ""),
    ],
)
def test_an_unknown_variable_is_named_with_the_nearest(name, nearest, tmp_path):
    """A warning shows an unknown variable and a known name that is near, but not its value."""
    with pytest.warns(ConfigWarning, match=f"{name} is not known") as told:
        resolve(environ={name: "sk_private"}, profiles=tmp_path / "none.toml")
    words = str(told[0].message)
    assert words.endswith(f"no effect; nearest: {nearest}" if nearest else "no effect")
    assert "sk_private" not in words


def test_a_warning_is_at_the_line_that_connects(monkeypatch):
    """The warning of `connect` shows the caller's file."""
    monkeypatch.setenv("PAYLAB_APIKEY", "sk_private")
    with pytest.warns(ConfigWarning) as told:
        connect()
    assert told[0].filename == __file__


def test_known_variables_are_not_warned_about(tmp_path, recwarn):
    """Every variable that the README names is known and gives no warning."""
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    names = set(re.findall(r"PAYLAB_[A-Z_]+[A-Z]", readme)) - {*ENVIRON, "PAYLAB_PROFILE"}
    names.add("PAYLAB_LEDGER")  # whose warning is that of a lab
    environ = dict.fromkeys(names, "1") | ENVIRON | {"PAYLAB_SERVICE": ""}
    resolve(environ=environ, profiles=tmp_path / "none.toml")
    assert not recwarn.list


@pytest.mark.parametrize(
    ("given", "environ", "profile", "value", "source"),
    [
        (None, {}, "", False, None),
        (True, {}, "", True, "argument"),
        (None, {"PAYLAB_READ_ONLY": "1"}, "", True, "environment PAYLAB_READ_ONLY"),
        *(
            (None, {"PAYLAB_READ_ONLY": word}, "", is_on, "environment PAYLAB_READ_ONLY")
            for words, is_on in (("true Yes on", True), ("0 false No off", False))
            for word in words.split()
        ),
        (None, {"PAYLAB_READ_ONLY": ""}, "read_only = true", True, "profile default"),
        (
            None,
            {"PAYLAB_READ_ONLY": "0"},
            "read_only = true",
            False,
            "environment PAYLAB_READ_ONLY",
        ),
        (False, {"PAYLAB_READ_ONLY": "1"}, "", False, "argument"),
    ],
)
def test_read_only_comes_from_argument_environment_or_profile(
    written, given, environ, profile, value, source
):
    """`read_only` comes from argument, environment or profile, in this order, with its source."""
    path = written(PROFILES.replace("[slow]", f"{profile}\n\n[slow]"))
    settings = resolve(environ={**MINE, **environ}, profiles=path, read_only=given)
    assert (settings.read_only, settings.source_by_setting.get("read_only")) == (value, source)


@pytest.mark.parametrize(
    ("environ", "profile", "words"),
    [
        ({"PAYLAB_READ_ONLY": "maybe"}, "", "PAYLAB_READ_ONLY is 'maybe': set it to 1 or 0"),
        ({}, 'read_only = "yes"', "read_only must be true or false"),
    ],
)
def test_a_read_only_that_cannot_be_read_is_refused(written, environ, profile, words):
    """A `read_only` value that is not a valid switch raises ConfigError."""
    path = written(PROFILES.replace("[slow]", f"{profile}\n\n[slow]"))
    with pytest.raises(ConfigError, match=words):
        resolve(environ={**MINE, **environ}, profiles=path)


def test_read_only_lets_nothing_but_gets_out(settings, scripted):
    """With `read_only`, every request except a GET raises ReadOnlyError and is not sent."""
    script = scripted({"data": [], "has_next_page": False})[1]
    own = replace(settings, read_only=True, source_by_setting={"read_only": "profile live"})
    client = Client(own, transport=script)
    assert list(client.transfers.list()) == []
    for send in (
        lambda: client.request("DELETE", "/v1/webhook_subscriptions/w1"),
        lambda: client.request("POST", "/_simulator/../v1/transfers", json={}),
        lambda: client.individuals.upload_images(
            "ind_1", {"selfie": b"\xff\xd8\xff" + bytes(11_000)}
        ),
        lambda: client.transfers.create(quote_id="q_1"),
    ):
        with pytest.raises(ReadOnlyError, match=r"read-only \(profile live\)") as refused:
            send()
        assert "read_only=False" in refused.value.hint
    assert [request.method for request in script.requests] == ["GET"]
    assert len(client.calls) == 1


@pytest.mark.parametrize(
    ("given", "environ", "token"),
    [
        ({}, ENVIRON | {"PAYLAB_CONTROL_TOKEN": "ct_env"}, "ct_env"),
        ({"base_url": URL}, ENVIRON | {"PAYLAB_CONTROL_TOKEN": "ct_env"}, None),
        ({"control_token": "ct_mine"}, ENVIRON | {"PAYLAB_CONTROL_TOKEN": "ct_env"}, "ct_mine"),
        ({"control_token": "ct mine"}, ENVIRON, ConfigError),
        ({}, ENVIRON, None),
    ],
)
def test_a_control_token_is_for_the_base_url_beside_it(given, environ, token, tmp_path):
    """The token of the environment is not sent to a base URL from elsewhere."""
    options = {"environ": environ, "profiles": tmp_path / "none.toml"}
    if token is ConfigError:
        with pytest.raises(ConfigError, match="control_token must be printable"):
            resolve(**given, **options)
        return
    found = resolve(**given, **options).control_token
    assert (found and found.reveal()) == token


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://LocalHost/", "http://localhost:80"),
        ("https://pay.test/v2", "https://pay.test:443/v2"),
        ("https://pay.test:8443", "https://pay.test:8443"),
    ],
)
def test_the_address_of_a_service_has_its_port(url, place):
    """Two spellings of a base URL are one address."""
    assert address(url) == place
