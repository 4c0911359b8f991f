"""Execute notebooks and store their outputs: `python tests/notebooks/store.py NOTEBOOK...`.

Each runs in a new kernel in its own folder, on an embedded simulator. Messages of `print` are
joined; no widget state and no times of execution are stored. A cell that shows the same keeps
its stored outputs, so that the ids of its widgets are no change.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from os import environ
from pathlib import Path

import nbformat
from nbclient import NotebookClient

TIMEOUT = 120
"""Seconds that one cell may take."""


def execute(path: Path, environment: Mapping[str, str]) -> nbformat.NotebookNode:
    """The notebook with the outputs of a new kernel; an error in a cell is raised."""
    notebook, before = nbformat.read(path, 4), nbformat.read(path, 4)
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.coalesce_streams = True  # where print's text is split into messages is chance
    client.store_widget_state = False
    client.execute(env=dict(environment))
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}  # without the version of this Python
    for cell, stored in zip(notebook.cells, before.cells, strict=True):
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code" and without_ids(cell) == without_ids(stored):
            cell.outputs = stored.outputs
    return notebook


def without_ids(cell: nbformat.NotebookNode) -> str:
    """The outputs of a cell without the ids of widgets, which differ in every kernel."""
    return re.sub(r'"model_id": "\w+"', "", json.dumps(cell.outputs, sort_keys=True))


def settings(folder: str) -> dict[str, str]:
    """The environment of the kernels: no service of yours, and empty folders."""
    other = {name: value for name, value in environ.items() if not name.startswith("PAYLAB_")}
    own = {f"XDG_{name}_HOME": folder for name in ("CACHE", "CONFIG", "DATA")}
    return {**other, **own}


def main(names: Sequence[str]) -> int:
    """Execute and store each notebook; return 2 without one."""
    if not names:
        print(__doc__, file=sys.stderr)
        return 2
    for path in map(Path, names):
        with tempfile.TemporaryDirectory() as folder:
            notebook = execute(path, settings(folder))
        nbformat.write(notebook, path)
        print(f"{path}: stored")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
