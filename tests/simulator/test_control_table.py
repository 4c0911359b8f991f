"""The curl lines of the control API, executed as they stand."""

import json
import shutil
import subprocess

import pytest

import paylab
from paylab.simulator.control_table import HEAD, LINES, curl_lines, markdown
from paylab.simulator.routing import CONTROLS, WORLDS
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator


def test_every_operation_has_a_line():
    """The page shows a line or more for each operation, and an id where the path has one."""
    paths = {each.operation: each.template for each in (*CONTROLS, *WORLDS)}
    assert {f"control.{line.control}" for line in LINES} == paths.keys()
    assert all(("{id}" in paths[f"control.{line.control}"]) == bool(line.id) for line in LINES)
    assert all(line in markdown() for line in curl_lines())


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_the_lines_work_when_pasted(tmp_path):
    """Bash executes the whole page; every line is answered with a 2xx and JSON, or nothing."""
    (tmp_path / ".curlrc").write_text('fail\nshow-error\nwrite-out = "\\n"\n')
    with Server(Simulator(frozen=True)) as server:
        lab = paylab.connect(server.base_url, server.api_key, server.secret_key)
        fields = paylab.examples.individual("MX", consent_at=lab.clock())
        person = lab.individuals.create(**fields)
        given = {"BASE": server.base_url, "TOKEN": server.control_token, "PERSON": person.id}
        script = "\n".join([_head(given), *curl_lines()])
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail"],
            input=script,
            cwd=tmp_path,
            env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")
    answers = [json.loads(line) for line in done.stdout.splitlines() if line]
    assert [row["counts"]["individuals"] for row in answers[:2]] == [1, 4]
    assert [row["status"] for row in answers if "status_details" in row] == [
        "action_required",
        "rejected",
        "on_hold",
    ]
    assert json.loads((tmp_path / "world.json").read_text())["base_url"] == server.base_url


def _head(given):
    """The head of the page with the values that a reader fills in."""
    lines = [line.partition("=") for line in HEAD.splitlines()]
    return "\n".join(f"{name}={given.get(name, text)}" for name, _, text in lines)
