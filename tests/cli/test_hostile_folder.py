"""Commands and their children run and read no file of a current folder that is somebody else's."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from paylab.cli.main import COMMANDS
from paylab.processes.interpreter import python_environment
from paylab.views.images.choice import make_preview
from paylab.views.specimens import specimen

PROGRAM = Path(sys.executable).with_name("paylab")
"""The installed command."""
RUN = """
import os
os.write(os.open({log!r}, os.O_WRONLY | os.O_APPEND), f"{{__file__}} {{os.getpid()}}\\n".encode())
"""
"""A module that writes its name and process into a file when it is run."""
MODULES = (
    *("jupyterlab", "logging", "sitecustomize", "usercustomize", "conftest", "json", "paylab"),
    *("httpx", "pydantic", "pandas", "PIL", "jupyter_core", "nbformat", "traitlets", "tomllib"),
    *("jupyter_config", "jupyter_server_config", "jupyter_lab_config", "ipython_config"),
)
TEXTS = {
    ".env": "PAYLAB_BASE_URL=https://evil.example\n",
    "service.toml": "[evil]\nkey = 1\n",
    "profiles.toml": '[default]\nbase_url = "https://evil.example"\n',
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--evil'\n",
    "pytest.ini": "[pytest]\naddopts = --evil\n",
    "jupyter_config.json": "{}",
    "jupyter_server_config.json": "{}",
    "jupyter_lab_config.d/evil.json": "{}",
    "jupyter_server_config.d/evil.json": "{}",
}
SPY = """
import os, sys
log, traps = os.open({log!r}, os.O_WRONLY | os.O_APPEND), {traps!r}
def see(event, args):
    if event == "open" and isinstance(args[0], str) and os.path.basename(args[0]) in traps:
        path = os.path.abspath(args[0])
        if path.startswith({folder!r}):
            os.write(log, (path + "\\n").encode())
sys.addaudithook(see)
"""
"""Notes in every Python, children included, which of the files are opened."""

QR = "00020101021127580012com.p2pqrpay0111ABCDPHMMXXX0208999644030417BSP-SAMPLE0987654"
RUNS = {
    "lab": [["--no-browser"]],
    "init": [["--no-check", "--base-url", "http://127.0.0.1:9"]],
    "doctor": [[]],
    "walkthrough": [["mx"]],
    "probe": [["--to", "probed.toml"], ["--write", "--yes", "--to", "probed.toml"]],
    "get": [["/v1/transfers"]],
    "post": [["/v1/quotes", "--yes", "--data", "{}"]],
    "list": [["/v1/transfers"]],
    "export": [["transfers", "--to", "all.csv"]],
    "sync": [["transfers", "all/"]],
    "payout": [["--template"], ["payouts.csv", "--dry-run"]],
    "reconcile": [["payouts.csv"]],
    "calls": [[]],
    "requests": [[]],
    "listen": [[]],
    "trigger": [["transfer.completed"]],
    "simulator": [["--", sys.executable, "-I", "-c", "pass"]],
    "openapi": [[]],
    "qr": [[QR], [QR, "--out", "code.png"]],
    "sign": [["GET", "https://pay.test/v1/transfers"]],
    "scrub": [["--check", "calls.har"]],
    "proxy": [["nowhere"]],
    "ready": [["--har", "calls.har"]],
    "site": [["--out", "out", "--notebooks", "nothing"]],
}
"""The arguments of each command; only JupyterLab does not end by itself."""
SEVERAL = """
import json, sys
from paylab.cli.main import main
def run(arguments):
    try:
        return main(arguments) or 0
    except SystemExit as end:
        return end.code or 0
statuses = [run(arguments) for arguments in json.loads(sys.argv[1])]
print()
print(json.dumps(statuses))
"""
"""Runs commands one after the other: what they import, they import at its first use."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of traps, as the current one; `log` beside it names those that ran."""
    here = tmp_path / "somebody"
    here.mkdir()
    (tmp_path / "log").touch()
    text = RUN.format(log=str(tmp_path / "log"))
    for name in MODULES:
        (here / f"{name}.py").write_text(text)
    for name, words in TEXTS.items():
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(words)
    (here / "payouts.csv").write_text("source_amount\n1\n")
    (here / "calls.har").write_text('{"log": {"entries": []}}')
    monkeypatch.chdir(here)
    return here


def noted(folder):
    """The lines that traps and spies have written."""
    return (folder.parent / "log").read_text().splitlines()


def run_lab(folder, environment):
    """Run the program in the folder, and interrupt JupyterLab once it is ready; its status."""
    pipes = {"stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT, "stdout": subprocess.PIPE}
    command = [PROGRAM, "lab", "--no-browser"]
    with subprocess.Popen(command, cwd=folder, env=environment, text=True, **pipes) as process:
        assert "ready in" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=100)
    return process.returncode


def run_commands(folder, environment, rows):
    """Run commands in the folder, in one process; their statuses."""
    command = [sys.executable, "-P", "-c", SEVERAL, json.dumps(rows)]
    pipes = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": 300}
    done = subprocess.run(command, cwd=folder, env=environment, check=False, **pipes)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_every_command_runs_and_reads_nothing_of_the_folder(folder, tmp_path):
    """No module runs, and no configuration is opened, by a command or by what it starts."""
    assert RUNS.keys() == {*COMMANDS}
    spy = tmp_path / "spy"
    spy.mkdir()
    traps = {*(f"{name}.py" for name in MODULES), *(Path(name).name for name in TEXTS)}
    words = SPY.format(log=str(tmp_path / "log"), traps=traps, folder=str(folder))
    (spy / "sitecustomize.py").write_text(words)
    environment = {**os.environ, "PYTHONPATH": str(spy), "JUPYTER_DATA_DIR": str(tmp_path / "data")}
    rows = [[name, *more] for name, runs in RUNS.items() for more in runs if name != "lab"]
    statuses = run_commands(folder, environment, rows)
    assert len(statuses) == len(rows)
    statuses.append(run_lab(folder, environment))
    assert noted(folder) == []
    assert {*statuses} <= {0, 1, 2, 130}, statuses
    assert (folder / "probed.toml").exists()


def test_the_spy_sees_what_is_read(folder, tmp_path):
    """A Python that looks for modules in the current folder is noticed, and one that reads."""
    words = SPY.format(log=str(tmp_path / "log"), traps={".env"}, folder=str(folder))
    (tmp_path / "sitecustomize.py").write_text(words)
    for path, code in ((".", "pass"), (str(tmp_path), "open('.env')"), ("", "import tomllib")):
        environment = {**os.environ, "PYTHONPATH": path}
        subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, check=False)
    names = [Path(line.split()[0]).name for line in noted(folder)]
    assert names[:1] == ["sitecustomize.py"]
    assert {".env", "tomllib.py"} <= {*names}


@pytest.mark.parametrize("path", ["", ".", ":", ":.", ".:{folder}/..", "../somebody"])
def test_a_decoder_runs_nothing_of_the_folder(folder, monkeypatch, path):
    """A preview is made, whatever relative folder PYTHONPATH has."""
    monkeypatch.setenv("PYTHONPATH", path.format(folder=folder))
    picture, reason = make_preview(specimen("selfie"), "image/jpeg")
    assert (picture[:2], reason) == (b"\xff\xd8", "")
    assert noted(folder) == []


def test_jupyterlab_runs_nothing_of_the_folder(folder, tmp_path):
    """With a relative PYTHONPATH only Python's own start of the command runs what is there."""
    (folder / "jupyterlab.py").unlink()
    for name in MODULES:
        if name not in ("sitecustomize", "usercustomize", "jupyterlab"):
            (folder / f"{name}.py").unlink()
    environment = {**os.environ, "PYTHONPATH": ":.", "JUPYTER_DATA_DIR": str(tmp_path / "data")}
    assert run_lab(folder, environment) == 0
    assert len({line.split()[1] for line in noted(folder)}) == 1


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("", None),
        (".", None),
        (":", None),
        ("lib", None),
        ("..", None),
        ("/opt/lib", "/opt/lib"),
        (":/opt/lib:.:/opt/more:", "/opt/lib:/opt/more"),
    ],
)
def test_relative_folders_are_left_out(given, kept):
    """An empty entry is the current folder; the other variables stay."""
    environment = python_environment({"PYTHONPATH": given, "HOME": "/home/ana"})
    assert environment == {"HOME": "/home/ana"} | ({"PYTHONPATH": kept} if kept else {})


@pytest.mark.parametrize(
    "arguments", [["-m", "paylab", "doctor"], ["-c", "help('paylab.testing')"]]
)
def test_what_the_pages_say_runs_nothing_of_the_folder(folder, arguments):
    """Python with -P runs the installed package, not what is in the current folder."""
    command = [sys.executable, "-P", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "paylab" in done.stdout
    assert noted(folder) == []


def test_no_page_says_to_import_from_the_current_folder():
    """`python -m paylab` has -P on every page; pydoc adds the current folder even with it."""
    root = Path(__file__).parent.parent.parent
    pages = [root / "README.md", root / ".github" / "CONTRIBUTING.md"]
    pages += [*root.glob("notebooks/*.ipynb"), *root.glob("paylab/**/*.py")]
    texts = {page: page.read_text() for page in pages}
    unsafe = ("python -m paylab", "python3 -m paylab", "-m pydoc")
    assert [page for page, text in texts.items() if any(each in text for each in unsafe)] == []
