"""Pin the packages of a page anew: `python tests/site/pin.py`.

Downloads the newest wheel of each pinned package, and writes its version and hash.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from paylab.site.wheels import PINNED, download_options, read_pinned_wheels


def main() -> int:
    """Write `paylab/site/wheels.txt` with the newest versions."""
    comments = [line for line in PINNED.read_text().splitlines() if line.startswith("#")]
    with tempfile.TemporaryDirectory() as folder:
        options = download_options(Path(folder))
        options = options[: options.index("--requirement")]
        options.remove("--require-hashes")
        names = [wheel.name for wheel in read_pinned_wheels()]
        subprocess.run([sys.executable, "-m", "pip", *options, *names], check=True)
        pins = [_pin(path) for path in sorted(Path(folder).glob("*.whl"))]
    PINNED.write_text("\n".join([*comments, *pins]) + "\n")
    print(f"{PINNED}: {len(pins)} packages")
    return 0


def _pin(wheel: Path) -> str:
    name, version = wheel.name.split("-")[:2]
    digest = sha256(wheel.read_bytes()).hexdigest()
    return f"{name.replace('_', '-').lower()}=={version} --hash=sha256:{digest}"


if __name__ == "__main__":
    sys.exit(main())
