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
    wheel_path = folder / f"{wheel_name}-{TAG}.whl"
    info_folder = f"{wheel_name}.dist-info"
    record_lines = []
    with ZipFile(wheel_path, "w", ZIP_DEFLATED) as wheel_file:
        for member_path, content in _list_members(info_folder):
            wheel_file.writestr(_make_entry(member_path), content)
            digest_text = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
            record_lines.append(f"{member_path},sha256={digest_text},{len(content)}\n")
        record_lines.append(f"{info_folder}/RECORD,,\n")
        wheel_file.writestr(_make_entry(f"{info_folder}/RECORD"), "".join(record_lines))
    return wheel_path


def _list_members(info_folder: str) -> Iterator[tuple[str, bytes]]:
    """Yield (path in the wheel, content) of each file except the record of the wheel."""
    for path in sorted(PACKAGE.rglob("*")):
        relative_path = path.relative_to(PACKAGE.parent)
        if path.suffix in SUFFIXES and not EXCLUDED_FOLDERS & {*relative_path.parts}:
            yield relative_path.as_posix(), path.read_bytes()
    metadata_text = f"Metadata-Version: 2.1\nName: paylab\nVersion: {paylab.__version__}\n"
    yield f"{info_folder}/METADATA", metadata_text.encode()
    wheel_text = f"Wheel-Version: 1.0\nGenerator: paylab\nRoot-Is-Purelib: true\nTag: {TAG}\n"
    yield f"{info_folder}/WHEEL", wheel_text.encode()


def _make_entry(member_path: str) -> ZipInfo:
    """The entry of a file in the wheel: compressed, with the time of all files."""
    zip_entry = ZipInfo(member_path, WHEEL_TIME)
    zip_entry.compress_type = ZIP_DEFLATED
    return zip_entry
