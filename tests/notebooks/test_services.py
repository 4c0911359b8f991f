"""The notebooks on services that are not the simulator: slow, without data, without operations."""

from __future__ import annotations

import pytest
from independent_service import DEVIATIONS, Server, Service


@pytest.mark.parametrize("name", ["00", "10", "20", "30", "40", "45", "70"])
def test_a_notebook_runs_on_another_service(run, name):
    """The notebooks run on a service without shared code and without data."""
    with Server(Service()) as server:
        run(name, server)


MISSING = [name for name in DEVIATIONS if name.startswith("no-")]
LEFT_OUT = {
    "00": ["the on-ramp: not available", "its events: skipped"],
    "30": [],
    "10": ["a sandbox deposit: not available", "the conversion as it moves: skipped"],
    "20": ["a sandbox deposit: not available", "the events of the conversion: skipped"],
    "40": [
        "a quote: not available",
        "a transfer at the quoted rate: skipped",
        "a payout that fails: not available",
        "{'done': 9}",
    ],
    "45": ["a quote: not available", "a transfer without a wallet: skipped"],
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_notebook_goes_on_without_what_is_missing(run, name):
    """Without the optional operations, each step says so and dependent steps are skipped."""
    with Server(Service([*MISSING, "no-outcomes"])) as server:
        told = "\n".join(run(name, server))
    assert [line for line in LEFT_OUT[name] if line not in told] == []


NONE = """
[paths]
individuals = "none"
verification_images = "none"
quotes = "none"
transfer = "none"
conversion_accounts = "none"
sandbox_deposits = "none"
"""


@pytest.mark.parametrize("name", ["10", "40"])
def test_a_notebook_goes_on_where_the_settings_name_no_operation(run, name, tmp_path, monkeypatch):
    """If service.toml says that operations are missing, no request is sent to them."""
    (tmp_path / "service.toml").write_text(NONE)
    monkeypatch.setenv("PAYLAB_SERVICE", str(tmp_path / "service.toml"))
    with Server(Service([*MISSING, "no-outcomes"])) as server:
        told = "\n".join(run(name, server))
        calls = [call for call in server.service.calls if call.target.startswith("/v1")]
    assert calls
    assert not [call for call in calls if call.status == 404]
    assert "the service has no operation" in told
    assert "skipped" in told


def test_a_walk_shows_how_long_it_waits(run):
    """While verification and provisioning take time, the cells show the waiting time."""
    slow = {"provisioning.at_once": (), "delays.verification": 3, "delays.provisioning": 3}
    with Server(Service(settings=slow)) as server:
        told = "\n".join(run("10", server))
    assert "waiting: the individual was pending; 2 s so far, at most 118 s more" in told
    assert "the conversion account was active after" in told
    assert "not available" not in told
