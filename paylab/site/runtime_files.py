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
        file_names = [*CORE, *(lock_entry["file_name"] for lock_entry in self._packages.values())]
        for file_name in file_names:
            shutil.copy(self._folder / file_name, folder)
        return self._packages


def _read_lock(folder: Path) -> tuple[Packages, Packages]:
    """The facts of a runtime, and the packages of frames with all that they depend on.

    The packages are empty unless the folder has every one of them.
    """
    missing_file_names = [
        file_name for file_name in (*CORE, LOCK) if not (folder / file_name).is_file()
    ]
    if missing_file_names:
        raise ConfigError(
            f"{folder} has no {missing_file_names[0]}: --pyodide is the folder of the runtime, "
            "such as the package that `npm pack pyodide` makes"
        )
    lock_object = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    abi_version = lock_object["info"]["abi_version"]
    if f"_{abi_version}_" not in PLATFORM:
        raise ConfigError(
            f"the runtime in {folder} has ABI {abi_version}: the packages need {PLATFORM}"
        )
    frame_packages = _find_frame_packages(lock_object["packages"])
    are_all_whole = all(_is_whole(folder, lock_entry) for lock_entry in frame_packages.values())
    return lock_object["info"], frame_packages if are_all_whole else {}


def _find_frame_packages(all_packages: Packages) -> Packages:
    """The entries of the packages of frames, and of all packages that they depend on."""
    frame_packages: Packages = {}
    open_names = list(FRAMES)
    while open_names:
        package_name = open_names.pop()
        lock_entry = all_packages.get(package_name)
        if lock_entry is not None and package_name not in frame_packages:
            frame_packages[package_name] = lock_entry
            open_names += lock_entry["depends"]
    return frame_packages


def _is_whole(folder: Path, entry: Packages) -> bool:
    """Whether a folder has the file of an entry with its hash."""
    package_path = folder / str(entry["file_name"])
    if not package_path.is_file():
        return False
    return bool(sha256(package_path.read_bytes()).hexdigest() == entry["sha256"])


def _public_address() -> str:
    """The address from which the installed kernel loads its runtime by default."""
    with extra_imports():
        from jupyterlite_pyodide_kernel.constants import PYODIDE_CDN_URL
    return f"{PYODIDE_CDN_URL}/"
