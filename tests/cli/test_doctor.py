"""`paylab doctor`: each check, good and bad, and the exit status."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

import paylab
from paylab.cli import doctor
from paylab.cli.main import main
from paylab.errors.extras import EXTRAS
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


def clock(sent):
    """The checks of a lab whose latest answer has this Date header."""
    headers = {} if sent is None else {"date": sent}
    call = SimpleNamespace(response_headers=headers, when=NOW)
    other = SimpleNamespace(response_headers={"date": "x"}, when=NOW)
    lab = SimpleNamespace(calls=[other, call], service=Service(), simulator=None)
    return [*doctor._check_clock(lab)]


@pytest.mark.parametrize(
    ("sent", "is_good", "words"),
    [
        ("Sat, 31 Jan 2026 09:30:00 GMT", True, "clock is the same as this machine's"),
        ("Sat, 31 Jan 2026 09:30:01 GMT", True, "clock is 1 s ahead of this machine's"),
        ("Sat, 31 Jan 2026 09:29:58 GMT", True, "clock is 2 s behind this machine's"),
        ("Sat, 31 Jan 2026 09:34:59 GMT", True, "clock is 299 s ahead of"),
        ("Sat, 31 Jan 2026 09:35:00 GMT", False, "clock is 300 s ahead of"),
        ("Sat, 31 Jan 2026 09:25:00 GMT", False, "300 s are allowed"),
        ("yesterday", False, "Date header cannot be read: 'yesterday'"),
    ],
)
def test_the_clock_of_the_service_may_differ_within_the_tolerance(sent, is_good, words):
    """Seconds apart from the Date header; from the tolerance of 300 s on it is bad."""
    [check] = clock(sent)
    assert (check.what, check.good) == ("clock", is_good)
    assert words in check.text


@pytest.mark.parametrize(
    ("frozen", "words"),
    [
        (True, "the simulator's clock is frozen at 2026-01-15T12:00:00.000Z"),
        (False, "the simulator's clock is running at 1x, now 20"),
    ],
)
def test_the_clock_of_a_simulator_is_told_as_its_own(frozen, words):
    """A simulator may have another time, and is not compared with this machine."""
    [check] = doctor._check_clock(paylab.connect(simulator=Simulator(frozen=frozen)))
    assert check.good
    assert check.text.startswith(words)


def test_without_a_date_nothing_is_said_of_the_clock():
    """A service need not send a Date header."""
    assert clock(None) == []


def test_every_check_of_an_embedded_simulator_is_good(capsys):
    """The report names packages, extras, place, settings, service and clock, all good."""
    assert main(["doctor", "--json"]) == 0
    found = {each["what"]: each for each in json.loads(capsys.readouterr().out)}
    assert [what for what, each in found.items() if not each["good"]] == []
    assert {"paylab", "python", "httpx", "extras", "place", "base_url", "service"} <= {*found}
    assert found["extras"]["text"].startswith(", ".join([*EXTRAS][:3]))


def test_settings_that_cannot_be_used_end_with_1(capsys, monkeypatch):
    """An address without keys is one bad check, and nothing is sent."""
    monkeypatch.setenv("PAYLAB_BASE_URL", "https://sandbox.example.com")
    assert main(["doctor"]) == 1
    *others, last = capsys.readouterr().out.splitlines()
    assert last.startswith("BAD  settings")
    assert all(line.startswith("ok ") for line in others)
