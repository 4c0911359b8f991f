"""The wheel of paylab that a site stores, made from the installed package or a clone."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import paylab

PACKAGE = Path(paylab.__file__).parent
TAG = "py3-none-any"
SUFFIXES = {".py", ".js", ".css", ".html", ".mjs", ".txt", ".typed"}
"""What a package is made of; all else in its folder is of caches and editors."""

EXCLUDED_FOLDERS = {"__pycache__", "notebooks"}
WHEEL_TIME = (2020, 2, 2, 0, 0, 0)
"""The time of every file, so that equal sources make equal wheels."""


def write_own_wheel(folder: Path) -> Path:
    """Write paylab's wheel into a folder; equal sources make equal bytes."""
    wheel_name = f"paylab-{paylab.__version__}"
    path = folder / f"{wheel_name}-{TAG}.whl"
    information = f"{wheel_name}.dist-info"
    record_lines = []
    with ZipFile(path, "w", ZIP_DEFLATED) as wheel:
        for member, content in _list_members(information):
            wheel.writestr(_make_entry(member), content)
            digest = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
            record_lines.append(f"{member},sha256={digest},{len(content)}\n")
        record_lines.append(f"{information}/RECORD,,\n")
        wheel.writestr(_make_entry(f"{information}/RECORD"), "".join(record_lines))
    return path


def _list_members(information: str) -> Iterator[tuple[str, bytes]]:
    """The files of the wheel except its record: their names and contents."""
    for path in sorted(PACKAGE.rglob("*")):
        relative_path = path.relative_to(PACKAGE.parent)
        if path.suffix in SUFFIXES and not EXCLUDED_FOLDERS & {*relative_path.parts}:
            yield relative_path.as_posix(), path.read_bytes()
    metadata = f"Metadata-Version: 2.1\nName: paylab\nVersion: {paylab.__version__}\n"
    yield f"{information}/METADATA", metadata.encode()
    wheel = f"Wheel-Version: 1.0\nGenerator: paylab\nRoot-Is-Purelib: true\nTag: {TAG}\n"
    yield f"{information}/WHEEL", wheel.encode()


def _make_entry(member: str) -> ZipInfo:
    entry = ZipInfo(member, WHEEL_TIME)
    entry.compress_type = ZIP_DEFLATED
    return entry
