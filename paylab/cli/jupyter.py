"""Open JupyterLab on a copy of the notebooks, each with its own simulator.

The copy is `./paylab-notebooks`. A notebook that you changed is never overwritten; the others are
updated with paylab. Only notebooks that are as in the package are opened by default and trusted,
since a folder may come from somebody else. Every notebook has its own embedded simulator, unless a
service is configured or --shared starts one simulator, on real time, for all notebooks and
terminals.

Remove relative and empty entries from PYTHONPATH before you start paylab or a notebook in a folder
of somebody else: with them Python itself runs modules of that folder, before any code of paylab.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO, Any
from urllib.parse import quote

from .. import runtime
from ..errors.base import ConfigError, PaylabError
from ..errors.extras import require_extra
from ..processes.interpreter import python_command
from ..spec.text import JsonObject
from .log_lines import log_without_blocking
from .notebook_copies import (
    IRI_GRAMMARS,
    copy_notebooks,
    notebook_path,
    require_notebook,
    trust_copies,
)
from .service import FACTS, exports, service_for, variables
from .terminal import port, say, warn_user

EXAMPLE = "paylab lab 20"
JUPYTERLAB = f"""
import sys
sys.modules[{IRI_GRAMMARS!r}] = None
from jupyterlab.labapp import main
sys.exit(main())
"""

JUPYTER_FOLDERS = {"JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"}
START_SECONDS = 180.0
LOG_LINES_SHOWN = 15
OVERRIDES = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    }
}
"""Settings that disable JupyterLab's news and the question about them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "notebook",
        nargs="?",
        help="the notebook to open, or the start of its name (default: the first unchanged one)",
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--port", type=port, help="port of JupyterLab (default: 8888 or the next)")
    parser.add_argument(
        "--shared",
        action="store_true",
        help="start one simulator on real time for all notebooks and terminals",
    )
    parser.add_argument("--verbose", action="store_true", help="show what Jupyter logs")
    parser.add_argument(
        "--service",
        metavar="FILE",
        help="follow the assumptions in this service.toml (default: see PAYLAB_SERVICE)",
    )


def run(options: argparse.Namespace) -> int:
    """Start JupyterLab, print its address, and stop it on Ctrl-C."""
    started_at = time.monotonic()
    runtime.require_sockets("paylab lab")
    require_extra("lab")
    require_notebook(options.notebook)
    folder, changed_names = copy_notebooks()
    first_path = quote(notebook_path(folder, options.notebook))
    if changed_names:
        warn_user(
            f"you changed {', '.join(changed_names)}: not updated; rename it to get the new one"
        )
    with (
        tempfile.TemporaryDirectory() as folder_name,
        _kernel_environment(options) as value_by_variable,
    ):
        settings_folder = Path(folder_name)
        trust_copies(folder)
        (settings_folder / "overrides.json").write_text(json.dumps(OVERRIDES))
        command_line = [
            *_jupyter_command(folder, first_path, options),
            f"--LabApp.app_settings_dir={settings_folder}",
        ]
        value_by_variable.setdefault("JUPYTER_TOKEN", token_hex(24))
        for variable_name in JUPYTER_FOLDERS & value_by_variable.keys():  # relative to this folder
            value_by_variable[variable_name] = str(Path(value_by_variable[variable_name]).resolve())
        with (settings_folder / "jupyter.log").open("w+") as log_file:
            jupyter_process = runtime.start_process(
                command_line,
                env=value_by_variable,
                # In a new folder, since Jupyter would run programs and modules of the current one.
                cwd=settings_folder,
                # Ctrl-C ends JupyterLab from here: JupyterLab itself would ask for confirmation.
                start_new_session=True,
                stdout=None if options.verbose else log_file,
                stderr=None if options.verbose else subprocess.STDOUT,
            )
            return _wait_until_stopped(jupyter_process, first_path, started_at, log_file)


def _wait_until_stopped(
    child: subprocess.Popen[bytes], first_path: str, started_at: float, log: IO[str]
) -> int:
    """Print JupyterLab's address, and wait until it ends or a signal ends it.

    If it does not start, the end of its log is printed.
    """
    hangup_signal = getattr(signal, "SIGHUP", signal.SIGTERM)  # Windows has no SIGHUP
    for signal_number in (signal.SIGINT, signal.SIGTERM, hangup_signal):
        signal.signal(signal_number, lambda *_: runtime.end_process(child))
    try:
        server_facts = _wait_for_start(child, started_at)
    except PaylabError:
        log.seek(0)
        warn_user("".join(log.readlines()[-LOG_LINES_SHOWN:]).rstrip())
        raise
    if server_facts is not None:
        query_text = f"?token={server_facts['token']}" if server_facts["token"] else ""
        ready_text = f"ready in {time.monotonic() - started_at:.1f} s"
        say(f"{server_facts['url']}{first_path}{query_text}  ({ready_text}; stop it with Ctrl-C)")
    return 0 if child.wait() <= 0 else 1


def _wait_for_start(child: subprocess.Popen[bytes], started_at: float) -> dict[str, Any] | None:
    """Jupyter's address and token once it accepts connections; None if it was stopped before."""
    from jupyter_core.paths import jupyter_runtime_dir

    record_path = Path(jupyter_runtime_dir()) / f"jpserver-{child.pid}.json"
    while time.monotonic() < started_at + START_SECONDS:
        exit_status = child.poll()
        if exit_status is not None and exit_status <= 0:  # below 0: ended by a signal
            return None
        if exit_status is not None:
            raise PaylabError("JupyterLab did not start: see the lines above")
        with suppress(OSError, ValueError):
            server_facts: JsonObject = json.loads(record_path.read_bytes())
            if not server_facts["token"] and not server_facts["password"]:
                child.terminate()
                raise PaylabError(
                    "your Jupyter configuration turns authentication off: remove its empty token"
                )
            runtime.check_listening("127.0.0.1", server_facts["port"], seconds=5)
            return server_facts
        time.sleep(0.05)
    child.terminate()
    raise PaylabError(f"JupyterLab did not answer within {START_SECONDS:.0f} s")


@contextmanager
def _kernel_environment(options: argparse.Namespace) -> Iterator[dict[str, str]]:
    """The environment of the kernels; with --shared, start a simulator and add its settings."""
    value_by_variable = dict(os.environ)
    if options.service is not None:
        service_for(options.service)  # an unreadable file ends the command, not each kernel
        value_by_variable["PAYLAB_SERVICE"] = str(Path(options.service).expanduser().resolve())
    if not options.shared:
        yield value_by_variable
        return
    from ..client.settings import SHARED_VARIABLE, resolve
    from ..lab.parts import SEEDED_TRANSFERS
    from ..simulator.credentials import random_keys
    from ..simulator.server import Server
    from ..simulator.simulator import Simulator

    if resolve() is not None:
        raise ConfigError(
            "--shared starts a simulator, but a service is configured: unset PAYLAB_BASE_URL and"
            " PAYLAB_PROFILE, or omit --shared"
        )
    log_without_blocking()
    service = service_for(options.service)
    key_pair = random_keys(service.signing.key_encoding)
    simulator = Simulator(frozen=False, transfers=SEEDED_TRANSFERS, keys=key_pair, service=service)
    with closing(simulator), Server(simulator) as server:
        say(exports(server))
        yield {
            **value_by_variable,
            **variables(server, FACTS[:3]),
            SHARED_VARIABLE: server.base_url,
        }


def _jupyter_command(folder: Path, first_path: str, options: argparse.Namespace) -> list[str]:
    """Jupyter's command line: on loopback only, without news, update checks and extensions."""
    announcements_module = "jupyterlab.handlers.announcements"
    command_line = [*python_command("-c", JUPYTERLAB), "--ServerApp.ip=127.0.0.1"]
    command_line += [f"--ServerApp.root_dir={folder}", f"--LabApp.default_url=/{first_path}"]
    command_line += ["--LabApp.extension_manager=readonly", "--LabApp.news_url=None"]
    command_line += [f"--LabApp.check_for_updates_class={announcements_module}.NeverCheckForUpdate"]
    command_line += ["--no-browser"] if options.no_browser else []
    if options.port is not None:
        command_line += [f"--ServerApp.port={options.port}", "--ServerApp.port_retries=0"]
    # Allowed as root, as in containers: the server listens on loopback and requires a token.
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*command_line, "--allow-root"] if is_root else command_line
