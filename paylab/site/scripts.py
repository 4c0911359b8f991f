"""The scripts of the notebooks: compressed files, which a page decompresses itself.

A plain file server compresses nothing, so that its visitors would load four times as much.
"""

from __future__ import annotations

import gzip
from pathlib import Path

FIRST = [Path(__file__).with_name(name) for name in ("kernel.js", "scripts.js")]
"""The scripts inside a page: they start Python, and decompress the others."""
FOLDERS = ("build", "extensions")
"""The folders of a site that have the scripts of its pages."""
WORKER = ".worker."
"""What the name of a script says that no page loads: it is the program of a worker."""

FAST = 6
"""The level of compression: the highest one takes three times as long for one per cent less."""


def compress_scripts(site: Path) -> None:
    """Replace the scripts of a site's pages with compressed ones."""
    script_paths = [path for folder in FOLDERS for path in (site / folder).rglob("*.js")]
    for script_path in script_paths:
        if WORKER in script_path.name:
            continue
        # Without the time, so that the same site has the same bytes.
        compressed_bytes = gzip.compress(script_path.read_bytes(), FAST, mtime=0)
        script_path.with_name(f"{script_path.name}.bin").write_bytes(compressed_bytes)
        script_path.unlink()


def add_first_scripts(page: str) -> str:
    """A page of JupyterLite with the scripts that run before its own.

    The link that would load its first script in advance is disabled: that script is compressed.
    """
    scripts_html = "".join(
        f"\n    <script>\n{script_path.read_text(encoding='utf-8')}</script>"
        for script_path in FIRST
    )
    page = page.replace("<head>", f"<head>{scripts_html}", 1)
    return page.replace('rel="preload"', 'rel="first-script"', 1)
