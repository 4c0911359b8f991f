"""`paylab simulator -- PROGRAM`: a program that runs on a simulator."""

import json
import os
import signal
import subprocess
import sys

import httpx
import pytest

from paylab.cli.main import main

PAYLAB = (sys.executable, "-m", "paylab")
SERVE = (*PAYLAB, "simulator")
USES = """
import json, os, paylab
lab = paylab.connect()
world = lab.request("POST", "/_simulator/worlds")
facts = {"world": world["api_key"], "quotes": lab.service.path("quotes.create")}
print(json.dumps({**os.environ, **facts}))
"""
PROFILE = """
[default]
base_url = "https://sandbox.example.com"
read_only = true
[other]
base_url = "https://api.example.com"
read_only = true
"""
WAITS = """
trap 'echo told; exit 9' TERM INT
echo ready
while :; do sleep 0.05; done
"""
COUNTS = """
import signal, time
told = []
signal.signal(signal.SIGINT, lambda *_: told.append(1))
print("ready", flush=True)
while not told:
    time.sleep(0.05)
time.sleep(0.5)
print("told", len(told))
"""
TERMINAL = "import pty, sys; pty.spawn(sys.argv[1:])"


def test_a_program_has_the_input_output_and_status_of_the_command(tmp_path):
    """All is passed on and nothing is added; keys and token are only in the environment."""
    script = 'cat; echo "$1" >&2; env > "$2"; exit 7'
    command = [*SERVE, "--", "sh", "-c", script, "sh", "--json", str(tmp_path / "env")]
    done = subprocess.run(command, input="given", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (7, "given", "--json\n")
    names = {line.partition("=")[0] for line in (tmp_path / "env").read_text().splitlines()}
    assert {"PAYLAB_API_KEY", "PAYLAB_SECRET_KEY", "PAYLAB_CONTROL_TOKEN"} <= names


def test_a_program_that_a_signal_ended_has_the_status_of_a_shell(monkeypatch):
    """A program that is killed ends the command with 128 and the number of the signal."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # of the process of the tests
    assert main(["simulator", "--", "sh", "-c", "kill -9 $$"]) == 128 + signal.SIGKILL


def test_a_program_uses_the_simulator_from_its_environment(tmp_path):
    """The variables connect it, also to the controls and the service.toml, and all ends with it."""
    (tmp_path / "service.toml").write_text('[paths]\nquotes = "/v1/quote"\n')
    command = [*SERVE, "--service", "service.toml", "--", sys.executable, "-c", USES]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout)
    assert (seen["quotes"], seen["world"][:13]) == ("/v1/quote", "pk_simulator_")
    with pytest.raises(httpx.ConnectError):
        httpx.get(seen["PAYLAB_BASE_URL"])


def test_a_program_has_no_other_variable_of_the_shell(tmp_path):
    """A configured shell and its profile change neither the program nor the simulator."""
    (tmp_path / "other.toml").write_text('[paths]\nquotes = "/v1/other"\n')
    (tmp_path / "paylab").mkdir()
    (tmp_path / "paylab" / "profiles.toml").write_text(PROFILE)
    shell = {f"PAYLAB_{name}": "other" for name in ("PROFILE", "BASE_URL", "CONTROL_TOKEN", "KEY")}
    shell |= {"PAYLAB_SERVICE": str(tmp_path / "other.toml"), "PAYLAB_READ_ONLY": "1"}
    shell |= {"PAYLAB_LOG": "debug", "PAYLAB_LEDGER": str(tmp_path / "ledger")}
    shell |= {"PAYLAB_SIMULATOR_API_KEY": "pk_mine", "PAYLAB_SIMULATOR_SECRET_KEY": "sk_mine"}
    environment = {**os.environ, **shell, "XDG_CONFIG_HOME": str(tmp_path)}
    command = [*SERVE, "--", sys.executable, "-c", USES]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout)
    own = {f"PAYLAB_{name}" for name in ("BASE_URL", "API_KEY", "SECRET_KEY", "CONTROL_TOKEN")}
    assert {name for name in seen if name.startswith("PAYLAB_")} == own
    assert (seen["PAYLAB_API_KEY"], seen["quotes"]) == ("pk_mine", "/v1/quotes")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_sent_on(how):
    """The program is told, ends as it likes, and the command ends with its status."""
    command = [*SERVE, "--", "sh", "-c", WAITS]
    # Without a terminal, also where the tests are run from one.
    options = {"stdout": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen(command, **options) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(how)
        assert process.stdout.read() == "told\n"
    assert process.returncode == 9


@pytest.mark.skipif(not os.access("/dev/ptmx", os.W_OK), reason="there are no terminals")
def test_ctrl_c_in_a_terminal_reaches_the_program_once():
    """The terminal itself interrupts the program; a second interrupt would end many at once."""
    command = [sys.executable, "-c", TERMINAL, *SERVE, "--", sys.executable, "-c", COUNTS]
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "start_new_session": True}
    with subprocess.Popen(command, **options) as process:
        assert process.stdout.readline() == b"ready\r\n"
        process.stdin.write(b"\x03")
        process.stdin.flush()
        assert process.stdout.read().endswith(b"told 1\r\n")
