"""`paylab probe` writes a service.toml and an HTML page, and never overwrites other files."""

import json

import pytest

from paylab.cli.main import main
from paylab.lab.lab import connect
from paylab.probe.run import PLAN
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service


def test_a_probe_writes_a_file_a_page_and_its_calls(tmp_path, capsys):
    """A walk ends with status 0; the service.toml, the page and the HAR file are there."""
    to, page, har = (tmp_path / name for name in ("service.toml", "report.html", "calls.har"))
    options = ["--to", str(to), "--html", str(page), "--har", str(har), "--json"]
    assert main(["probe", "--write", "--yes", *options]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["requests"] <= 100
    assert report["reached"][1:3] == ["MX on-ramp: complete", "PH on-ramp: complete"]
    assert {row["outcome"] for row in report["findings"]} == {"assumed", "not reached"}
    assert Service.load(to).diff() == {}
    assert page.read_text().startswith("<!doctype html>")
    assert len(json.loads(har.read_text())["log"]["entries"]) == report["requests"]
    assert "XEXX010101HNEXXXA4" not in har.read_text()


def test_recorded_calls_are_read_without_sending(tmp_path, capsys):
    """With --from, recorded answers are read and no request is sent."""
    with connect() as lab:
        lab.transfers.list().first()
        lab.calls.har(tmp_path / "calls.har")
    options = ["--to", str(tmp_path / "s.toml"), "--from", str(tmp_path / "calls.har"), "--json"]
    assert main(["probe", *options]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["requests"] == 0
    outcomes = {row["key"]: row["outcome"] for row in report["findings"]}
    assert outcomes["lists.items"] == "assumed"
    assert outcomes["paths.quotes"] == "not reached"


def test_production_ends_with_1_and_no_file(tmp_path, monkeypatch, capsys):
    """A 403 to the sandbox deposit ends the walk, also with --sandbox: no person and no file."""
    names = [str(tmp_path / name) for name in ("service.toml", "report.html", "calls.har")]
    files = [part for pair in zip(("--to", "--html", "--har"), names, strict=True) for part in pair]
    with Server(Simulator(production_like=True)) as server:
        monkeypatch.setenv("PAYLAB_BASE_URL", server.base_url)
        monkeypatch.setenv("PAYLAB_API_KEY", server.simulator.api_key)
        monkeypatch.setenv("PAYLAB_SECRET_KEY", server.simulator.secret_key)
        assert main(["probe", "--write", "--yes", "--sandbox", *files]) == 1
        assert not server.simulator.world.tables["individuals"].rows
    told = capsys.readouterr()
    assert (told.out, "it is production" in told.err) == ("", True)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("text", ["notes of mine", "[project]\nname = 'x'", "{}", "\udcff"])
def test_another_file_is_refused_before_a_request(tmp_path, capsys, monkeypatch, text):
    """A file that is not a service.toml is refused before a request, and is not changed."""
    to = tmp_path / "notes.md"
    to.write_text(text, errors="surrogateescape")
    with Server(Simulator()) as server:
        monkeypatch.setenv("PAYLAB_BASE_URL", server.base_url)
        monkeypatch.setenv("PAYLAB_API_KEY", server.simulator.api_key)
        monkeypatch.setenv("PAYLAB_SECRET_KEY", server.simulator.secret_key)
        assert main(["probe", "--to", str(to)]) == 2
        assert server.simulator.world.journal.requests() == []
    assert "notes.md is not replaced, because it is not a service.toml" in capsys.readouterr().err
    assert to.read_text(errors="surrogateescape") == text
    assert [each.name for each in tmp_path.iterdir()] == ["notes.md"]


def test_what_was_set_by_hand_is_kept(tmp_path):
    """Values of an existing file stay, and a second run changes nothing."""
    to = tmp_path / "service.toml"
    to.write_text('signing.tolerance = 60\n[webhooks]\nid_field = "key"\n')
    assert main(["probe", "--to", str(to)]) == 0
    once = to.read_text()
    assert Service.load(to).diff() == {"signing.tolerance": 60, "webhooks.id_field": "key"}
    assert main(["probe", "--to", str(to)]) == 0
    assert to.read_text() == once


@pytest.mark.parametrize("options", [["--to", "/nowhere/at/all/s.toml"], ["--from", "x"]])
def test_wrong_use_ends_with_2(tmp_path, monkeypatch, capsys, options):
    """An unwritable --to and an unreadable --from end with status 2."""
    monkeypatch.chdir(tmp_path)
    assert main(["probe", *options]) == 2
    assert "paylab:" in capsys.readouterr().err


def test_objects_are_created_at_a_service_only_after_a_yes(tmp_path, monkeypatch, capsys):
    """The plan is shown, and without a typed yes or --yes nothing is sent or written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAYLAB_BASE_URL", "https://sandbox.example.invalid")
    monkeypatch.setenv("PAYLAB_API_KEY", "k")
    monkeypatch.setenv("PAYLAB_SECRET_KEY", "s")
    assert main(["probe", "--write"]) == 2
    told = capsys.readouterr().err
    assert "--write creates these objects:" in told
    assert all(line in told for line in PLAN)
    assert "to create them, use a terminal, or add --yes" in told
    assert [*tmp_path.iterdir()] == []


def test_without_write_nothing_is_asked(tmp_path, monkeypatch, capsys):
    """Reading needs no consent, and the report says what differs and what to do with it."""
    monkeypatch.chdir(tmp_path)
    assert main(["probe", "--yes", "--budget", "100"]) == 0
    told = capsys.readouterr().out
    assert "service.toml has 0 proven differences from the defaults\nnot reached: what" in told
    assert "only lists were read. --write creates synthetic objects" in told
    assert main(["probe", "--write", "--yes"]) == 0
    assert "only lists were read" not in capsys.readouterr().out
