"""`paylab probe` writes a service.toml and an HTML page, and never overwrites other files."""

import json

import pytest

from paylab.cli.main import main
from paylab.lab.lab import connect
from paylab.spec.service import Service


def test_a_probe_writes_its_answers_and_a_page(tmp_path, capsys):
    """A probe ends with status 0 and writes a page, and a service.toml with dated answers."""
    to, page = tmp_path / "service.toml", tmp_path / "report.html"
    assert main(["probe", "--to", str(to), "--html", str(page), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["requests"] < 150
    assert {row["outcome"] for row in report["findings"]} == {"holds", "not asked"}
    service = Service.load(to)
    assert service.diff() == {}
    assert service.origin("signing.empty_query").startswith("probed on ")
    assert page.read_text().startswith("<!doctype html>")


def test_a_budget_that_is_too_small_ends_with_1(tmp_path):
    """A probe that stops at its budget ends with status 1."""
    to = tmp_path / "service.toml"
    assert main(["probe", "--to", str(to), "--budget", "9"]) == 1


def test_recorded_calls_are_read_without_sending(tmp_path, capsys):
    """With --from, answers come from recorded calls and no request is sent."""
    with connect() as lab:
        lab.transfers.list().first()
        lab.calls.har(tmp_path / "calls.har")
    options = ["--to", str(tmp_path / "s.toml"), "--from", str(tmp_path / "calls.har"), "--json"]
    assert main(["probe", *options]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["requests"] == 0
    assert any(row["outcome"] == "holds" for row in report["findings"])


@pytest.mark.parametrize("text", ["notes of mine", "[project]\nname = 'x'", "{}", "\udcff"])
def test_another_file_is_refused_before_a_request(tmp_path, capsys, monkeypatch, text):
    """A file that is not a service.toml is refused before a request, and is not changed."""
    to = tmp_path / "notes.md"
    to.write_text(text, errors="surrogateescape")
    monkeypatch.setattr("paylab.lab.probe.ask", None)
    assert main(["probe", "--to", str(to)]) == 2
    assert "notes.md is not replaced, because it is not a service.toml" in capsys.readouterr().err
    assert to.read_text(errors="surrogateescape") == text
    assert [each.name for each in tmp_path.iterdir()] == ["notes.md"]


def test_what_was_set_by_hand_is_kept(tmp_path, capsys):
    """A value without an answer stays; the old file is copied once, and stderr names the copy."""
    to = tmp_path / "service.toml"
    mine = '# asked Ana\nsigning.tolerance = 60\n[webhooks]\nid_field = "key"\n'
    to.write_text(mine)
    to.with_name("service.toml.bak").write_text("earlier")
    assert main(["probe", "--to", str(to)]) == 0
    assert "the old service.toml is kept as service.toml.bak1" in capsys.readouterr().err
    assert to.with_name("service.toml.bak").read_text() == "earlier"
    assert to.with_name("service.toml.bak1").read_text() == mine
    service = Service.load(to)
    assert service.value("webhooks.id_field") == "key"
    assert service.value("signing.tolerance") == 300
    assert main(["probe", "--to", str(to)]) == 0
    assert "kept as" not in capsys.readouterr().err
    assert Service.load(to) == service
    assert len([*tmp_path.glob("*.bak*")]) == 2


@pytest.mark.parametrize(
    "options", [["--write"], ["--to", "/nowhere/at/all/s.toml"], ["--from", "x"]]
)
def test_wrong_use_ends_with_2(tmp_path, monkeypatch, capsys, options):
    """--write without consent, an unwritable --to and an unreadable --from end with status 2."""
    monkeypatch.chdir(tmp_path)
    assert main(["probe", *options]) == 2
    assert "paylab:" in capsys.readouterr().err
