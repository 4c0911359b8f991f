"""The wheels that a site stores: pinned by version and hash, and downloaded by pip."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from ..errors.base import PaylabError
from ..light_dataclass import light_dataclass

PINNED = Path(__file__).with_name("wheels.txt")
"""The pinned packages, as a requirements file of pip."""

PYTHON_VERSION = "3.14"
PLATFORM = "pyemscripten_2026_0_wasm32"
"""What the runtime runs, as names of wheels say it."""

PIN = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>\S+) --hash=sha256:(?P<sha256>[0-9a-f]{64})")


@light_dataclass(frozen=True)
class PinnedWheel:
    """A package of the site, its version and the hash of its wheel."""

    name: str
    version: str
    sha256: str


def read_pinned_wheels(path: Path = PINNED) -> list[PinnedWheel]:
    """The pinned wheels. ValueError for a line that pins nothing."""
    pinned_wheels = []
    for pin_line in path.read_text(encoding="utf-8").splitlines():
        if not pin_line or pin_line.startswith("#"):
            continue
        pin_match = PIN.fullmatch(pin_line)
        if pin_match is None:
            raise ValueError(f"{path.name} has a line that pins no wheel: {pin_line}")
        pinned_wheels.append(PinnedWheel(**pin_match.groupdict()))
    return pinned_wheels


def download_options(folder: Path) -> list[str]:
    """The arguments of pip that download the pinned wheels into a folder and check their hashes."""
    pip_options = ["download", "--no-deps", "--require-hashes", "--only-binary=:all:"]
    pip_options += ["--platform", PLATFORM, "--python-version", PYTHON_VERSION]
    pip_options += ["--implementation", "cp", "--disable-pip-version-check", "--quiet"]
    return [*pip_options, "--dest", str(folder), "--requirement", str(PINNED)]


def check_wheels(wheels: Iterable[Path]) -> None:
    """PaylabError unless the wheels are exactly those that are pinned."""
    wheel_digests = {sha256(wheel_path.read_bytes()).hexdigest() for wheel_path in wheels}
    missing_names = [
        pinned_wheel.name
        for pinned_wheel in read_pinned_wheels()
        if pinned_wheel.sha256 not in wheel_digests
    ]
    if missing_names:
        raise PaylabError(f"these pinned wheels were not downloaded: {', '.join(missing_names)}")


def lock_entry(wheel: Path) -> dict[str, Any]:
    """The entry of a wheel in the runtime's lock file."""
    package_name, version = wheel.name.split("-")[:2]
    return {
        "name": package_name.replace("_", "-").lower(),
        "version": version,
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": _imported_names(wheel),
        "depends": [],
        "unvendored_tests": False,
    }


def _imported_names(wheel: Path) -> list[str]:
    """The modules and packages at the top of a wheel."""
    with ZipFile(wheel) as wheel_file:
        top_names = {member.partition("/")[0] for member in wheel_file.namelist()}
    module_names = {top_name.removesuffix(".py") for top_name in top_names}
    return sorted(module_name for module_name in module_names if module_name.isidentifier())
