"""Open JupyterLab on the notebooks, with one simulator for all of them."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from ..client.settings import SHARED_VARIABLE, resolve
from ..lab.lab import SEEDED_TRANSFERS

FOLDER = "paylab-notebooks"
PACKAGE = Path(__file__).parent.parent
QUIET = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    }
}
"""Nothing is fetched from outside, so nobody need be asked whether it may be."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("notebook", nargs="?", help="the notebook to open first")
    parser.add_argument("--no-browser", action="store_true", help="print the address alone")
    parser.add_argument("--port", type=int, help="the port of JupyterLab")
    parser.add_argument(
        "--ledger", metavar="FILE", help="keep idempotency keys here; none: nowhere"
    )


def run(options: argparse.Namespace) -> int:
    """Start both, and stop both together."""
    folder = notebooks()
    first = _first(folder, options.notebook)
    with tempfile.TemporaryDirectory() as settings, _service(Path(settings)) as environment:
        (Path(settings) / "overrides.json").write_text(json.dumps(QUIET))
        command = [*_command(folder, first, options), f"--LabApp.app_settings_dir={settings}"]
        environment.update({"PAYLAB_LEDGER": options.ledger} if options.ledger else {})
        child = subprocess.Popen(command, env=environment)  # noqa: S603 - our own arguments
        # Ctrl-C reaches JupyterLab itself, which asks back; it is JupyterLab that ends us.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda *_: child.terminate())
        return child.wait()


def notebooks() -> Path:
    """The notebooks: those of this clone, or copies in the current folder; none is overwritten."""
    clone = PACKAGE.parent / "notebooks"
    if (PACKAGE.parent / "pyproject.toml").is_file() and clone.is_dir():
        return clone
    target = Path.cwd() / FOLDER
    target.mkdir(exist_ok=True)
    for source in sorted((PACKAGE / "notebooks").iterdir()):
        with suppress(FileExistsError), (target / source.name).open("xb") as copy:
            copy.write(source.read_bytes())
    return target


def _first(folder: Path, wanted: str | None) -> str:
    """The notebook to open, by its name or the beginning of it."""
    names = sorted(path.name for path in folder.glob("*.ipynb"))
    chosen = [name for name in names if wanted and name.startswith(Path(wanted).name)]
    if wanted and not chosen:
        raise FileNotFoundError(f"there is no notebook {wanted}; there is {', '.join(names)}")
    return (chosen or names)[0]


@contextmanager
def _service(folder: Path) -> Iterator[dict[str, str]]:
    """An environment that leads to a service: the configured one, or a simulator started here.

    The keys sent to a simulator are remembered as long as it lives, in `folder`, and not among
    those of real services.
    """
    if resolve() is not None:
        yield dict(os.environ)
        return
    from ..simulator.server import Server
    from ..simulator.simulator import Simulator, random_keys
    from .terminal import log_without_blocking

    log_without_blocking()
    simulator = Simulator(frozen=False, transfers=SEEDED_TRANSFERS, keys=random_keys())
    with closing(simulator), Server(simulator) as server:
        print(f"The simulator listens on {server.base_url}", file=sys.stderr)
        yield {
            "PAYLAB_LEDGER": str(folder / "ledger.sqlite3"),
            **os.environ,
            "PAYLAB_BASE_URL": server.base_url,
            "PAYLAB_API_KEY": simulator.api_key,
            "PAYLAB_SECRET_KEY": simulator.secret_key,
            SHARED_VARIABLE: server.base_url,
        }


def _command(folder: Path, first: str, options: argparse.Namespace) -> list[str]:
    command = [sys.executable, "-m", "jupyterlab"]
    command += [f"--ServerApp.root_dir={folder}", f"--LabApp.default_url=/lab/tree/{first}"]
    command += ["--LabApp.extension_manager=readonly", "--LabApp.news_url=None"]
    command += ["--LabApp.check_for_updates_class=" + _NEVER]
    command += ["--ServerApp.ip=127.0.0.1"]
    command += ["--no-browser"] if options.no_browser else []
    command += [f"--ServerApp.port={options.port}"] if options.port is not None else []
    # In a container everybody is root; the server listens on loopback and asks for a token.
    return [*command, "--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else command


_NEVER = "jupyterlab.handlers.announcements.NeverCheckForUpdate"
