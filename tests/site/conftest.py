"""One site for all tests that look at it, built from what npm and pip download."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

PYODIDE = "pyodide@314.0.6"
CACHE = Path.home() / ".cache" / "paylab-tests"
"""Outside of the repository, and kept from one run to the next."""

NEEDED = ("node", "npm")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PREFIX = "/some/where"


def miss(reason):
    """Skip a test without its tools; on CI they must be there."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)


@pytest.fixture(scope="session")
def pyodide():
    """The runtime from npm, which needs Node and npm."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        miss(f"{missing[0]} is not installed")
    folder = CACHE / PYODIDE
    if not (folder / "package" / "pyodide.mjs").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "pack", "--silent", PYODIDE]
        try:
            subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=True)
        except (OSError, subprocess.SubprocessError):
            miss(f"{PYODIDE} cannot be had from npm")
        with tarfile.open(next(folder.glob("*.tgz"))) as archive:
            archive.extractall(folder, filter="data")
    return folder / "package"


@pytest.fixture(scope="session")
def site(pyodide, tmp_path_factory):
    """The folder of a site that has all lessons and the runtime."""
    out = tmp_path_factory.mktemp("host") / PREFIX.strip("/")
    command = [sys.executable, "-m", "paylab", "site", "--out", str(out)]
    built = subprocess.run(
        [*command, "--pyodide", str(pyodide)],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert built.returncode == 0, built.stderr
    return out


class Handler(SimpleHTTPRequestHandler):
    """A plain file server that records nothing."""

    def log_message(self, *_):
        """Print nothing."""


@pytest.fixture(scope="session")
def host(site):
    """The address of the site on a plain file server, below a path."""
    root = site.parents[len(Path(PREFIX).parts) - 2]
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=root))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}{PREFIX}/"
    server.shutdown()


@pytest.fixture(scope="session")
def chromium():
    """The browser."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        miss(f"no browser is installed: looked for {', '.join(BROWSERS)}")
    return path
