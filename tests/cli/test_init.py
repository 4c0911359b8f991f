"""`paylab init` checks the address and the keys, writes a profile and keeps the keys private."""

from __future__ import annotations

import io
import stat
import sys
import tomllib
import types

import pytest

import paylab
from paylab.cli.main import main
from paylab.client.profiles import profiles_path
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator


@pytest.fixture
def config(tmp_path, monkeypatch):
    """The path of the profiles in an empty settings folder, without a keyring."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setitem(sys.modules, "keyring", None)
    return profiles_path()


@pytest.fixture
def service(monkeypatch):
    """A simulator on a port, with its keys in the environment."""
    with Server(Simulator()) as server:
        keys = {"API_KEY": server.simulator.api_key, "SECRET_KEY": server.simulator.secret_key}
        for name, value in keys.items():
            monkeypatch.setenv(f"PAYLAB_{name}", value)
        yield server


def without_keys(monkeypatch):
    """Remove the keys from the environment, so that only the profile has them."""
    for name in ("API_KEY", "SECRET_KEY"):
        monkeypatch.delenv(f"PAYLAB_{name}")


def test_a_checked_profile_is_written_for_its_owner_alone(config, service, monkeypatch, capsys):
    """Only the owner can read the profile, no secret is printed, and `connect` uses it."""
    assert main(["init", "--profile", "mine", "--base-url", service.base_url]) == 0
    said = capsys.readouterr()
    assert "accepts the signature" in said.out
    assert service.simulator.secret_key not in said.out + said.err
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    without_keys(monkeypatch)
    lab = paylab.connect(profile="mine")
    assert lab.transfers.list(limit=1).first() is None
    assert lab.sources()[0][2] == "profile mine"


def test_other_profiles_and_their_comments_stay(config, service, capsys):
    """Other profiles are unchanged; a profile of the same name needs --replace."""
    config.parent.mkdir(parents=True)
    config.write_text('# mine\n[other]\nbase_url = "https://a.example.com" # the old one\n')
    arguments = ["init", "--profile", "new", "--base-url", service.base_url]
    assert main(arguments) == 0
    assert main(arguments) == 2
    assert "--replace" in capsys.readouterr().err
    assert main([*arguments, "--replace"]) == 0
    text = config.read_text()
    assert text.startswith('# mine\n[other]\nbase_url = "https://a.example.com" # the old one\n')
    assert text.count("[new]") == 1


def test_keys_that_are_refused_are_not_written(config, service, monkeypatch, capsys):
    """Refused keys end with status 1 and are not written, unless --no-check is given."""
    monkeypatch.setenv("PAYLAB_SECRET_KEY", "wrong")
    arguments = ["init", "--base-url", service.base_url]
    assert main(arguments) == 1
    assert "nothing was written" in capsys.readouterr().err
    assert not config.exists()
    assert main([*arguments, "--no-check"]) == 0


class Keyring(types.ModuleType):
    """A keyring that refuses the entries whose name ends with `refused`."""

    def __init__(self, refused=None):
        """Start empty."""
        super().__init__("keyring")
        self.errors = types.SimpleNamespace(KeyringError=RuntimeError)
        self.kept = {}
        self.refused = refused

    def get_password(self, service, name):
        """Return the secret of an entry, or None."""
        return self.kept.get((service, name))

    def set_password(self, service, name, value):
        """Store a secret."""
        if self.refused and name.endswith(self.refused):
            raise RuntimeError("the collection is locked")
        self.kept[service, name] = value

    def delete_password(self, service, name):
        """Delete an entry."""
        if (service, name) not in self.kept:
            raise RuntimeError("no such entry")
        del self.kept[service, name]

    def install(self, monkeypatch):
        """Let `import keyring` find it; return it."""
        monkeypatch.setitem(sys.modules, "keyring", self)
        monkeypatch.setitem(sys.modules, "keyring.errors", self.errors)
        return self


@pytest.mark.parametrize("former", [{}, {("paylab", "default.api_key"): "former"}])
@pytest.mark.parametrize("option", [[], ["--keyring"]])
def test_a_keyring_that_refuses_one_key_keeps_none(config, monkeypatch, capsys, former, option):
    """Then both are in the file, or with --keyring nothing is; the keyring is as it was."""
    for name in ("API_KEY", "SECRET_KEY"):
        monkeypatch.setenv(f"PAYLAB_{name}", "x")
    keyring = Keyring(refused="secret_key").install(monkeypatch)
    keyring.kept.update(former)
    arguments = ["init", "--no-check", "--base-url", "https://a.example.com", *option]
    assert main(arguments) == (2 if option else 0)
    assert keyring.kept == former
    if option:
        assert "the collection is locked" in capsys.readouterr().err
        assert not config.exists()
        return
    assert "(only you)" in capsys.readouterr().out
    profile = tomllib.loads(config.read_text())["default"]
    assert (profile["api_key"], profile["secret_key"]) == ("x", "x")


def test_keys_go_into_the_keyring_where_there_is_one(config, service, monkeypatch, capsys):
    """With a keyring, the secret is stored there and the file has a reference to it."""
    kept = Keyring().install(monkeypatch).kept
    assert main(["init", "--base-url", service.base_url]) == 0
    assert "the system's keyring" in capsys.readouterr().out
    assert kept["paylab", "default.secret_key"] == service.simulator.secret_key
    assert 'secret_key = "keyring:default.secret_key"' in config.read_text()


@pytest.mark.parametrize("check", [[], ["--no-check"]])
@pytest.mark.parametrize("url", ["ftp://a.example.com", "http://a.example.com"])
def test_an_address_that_no_command_would_take_is_not_written(
    config, monkeypatch, capsys, url, check
):
    """A base URL that is not allowed is refused, even with --no-check."""
    for name in ("API_KEY", "SECRET_KEY"):  # keys are not asked for before
        monkeypatch.delenv(f"PAYLAB_{name}", raising=False)
    assert main(["init", "--base-url", url, *check]) == 2
    assert "the base URL must begin with https://" in capsys.readouterr().err
    assert not config.exists()


class Typed(io.StringIO):
    """A standard input that says it is a terminal."""

    def isatty(self):
        """Return True."""
        return True


def test_what_is_missing_is_asked_for_in_a_terminal(config, monkeypatch, capsys):
    """The address is typed in sight, the keys out of sight; an empty answer writes nothing."""
    asked = []
    monkeypatch.setattr("getpass.getpass", lambda prompt: asked.append(prompt) or " key ")
    monkeypatch.setattr(sys, "stdin", Typed("https://a.example.com \n"))
    assert main(["init", "--no-check", "--no-keyring"]) == 0
    assert asked == ["API key: ", "Secret key: "]
    told = capsys.readouterr().out
    assert "Base URL: " in told
    assert "PAYLAB_PROFILE" not in told
    read = tomllib.loads(config.read_text())["default"]
    keys = {"api_key": "key", "secret_key": "key"}
    assert read == {"base_url": "https://a.example.com", **keys}
    monkeypatch.setattr(sys, "stdin", Typed(" \n"))
    assert main(["init", "--no-check", "--profile", "other"]) == 2
    assert "base_url is empty: nothing was written" in capsys.readouterr().err
    assert "other" not in config.read_text()


def test_a_keyring_that_is_wanted_must_be_there(config, monkeypatch, capsys):
    """--keyring without a keyring ends with status 2; another profile is named in the end."""
    for name in ("API_KEY", "SECRET_KEY"):
        monkeypatch.setenv(f"PAYLAB_{name}", "x")
    arguments = ["init", "--no-check", "--base-url", "https://a.example.com"]
    assert main([*arguments, "--keyring"]) == 2
    assert "--keyring: " in capsys.readouterr().err
    assert not config.exists()
    assert main([*arguments, "--profile", "other"]) == 0
    assert "Use it with: export PAYLAB_PROFILE=other" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "base_url is missing: set PAYLAB_BASE_URL"),
        (["--base-url", "https://a.example.com"], "api_key is missing"),
        (["--profile", "a b"], "1 to 40 letters"),
    ],
)
def test_what_is_missing_is_named(config, capsys, arguments, words):
    """Without a terminal, a missing or invalid setting ends with status 2 and is named."""
    assert main(["init", *arguments]) == 2
    assert words in capsys.readouterr().err
    assert not config.exists()
