"""The pytest plugin, in a pytest of its own."""

import os
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import paylab
from paylab.readiness.files import read_report, write_report

NAME = "paylab.testing.plugin"
IS_INSTALLED = any(each.value == NAME for each in entry_points(group="pytest11"))
ROOT = Path(paylab.__file__).parent.parent

SUITE = """
import httpx, os, paylab, pytest

@pytest.mark.parametrize("number", range(3))
def test_empty(paylab_world, number):
    assert paylab_world.lab.transfers.list().to_list() == []
    assert len(paylab_world.requests) == 1
    paylab_world.seed(individuals=2, transfers=number)
    paylab_world.person("PH", verified=True)
    assert len(paylab_world.lab.transfers.list().to_list()) == number
    assert len(paylab_world.lab.individuals.list().to_list()) == 3
    assert len(paylab_world.requests) == 3
    state = paylab_world.lab.simulator.summary()
    assert (state["clock"]["frozen"], state["deliveries"]["paused"]) == (True, False)
    assert not paylab_world.faults.list()
    paylab_world.clock.run()
    paylab_world.deliveries.pause()
    paylab_world.pay_in("0.00")
    paylab_world.faults.status(status=503, times=9)

def test_environment(paylab_world):
    assert os.environ["PAYLAB_API_KEY"] == paylab_world.api_key
    lab = paylab.connect()
    people = lab.individuals.list().to_list()
    account = paylab_world.account()
    for again in (False, True):
        paid = lab.transfers.create(
            financial_account={"id": account.id}, payout_method="spei", source_currency="USD",
            destination_currency="MXN", source_amount="10.00")
        assert paid.replayed is again
    paylab_world.requests.assert_sent("POST /v1/transfers", source_amount="10", times=2)

@pytest.mark.paylab(strict=True, start="2026-11-22T12:00Z", seed=3)
def test_marker(paylab_world):
    clock = paylab_world.clock
    assert clock.now.isoformat() == "2026-11-22T12:00:00+00:00"
    clock.advance("3 days")
    assert clock.now.day == 25
    with pytest.raises(paylab.BadRequestError, match="is limit meant"):
        paylab_world.lab.get("/v1/transfers", params={"limt": 1})

def test_fails(paylab_world):
    paylab_world.lab.post("/v1/individuals", {"given_name": "Ana"})

def test_key(paylab_world):
    httpx.get(paylab_world.base_url + "/v1/transfers", headers={"x-api-key": "mine"})
    assert paylab_world.requests.only().verdicts["signature"]["result"] == "refused"

@pytest.mark.paylab(strict="no")
def test_flag(paylab_world):
    pass

@pytest.mark.paylab(seed="7")
def test_seed(paylab_world):
    pass
"""


SHELL = """
import os, paylab, pytest

OWN = {"PAYLAB_BASE_URL", "PAYLAB_API_KEY", "PAYLAB_SECRET_KEY"}

def test_environment(paylab_world):
    there = {name for name in os.environ if name.startswith("PAYLAB_")}
    assert there == OWN

@pytest.mark.parametrize("lab", ["connected", "own"])
def test_lab(paylab_world, lab, caplog):
    lab = paylab.connect() if lab == "connected" else paylab_world.lab
    assert not (lab.settings.read_only or lab.settings.service.diff())
    assert paylab_world.account().id
    assert lab.transfers.list().to_list() == []
    assert caplog.text == ""
    assert len(paylab_world.requests) == 1
"""

OTHERS = ("anyio", "cacheprovider", "hypothesispytest", "nbval", "schemathesis")
"""Plugins that only make the start of a pytest slower."""


def run(folder, suite, *options, env=None):
    """Run a suite in a pytest of its own, with these variables."""
    (folder / "test_suite.py").write_text(suite)
    plugins = [*([] if IS_INSTALLED else [NAME]), *(f"no:{name}" for name in OTHERS)]
    command = [sys.executable, "-m", "pytest", *(f"-p{name}" for name in plugins), *options]
    there = {"cwd": folder, "env": {**os.environ, **(env or {})}}
    return subprocess.run(command, capture_output=True, text=True, check=False, **there)


def test_each_test_has_its_own_world(tmp_path):
    """Worlds are empty and isolated, with xdist too; a failure shows the requests.

    An option of another type, such as strict="no", is a mistake, and no test runs with it.
    """
    done = run(tmp_path, SUITE, "-q", "-n", "2", "--paylab-ready")
    summary = "1 failed, 6 passed, 1 warning, 2 errors"  # limt is no query parameter
    assert summary in done.stdout, done.stdout + done.stderr
    assert "strict must be a bool" in done.stdout
    assert "seed must be an int" in done.stdout
    for text in ("paylab_world", "1. POST /v1/individuals -> 400", "rules: refused", "no deliver"):
        assert text in done.stdout
    assert "sk_simulator_" not in done.stdout
    # The journals of both workers are judged together, at the end.
    assert "requests judged: 1 broken, " in done.stdout  # test_key does not sign
    assert '@pytest.mark.paylab(expects="401")' in done.stdout
    tests = read_report(tmp_path / "paylab-ready.json")
    assert {name.partition("::")[2] for name in tests} == {
        *(f"test_empty[{number}]" for number in range(3)),
        *("test_environment", "test_marker", "test_fails", "test_key"),
    }
    assert [path.name for path in tmp_path.glob("paylab-ready.json*")] == ["paylab-ready.json"]


@pytest.mark.parametrize("name", ["test_suite.py::test_nothing", "."])
def test_a_report_replaces_no_tests(tmp_path, name):
    """Tests that come after the option are not taken as the file of the report."""
    suite = "def test_nothing():\n    pass\n"
    done = run(tmp_path, suite, "-q", "--paylab-ready", name)
    assert f"--paylab-ready: {name} is no report" in done.stderr
    assert {path.name: path.read_text() for path in tmp_path.glob("*.*")} == {
        "test_suite.py": suite
    }


def test_a_configured_shell_does_not_change_a_test(tmp_path):
    """Neither variables nor a profile reach a test; the variables are there again after it."""
    (tmp_path / "paylab").mkdir()
    profile = '[default]\nread_only = true\nbase_url = "https://x.example"\n[other]\ntimeout = 1\n'
    (tmp_path / "paylab" / "profiles.toml").write_text(profile)
    (tmp_path / "other.toml").write_text('[paths]\nquotes = "/v1/other"\n')
    shell = {"SERVICE": str(tmp_path / "other.toml"), "PROFILE": "other", "READ_ONLY": "1"}
    shell |= {"LOG": "debug", "LEDGER": "shell", "CONTROL_TOKEN": "t", "SHARED_SIMULATOR": "x"}
    shell |= {"SIMULATOR_API_KEY": "pk_mine", "BASE_URL": "https://y.example", "MISSPELT": "1"}
    variables = {f"PAYLAB_{name}": text for name, text in shell.items()}
    after = "\n\ndef test_after():\n    assert os.environ['PAYLAB_MISSPELT'] == '1'\n"
    done = run(tmp_path, SHELL + after, "-q", env={**variables, "XDG_CONFIG_HOME": str(tmp_path)})
    assert "4 passed" in done.stdout, done.stdout + done.stderr


def test_nothing_heavy_is_imported_before_a_fixture_is_asked_for():
    """The plugin is an entry point, and importing it loads no simulator, lab or httpx."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"paylab": NAME}
    heavy = ("httpx", "pydantic", "uvicorn", "paylab.lab", "paylab.simulator")
    code = f"import sys, {NAME}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_an_interrupted_run_left_is_not_judged_and_other_files_stay(tmp_path):
    """A report of a worker that is left over shows nothing; a file of another form is no part."""
    left_over = tmp_path / "paylab-ready.json.gw7"
    write_report({"left over": [{"kind": "request", "sequence": 1}]}, left_over)
    notes = tmp_path / "paylab-ready.json.gwen"
    notes.write_text("my notes")
    suite = "def test_nothing(paylab_world):\n    pass\n"
    run(tmp_path, suite, "-q", "--paylab-ready")
    assert "left over" not in read_report(tmp_path / "paylab-ready.json")
    assert not left_over.exists()
    assert notes.read_text() == "my notes"
