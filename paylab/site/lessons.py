"""The notebooks of paylab: their files, which of them run in a page, and their form there."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import paylab

from ..errors.base import ConfigError
from ..spec.text import JsonMapping
from .page import JsonObject, Outputs, digest

PACKAGE = Path(paylab.__file__).parent
KERNEL = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}


class Lesson(NamedTuple):
    """A notebook as a card of the index."""

    shows: str
    minutes: int


LESSONS: Mapping[str, Lesson] = {
    "00_start_here": Lesson("An on-ramp with its QR code, a first signature, two errors.", 10),
    "10_mx_onramp": Lesson("A Mexican individual, a CLABE, a deposit and its conversion.", 10),
    "20_ph_onramp": Lesson("A Philippine individual, a QR Ph code and its conversion.", 10),
    "30_transfers_to_csv": Lesson("Every page of transfers as an exact frame and a CSV.", 15),
    "40_payouts": Lesson("Quotes, one payment by each rail, a batch with invalid rows.", 15),
    "45_offramp": Lesson("A success, a missing wallet, a failed payout, funding.", 10),
    "50_webhooks": Lesson("An inbox that fills by itself, and a reconciliation with books.", 15),
    "60_signing_and_failures": Lesson("A signature step by step, mistakes, a lost answer.", 20),
    "70_your_service": Lesson("Find its settings; record and replay its answers.", 10),
    "80_reference": Lesson("Corridors, assumptions, simulated outcomes, figures.", 5),
}
"""The notebooks that run in a page."""

NOT_IN_PAGE: Mapping[str, str] = {
    "55_your_backend": "It starts a server, and a page cannot listen on a port.",
    "90_your_tests": "It starts pytest, and a page cannot start a process.",
}
"""The notebooks that do not, and why."""
_LINK = re.compile(r"\[(\w+)\]\(\1\.ipynb\)")
"""A link to a notebook."""

WELCOME = """\
> **This page runs Python in your browser, on a simulator of the service.** Choose *Run ▸ Run All
> Cells*, or press Shift+Enter cell by cell. Nothing you enter is sent anywhere. A notebook that you
> save stays, with its outputs, in the storage of this browser, which every page of this address can
> read: enter nothing real.{frames}
"""
WIDGET = "application/vnd.jupyter.widget-view+json"
NO_FRAMES = " Cells that need pandas show their saved outputs."


def notebooks_folder() -> Path:
    """The folder of the notebooks in a clone or in the installed package."""
    clone_notebooks = PACKAGE.parent / "notebooks"
    is_in_clone = (PACKAGE.parent / "pyproject.toml").is_file() and clone_notebooks.is_dir()
    return clone_notebooks if is_in_clone else PACKAGE / "notebooks"


def choose_lessons(names: Sequence[str]) -> list[Path]:
    """The notebooks with these names or starts of names; without names all that run in a page."""
    path_by_stem = {path.stem: path for path in sorted(notebooks_folder().glob("*.ipynb"))}
    name_starts = [lesson_name.removesuffix(".ipynb") for lesson_name in names] or list(LESSONS)
    chosen_stems = []
    for name_start in name_starts:
        chosen_stems += _find_stems(name_start, path_by_stem)
    return [path_by_stem[stem] for stem in dict.fromkeys(chosen_stems)]


def _find_stems(name_start: str, known_stems: Iterable[str]) -> list[str]:
    """The names of the notebooks that begin with a text, at least one.

    ConfigError if none begins with it, or if one of them does not run in a page.
    """
    matching_stems = [stem for stem in known_stems if stem.startswith(name_start)]
    # Every name begins with an empty text, which names none of them.
    if not name_start or not matching_stems:
        raise ConfigError(f"there is no notebook {name_start!r}: choose from {', '.join(LESSONS)}")
    for stem in matching_stems:
        if stem in NOT_IN_PAGE:
            raise ConfigError(f"{stem} does not run in a page: {NOT_IN_PAGE[stem]}")
    return matching_stems


def lesson_for_page(
    path: Path, *, has_frames: bool, stems: Collection[str] = LESSONS.keys()
) -> JsonObject:
    """A notebook as a page needs it: its kernel, whole texts, and a first cell about the page.

    `stems` are the names of the notebooks that the site has: a link to any other is only its name.
    """
    notebook: JsonObject = json.loads(path.read_text(encoding="utf-8"))
    frames_sentence = "" if has_frames else NO_FRAMES
    welcome_cell = {"cell_type": "markdown", "id": "page", "metadata": {}}
    welcome_cell["source"] = WELCOME.format(frames=frames_sentence)
    cells = [welcome_cell, *notebook["cells"]]
    notebook["cells"] = [_join_lines_of_cell(cell, stems) for cell in cells]
    notebook["metadata"]["kernelspec"] = KERNEL
    return notebook


def saved_outputs(notebooks: Iterable[JsonObject]) -> dict[str, Outputs]:
    """The stored outputs of every cell, by the digest of its id and code."""
    cells = [cell for notebook in notebooks for cell in notebook["cells"]]
    code_cells = [cell for cell in cells if "outputs" in cell]
    return {digest(cell["id"], cell["source"]): cell["outputs"] for cell in code_cells}


def _join_lines_of_cell(cell: JsonMapping, stems: Collection[str]) -> JsonObject:
    """A cell whose texts are no lists of lines, and whose outputs are shown with their styles.

    Links are only to notebooks in `stems`.
    A stored widget is left out: it would be shown as "Loading widget..." above the saved form.
    """
    joined_cell = {**cell, "source": _join_lines(cell["source"])}
    if cell["cell_type"] == "markdown":
        joined_cell["source"] = _LINK.sub(
            lambda link: link[0] if link[1] in stems else link[1], joined_cell["source"]
        )
    if "outputs" in cell:
        outputs = [
            output for output in cell["outputs"] if output.get("data", {}).keys() != {WIDGET}
        ]
        joined_cell["outputs"] = [_join_lines_of_output(output) for output in outputs]
        joined_cell["metadata"] = {**cell["metadata"], "trusted": True}
    return joined_cell


def _join_lines_of_output(output: JsonObject) -> JsonObject:
    """An output whose texts are no lists of lines; its JSON is unchanged."""
    joined_output = dict(output)
    if "text" in output:
        joined_output["text"] = _join_lines(output["text"])
    if "data" in output:
        joined_output["data"] = {
            mime_type: mime_content if mime_type.endswith("json") else _join_lines(mime_content)
            for mime_type, mime_content in output["data"].items()
        }
    return joined_output


def _join_lines(cell_lines: str | list[str]) -> str:
    """The text of a cell or output, which a notebook stores whole or as a list of lines."""
    return cell_lines if isinstance(cell_lines, str) else "".join(cell_lines)
