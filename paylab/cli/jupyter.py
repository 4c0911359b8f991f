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
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import IO, Any
from urllib.parse import quote

from .. import files, runtime
from ..errors.base import ConfigError, PaylabError
from ..errors.extras import extra_imports, require_extra
from ..processes.interpreter import python_command
from ..site.lessons import notebooks_folder
from .log_lines import log_without_blocking
from .service import FACTS, exports, service_for, variables
from .terminal import port, say, warn_user

EXAMPLE = "paylab lab 20"
FOLDER = "paylab-notebooks"
RECORD = ".paylab.json"
"""File with the SHA-256 of each copied notebook, to detect the ones you changed.

It may be somebody else's, so that it decides only which copies are updated.
"""

RECORD_BYTES_MAX = 2**20
COPY_BYTES_MAX = 2**26
"""Maximum bytes of that file and of a copy; a larger file of somebody could fill the memory."""

IRI_GRAMMARS = "rfc3987_syntax"
"""A module that jsonschema takes seconds to import, to check IRIs; no schema of Jupyter has any."""

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
    folder, changed_notebooks = copy_notebooks()
    first_path = quote(notebook_path(folder, options.notebook))
    if changed_notebooks:
        warn_user(
            f"you changed {', '.join(changed_notebooks)}: not updated; rename it to get the new one"
        )
    with (
        tempfile.TemporaryDirectory() as runtime_folder,
        _kernel_environment(options) as environment,
    ):
        settings_folder = Path(runtime_folder)
        trust_copies(folder)
        (settings_folder / "overrides.json").write_text(json.dumps(OVERRIDES))
        command = [
            *_jupyter_command(folder, first_path, options),
            f"--LabApp.app_settings_dir={settings_folder}",
        ]
        environment.setdefault("JUPYTER_TOKEN", token_hex(24))
        for variable_name in JUPYTER_FOLDERS & environment.keys():  # relative to this folder
            environment[variable_name] = str(Path(environment[variable_name]).resolve())
        with (settings_folder / "jupyter.log").open("w+") as log:
            child = runtime.start_process(
                command,
                env=environment,
                # In a new folder, since Jupyter would run programs and modules of the current one.
                cwd=settings_folder,
                # Ctrl-C ends JupyterLab from here: JupyterLab itself would ask for confirmation.
                start_new_session=True,
                stdout=None if options.verbose else log,
                stderr=None if options.verbose else subprocess.STDOUT,
            )
            return _wait_until_stopped(child, first_path, started_at, log)


def _wait_until_stopped(
    child: subprocess.Popen[bytes], first_path: str, started_at: float, log: IO[str]
) -> int:
    """Print JupyterLab's address, and wait until it ends or a signal ends it.

    If it does not start, the end of its log is printed.
    """
    hangup = getattr(signal, "SIGHUP", signal.SIGTERM)  # Windows has no SIGHUP
    for signal_number in (signal.SIGINT, signal.SIGTERM, hangup):
        signal.signal(signal_number, lambda *_: runtime.end_process(child))
    try:
        server = _wait_for_start(child, started_at)
    except PaylabError:
        log.seek(0)
        warn_user("".join(log.readlines()[-LOG_LINES_SHOWN:]).rstrip())
        raise
    if server is not None:
        query_text = f"?token={server['token']}" if server["token"] else ""
        ready_text = f"ready in {time.monotonic() - started_at:.1f} s"
        say(f"{server['url']}{first_path}{query_text}  ({ready_text}; stop it with Ctrl-C)")
    return 0 if child.wait() <= 0 else 1


def _wait_for_start(child: subprocess.Popen[bytes], started_at: float) -> dict[str, Any] | None:
    """Jupyter's address and token once it accepts connections; None if it was stopped before."""
    from jupyter_core.paths import jupyter_runtime_dir

    server_record = Path(jupyter_runtime_dir()) / f"jpserver-{child.pid}.json"
    while time.monotonic() < started_at + START_SECONDS:
        status = child.poll()
        if status is not None and status <= 0:
            return None
        if status is not None:
            raise PaylabError("JupyterLab did not start: see the lines above")
        with suppress(OSError, ValueError):
            server: dict[str, Any] = json.loads(server_record.read_text())
            if not server["token"] and not server["password"]:
                child.terminate()
                raise PaylabError(
                    "your Jupyter configuration turns authentication off: remove its empty token"
                )
            runtime.check_listening("127.0.0.1", server["port"], seconds=5)
            return server
        time.sleep(0.05)
    child.terminate()
    raise PaylabError(f"JupyterLab did not answer within {START_SECONDS:.0f} s")


def copy_notebooks() -> tuple[Path, list[str]]:
    """Copy or update the notebooks; return their folder, and the names of those you changed.

    A notebook that you changed is not updated.
    """
    current_folder = Path.cwd()
    notebook_folder = current_folder if current_folder.name == FOLDER else current_folder / FOLDER
    notebook_folder.mkdir(exist_ok=True)
    packaged_notebooks = _packaged_notebooks()
    digest_by_name = {
        notebook_name: digest
        for notebook_name, digest in _read_record(notebook_folder).items()
        if notebook_name in packaged_notebooks
    }
    changed_names = []
    for notebook_name, content in packaged_notebooks.items():
        copied_digest = digest_by_name.get(notebook_name)
        digest = sha256(content).hexdigest()
        copy = notebook_folder / notebook_name
        is_up_to_date = copied_digest == digest and copy.is_file()
        if is_up_to_date:
            continue
        if not _may_replace(copy, (copied_digest, digest)):
            changed_names.append(notebook_name)
            continue
        with files.replace(copy) as sink:
            sink.write(content)
        digest_by_name[notebook_name] = digest
    if (notebook_folder / RECORD).is_symlink():  # a file that it leads to is not ours to replace
        (notebook_folder / RECORD).unlink()
    with files.replace(notebook_folder / RECORD) as sink:
        sink.write(json.dumps(digest_by_name, indent=1).encode())
    return notebook_folder, changed_names


def _may_replace(copy: Path, our_digests: Collection[str | None]) -> bool:
    """Whether there is no copy, or one whose SHA-256 is that of a notebook of ours.

    A link, a pipe, and a file that is larger than any notebook of ours are somebody else's.
    """
    if copy.is_symlink():
        return False
    if not copy.exists():
        return True
    if not copy.is_file():
        return False
    is_large = copy.stat().st_size > COPY_BYTES_MAX
    return not is_large and sha256(copy.read_bytes()).hexdigest() in our_digests


def trust_copies(folder: Path) -> None:
    """Sign the unchanged copies for this user's Jupyter, which then shows their saved styles."""
    sys.modules.setdefault(IRI_GRAMMARS, None)  # type: ignore[arg-type]
    with suppress(OSError):  # without a writable home the copies are shown without styles
        with extra_imports():
            from jupyter_core.paths import jupyter_data_dir
            from nbformat import NO_CONVERT, reads
            from nbformat.sign import NotebookNotary

        data_folder = Path(jupyter_data_dir())
        data_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Without a folder, a notary would run the configuration of Jupyter in this process.
        notary: Any = NotebookNotary(data_dir=str(data_folder))  # type: ignore[no-untyped-call]
        for notebook_bytes in find_unchanged(folder).values():
            notebook = reads(notebook_bytes.decode(), NO_CONVERT)  # type: ignore[no-untyped-call]
            notary.sign(notebook)
        notary.store.close()


def find_unchanged(folder: Path) -> dict[str, bytes]:
    """The notebooks in a folder whose bytes are those of the package, by name."""
    return {
        notebook_name: notebook_bytes
        for notebook_name, notebook_bytes in _packaged_notebooks().items()
        if _has_content(folder / notebook_name, notebook_bytes)
    }


def _has_content(path: Path, notebook_bytes: bytes) -> bool:
    """Whether a file has this content; a file of another size is not read."""
    has_same_size = path.is_file() and path.stat().st_size == len(notebook_bytes)
    return has_same_size and path.read_bytes() == notebook_bytes


def _packaged_notebooks() -> dict[str, bytes]:
    """The notebooks of the package, by name."""
    return {path.name: path.read_bytes() for path in sorted(notebooks_folder().glob("*.ipynb"))}


def _read_record(target: Path) -> dict[str, str]:
    """The SHA-256 of each copied notebook by its name; empty if they cannot be read."""
    record_path = target / RECORD
    try:
        is_readable = record_path.is_file() and record_path.stat().st_size <= RECORD_BYTES_MAX
        digests = json.loads(record_path.read_bytes()) if is_readable else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return dict(digests) if isinstance(digests, dict) else {}


def notebook_path(folder: Path, requested_name: str | None) -> str:
    """The path in JupyterLab of a notebook, by its name or the start of its name.

    Without a name it is the first unchanged notebook, or the folder if there is none. If several
    names have the same start, an unchanged notebook is first, then a changed copy, then any other.
    """
    unchanged_names = find_unchanged(folder)
    if not requested_name:
        return f"lab/tree/{min(unchanged_names)}" if unchanged_names else "lab"
    names_in_folder = sorted(path.name for path in folder.glob("*.ipynb"))
    copied_names = [name for name in _packaged_notebooks() if name in names_in_folder]
    ordered_names = dict.fromkeys([*unchanged_names, *copied_names, *names_in_folder])
    name_start = Path(requested_name).name
    fitting_names = [name for name in ordered_names if name.startswith(name_start)]
    if not fitting_names:
        raise FileNotFoundError(
            f"there is no notebook {requested_name}: choose one of {', '.join(ordered_names)}"
        )
    return f"lab/tree/{name_start if name_start in fitting_names else fitting_names[0]}"


@contextmanager
def _kernel_environment(options: argparse.Namespace) -> Iterator[dict[str, str]]:
    """The environment of the kernels; with --shared, start a simulator and add its settings."""
    environment = dict(os.environ)
    if options.service is not None:
        service_for(options.service)  # an unreadable file ends the command, not each kernel
        environment["PAYLAB_SERVICE"] = str(Path(options.service).expanduser().resolve())
    if not options.shared:
        yield environment
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
    keys = random_keys(service.signing.key_encoding)
    simulator = Simulator(frozen=False, transfers=SEEDED_TRANSFERS, keys=keys, service=service)
    with closing(simulator), Server(simulator) as server:
        say(exports(server))
        yield {
            **environment,
            **variables(server, FACTS[:3]),
            SHARED_VARIABLE: server.base_url,
        }


def _jupyter_command(folder: Path, first_path: str, options: argparse.Namespace) -> list[str]:
    """Jupyter's command line: on loopback only, without news, update checks and extensions."""
    announcements = "jupyterlab.handlers.announcements"
    command = [*python_command("-c", JUPYTERLAB), "--ServerApp.ip=127.0.0.1"]
    command += [f"--ServerApp.root_dir={folder}", f"--LabApp.default_url=/{first_path}"]
    command += ["--LabApp.extension_manager=readonly", "--LabApp.news_url=None"]
    command += [f"--LabApp.check_for_updates_class={announcements}.NeverCheckForUpdate"]
    command += ["--no-browser"] if options.no_browser else []
    if options.port is not None:
        command += [f"--ServerApp.port={options.port}", "--ServerApp.port_retries=0"]
    # Allowed as root, as in containers: the server listens on loopback and requires a token.
    return [*command, "--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else command
