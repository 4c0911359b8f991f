"""The copies of the notebooks that `paylab lab` opens, and which of them somebody changed."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from .. import files
from ..errors.extras import extra_imports
from ..site.lessons import notebooks_folder

FOLDER = "paylab-notebooks"
RECORD = ".paylab.json"
"""File with the SHA-256 of each copied notebook, to detect the ones you changed.

It may be somebody else's, so that it decides only which copies are updated.
"""

RECORD_BYTES_MAX = 2**20
COPY_BYTES_MAX = 2**26
"""Maximum bytes of that file and of a copy; a larger file of somebody could fill the memory."""

IRI_GRAMMARS = "rfc3987_syntax"
"""A module that jsonschema takes seconds to import, to check IRIs; no schema of Jupyter has any."""


def _copy_folder() -> Path:
    """The folder of the copies: in the current folder, or that folder itself."""
    current_folder = Path.cwd()
    return current_folder if current_folder.name == FOLDER else current_folder / FOLDER


def require_notebook(requested_name: str | None) -> None:
    """Raise FileNotFoundError if the name of no notebook starts with the requested name.

    It is called before anything is copied.
    """
    if not requested_name:
        return
    names_in_folder = sorted(path.name for path in _copy_folder().glob("*.ipynb"))
    all_names = dict.fromkeys([*_packaged_notebooks(), *names_in_folder])
    name_start = Path(requested_name).name
    if not any(notebook_name.startswith(name_start) for notebook_name in all_names):
        raise FileNotFoundError(
            f"there is no notebook {requested_name}: choose one of {', '.join(all_names)}"
        )


def copy_notebooks() -> tuple[Path, list[str]]:
    """Copy or update the notebooks; return their folder, and the names of those you changed.

    A notebook that you changed is not updated.
    """
    notebook_folder = _copy_folder()
    notebook_folder.mkdir(exist_ok=True)
    bytes_by_name = _packaged_notebooks()
    digest_by_name = {
        notebook_name: digest
        for notebook_name, digest in _read_record(notebook_folder).items()
        if notebook_name in bytes_by_name
    }
    changed_names = []
    for notebook_name, notebook_bytes in bytes_by_name.items():
        copied_digest = digest_by_name.get(notebook_name)
        packaged_digest = sha256(notebook_bytes).hexdigest()
        copy_path = notebook_folder / notebook_name
        is_up_to_date = copied_digest == packaged_digest and copy_path.is_file()
        if is_up_to_date:
            continue
        if not _may_replace(copy_path, (copied_digest, packaged_digest)):
            changed_names.append(notebook_name)
            continue
        with files.replace(copy_path) as copy_file:
            copy_file.write(notebook_bytes)
        digest_by_name[notebook_name] = packaged_digest
    if (notebook_folder / RECORD).is_symlink():  # a file that it leads to is not ours to replace
        (notebook_folder / RECORD).unlink()
    with files.replace(notebook_folder / RECORD) as record_file:
        record_file.write(json.dumps(digest_by_name, indent=1).encode())
    return notebook_folder, changed_names


def _may_replace(copy_path: Path, our_digests: Collection[str | None]) -> bool:
    """Whether there is no copy, or one whose SHA-256 is that of a notebook of ours.

    A link, a pipe, and a file that is larger than any notebook of ours are somebody else's.
    """
    if copy_path.is_symlink():
        return False
    if not copy_path.exists():
        return True
    if not copy_path.is_file():
        return False
    is_large = copy_path.stat().st_size > COPY_BYTES_MAX
    return not is_large and sha256(copy_path.read_bytes()).hexdigest() in our_digests


def trust_copies(folder: Path) -> None:
    """Sign the unchanged copies for this user's Jupyter, which then shows their saved styles."""
    # With None in its place, an import of this slow module fails at once.
    sys.modules.setdefault(IRI_GRAMMARS, None)  # type: ignore[arg-type]
    with suppress(OSError):  # without a writable home the copies are shown without styles
        with extra_imports():
            from jupyter_core.paths import jupyter_data_dir
            from nbformat import NO_CONVERT, reads
            from nbformat.sign import NotebookNotary

        data_folder = Path(jupyter_data_dir())
        data_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Without a folder, a notary would run the configuration of Jupyter in this process.
        notary: Any = NotebookNotary(data_dir=str(data_folder))  # type: ignore[no-untyped-call]
        for notebook_bytes in find_unchanged(folder).values():
            notebook_node = reads(notebook_bytes.decode(), NO_CONVERT)  # type: ignore[no-untyped-call]
            notary.sign(notebook_node)
        notary.store.close()


def find_unchanged(folder: Path) -> dict[str, bytes]:
    """The notebooks in a folder whose bytes are those of the package, by name."""
    return {
        notebook_name: notebook_bytes
        for notebook_name, notebook_bytes in _packaged_notebooks().items()
        if _has_content(folder / notebook_name, notebook_bytes)
    }


def _has_content(path: Path, notebook_bytes: bytes) -> bool:
    """Whether a file has this content; a file of another size is not read."""
    has_same_size = path.is_file() and path.stat().st_size == len(notebook_bytes)
    return has_same_size and path.read_bytes() == notebook_bytes


def _packaged_notebooks() -> dict[str, bytes]:
    """The notebooks of the package, by name."""
    return {path.name: path.read_bytes() for path in sorted(notebooks_folder().glob("*.ipynb"))}


def _read_record(notebook_folder: Path) -> dict[str, str]:
    """The SHA-256 of each copied notebook by its name; empty if they cannot be read."""
    record_path = notebook_folder / RECORD
    try:
        is_readable = record_path.is_file() and record_path.stat().st_size <= RECORD_BYTES_MAX
        digest_by_name = json.loads(record_path.read_bytes()) if is_readable else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return dict(digest_by_name) if isinstance(digest_by_name, dict) else {}


def notebook_path(folder: Path, requested_name: str | None) -> str:
    """The path in JupyterLab of a notebook, by its name or the start of its name.

    Without a name it is the first unchanged notebook, or the folder if there is none. If several
    names have the same start, an unchanged notebook is first, then a changed copy, then any other.
    `require_notebook()` has made sure that there is one.
    """
    bytes_by_unchanged_name = find_unchanged(folder)
    if not requested_name:
        first_name = min(bytes_by_unchanged_name, default=None)
        return f"lab/tree/{first_name}" if first_name else "lab"
    names_in_folder = sorted(path.name for path in folder.glob("*.ipynb"))
    copied_names = [name for name in _packaged_notebooks() if name in names_in_folder]
    ordered_names = dict.fromkeys([*bytes_by_unchanged_name, *copied_names, *names_in_folder])
    name_start = Path(requested_name).name
    fitting_names = [name for name in ordered_names if name.startswith(name_start)]
    chosen_name = name_start if name_start in fitting_names else fitting_names[0]
    return f"lab/tree/{chosen_name}"
