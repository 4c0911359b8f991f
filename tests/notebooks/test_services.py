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
GOES_ON = {
    "00": ["POST /v1/sandbox/deposits", "on with section 4"],
    "10": ["on with section 10"],
    "20": ["on with section 10"],
    "40": ["on with section 7", "'already paid': 9"],
    "45": ["on with section 6"],
}
"""What a notebook shows without the optional operations, and the section that comes next."""


@pytest.mark.parametrize("name", GOES_ON)
def test_a_notebook_names_what_is_missing_and_where_to_go_on(run, name):
    """Without the optional operations, a cell ends with an error; the text names a section."""
    with Server(Service([*MISSING, "no-outcomes"])) as server:
        told = "\n".join(run(name, server))
    assert [line for line in GOES_ON[name] if line not in told] == [], told[-1500:]


NONE = """
[paths]
individuals = "none"
verification_images = "none"
quotes = "none"
transfer = "none"
conversion_accounts = "none"
sandbox_deposits = "none"
"""


def test_a_notebook_goes_on_where_the_settings_name_no_operation(run, tmp_path, monkeypatch):
    """If service.toml says that operations are missing, no request is sent to them."""
    (tmp_path / "service.toml").write_text(NONE)
    monkeypatch.setenv("PAYLAB_SERVICE", str(tmp_path / "service.toml"))
    with Server(Service([*MISSING, "no-outcomes"])) as server:
        told = "\n".join(run("40", server))
        calls = [call for call in server.service.calls if call.target.startswith("/v1")]
    assert calls
    assert not [call for call in calls if call.status == 404]
    assert "the service has no operation" in told
    assert "on with section" in told


def test_a_walk_shows_how_long_it_waits(run):
    """While verification and provisioning take time, the cells show the waiting time."""
    slow = {"provisioning.at_once": (), "delays.verification": 3, "delays.provisioning": 3}
    with Server(Service(settings=slow)) as server:
        told = "\n".join(run("10", server))
    assert "waiting: the individual is pending; 2 s so far, at most 118 s more" in told
    assert "the conversion account is active after" in told
    assert "on with section" not in told
