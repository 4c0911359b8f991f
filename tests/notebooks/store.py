"""Execute notebooks and store their outputs: `python tests/notebooks/store.py NOTEBOOK...`.

Each runs in a new kernel in its own folder, on an embedded simulator. Messages of `print` are
joined; no widgets, whose state is in no notebook, and no times of execution are stored: an output
with the id of a widget would be an error in the console of a browser until the cell is run.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from os import environ
from pathlib import Path

import nbformat
from nbclient import NotebookClient

WIDGET = "application/vnd.jupyter.widget-view+json"
TIMEOUT = 120
"""Seconds that one cell may take."""


def execute(path: Path, environment: Mapping[str, str]) -> nbformat.NotebookNode:
    """The notebook with the outputs of a new kernel; an error in a cell is raised."""
    notebook = nbformat.read(path, 4)
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
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [
                output for output in cell.outputs if WIDGET not in output.get("data", ())
            ]
    return notebook


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
