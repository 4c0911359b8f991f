"""Paths that no file can have, and TOML that no parser can read, are an error in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

import paylab
from paylab.client.settings import resolve
from paylab.errors import PaylabError
from paylab.views.qr import QR

IMPOSSIBLE = ("a\0b", "n" * 300, "x/" * 3000, "\ud800")

CALLS = {
    "service": lambda lab, path: paylab.connect(service=path),
    "replay": lambda lab, path: paylab.connect(replay=path),
    "read_csv": lambda lab, path: paylab.read_csv(path),
    "read_parquet": lambda lab, path: paylab.read_parquet(path),
    "to_csv": lambda lab, path: paylab.frames.to_csv(lab.transfers.frame(), path),
    "export": lambda lab, path: lab.transfers.export(f"{path}.csv"),
    "create_many": lambda lab, path: lab.transfers.create_many(path),
    "images": lambda lab, path: lab.individuals.upload_images("i_1", {"selfie": Path(path)}),
    "snapshot": lambda lab, path: lab.simulator.save(path),
    "data": lambda lab, path: paylab.simulator.Simulator(data=path),
    "har": lambda lab, path: lab.calls.har(path),
    "qr": lambda lab, path: QR("hello").save(f"{path}.png"),
    "request": lambda lab, path: lab.request("GET", f"/v1/{path}"),
}


@pytest.fixture(scope="module")
def lab():
    with paylab.connect() as lab:
        yield lab


@pytest.mark.parametrize("path", IMPOSSIBLE, ids=["nul", "long-name", "long-path", "surrogate"])
@pytest.mark.parametrize("call", CALLS)
def test_a_path_that_no_file_can_have_is_one_sentence(lab, tmp_path, monkeypatch, call, path):
    """Every function that takes a path refuses it with an error of paylab, short and printable."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PaylabError) as caught:
        CALLS[call](lab, path)
    assert len(str(caught.value)) < 400
    assert str(caught.value).isprintable()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "read",
    [
        lambda path: resolve(profile="x", environ={}, profiles=path),
        paylab.Service.load,
    ],
)
def test_toml_that_is_nested_too_deep_is_one_sentence(tmp_path, read):
    """Profiles and settings of a service that are nested too deep for the parser are refused."""
    path = tmp_path / "deep.toml"
    path.write_text(f"a = {'[' * 50_000}{']' * 50_000}")
    path.chmod(0o600)
    with pytest.raises(PaylabError, match="cannot be read: its values are nested too deep"):
        read(path)
