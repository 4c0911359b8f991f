"""The runtime of a page: Pyodide, from a folder or from its public address."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors.base import ConfigError
from ..errors.extras import extra_imports
from .wheels import PLATFORM

CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
"""The files of the runtime itself."""

LOCK = "pyodide-lock.json"
FRAMES = ("pandas", "pyarrow", "duckdb")
"""The packages of frames, which only a whole distribution of the runtime has."""

Packages = dict[str, Any]
"""Entries of a lock file by name."""


class RuntimeFiles:
    """The runtime in a folder, which becomes part of the site; without one, its public address."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.address = "" if folder else _public_address()
        self._packages: Packages = {}
        self.info: Packages = {}
        if folder is not None:
            self.info, self._packages = _read_lock(folder)

    @property
    def url_in_page(self) -> str:
        """The address of the runtime, relative to what starts it."""
        return self.address or "./"

    @property
    def has_frames(self) -> bool:
        """Whether pages can load pandas."""
        return bool(self.address) or "pandas" in self._packages

    def copy(self, folder: Path) -> Packages:
        """Copy the runtime and its packages; return their entries of the lock file."""
        if self._folder is None:
            return {}
        file_names = [*CORE, *(entry["file_name"] for entry in self._packages.values())]
        for file_name in file_names:
            shutil.copy(self._folder / file_name, folder)
        return self._packages


def _read_lock(folder: Path) -> tuple[Packages, Packages]:
    """The facts of a runtime, and the packages of frames that its folder has."""
    missing_file_names = [
        file_name for file_name in (*CORE, LOCK) if not (folder / file_name).is_file()
    ]
    if missing_file_names:
        raise ConfigError(
            f"{folder} has no {missing_file_names[0]}: --pyodide is the folder of the runtime, "
            "such as the package that `npm pack pyodide` makes"
        )
    lock = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    abi = lock["info"]["abi_version"]
    if f"_{abi}_" not in PLATFORM:
        raise ConfigError(f"the runtime in {folder} has ABI {abi}: the packages need {PLATFORM}")
    wanted_packages: Packages = {}
    package_names = list(FRAMES)
    while package_names:
        package_name = package_names.pop()
        entry = lock["packages"].get(package_name)
        if entry is not None and package_name not in wanted_packages:
            wanted_packages[package_name] = entry
            package_names += entry["depends"]
    available_packages = {
        package_name: entry
        for package_name, entry in wanted_packages.items()
        if _is_whole(folder, entry)
    }
    return lock[
        "info"
    ], available_packages if available_packages.keys() == wanted_packages.keys() else {}


def _is_whole(folder: Path, entry: Packages) -> bool:
    """Whether a folder has the file of an entry with its hash."""
    path = folder / str(entry["file_name"])
    return path.is_file() and sha256(path.read_bytes()).hexdigest() == entry["sha256"]


def _public_address() -> str:
    """The address from which the installed kernel loads its runtime by default."""
    with extra_imports():
        from jupyterlite_pyodide_kernel.constants import PYODIDE_CDN_URL
    return f"{PYODIDE_CDN_URL}/"
