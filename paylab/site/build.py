"""Build the site: JupyterLite, the lessons, the packages and the runtime."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .. import runtime
from ..errors.base import ConfigError, PaylabError
from ..processes.interpreter import python_command, python_environment
from ..spec.text import printable
from .index_page import SiteFacts, index_page
from .lessons import lesson_for_page, saved_outputs
from .own_wheel import write_own_wheel
from .runtime_files import RuntimeFiles
from .saved_page import saved_page, show_saved
from .scripts import add_first_scripts, compress_scripts
from .wheels import check_wheels, download_options, lock_entry

MARK = "paylab-site.json"
"""The file that names what a site has at its top: a new site replaces nothing else."""

PYODIDE = Path("static/pyodide")
KERNEL_EXTENSION = "@jupyterlite/pyodide-kernel-extension"
EXTENSIONS = (KERNEL_EXTENSION, "@jupyter-widgets/jupyterlab-manager", "anywidget")
"""What JupyterLite needs to run and to show the notebooks."""

KERNEL_PACKAGES = ("micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython")
"""What the kernel would install if it were not told that the packages are there."""

OLD_FONTS = {".eot", ".svg", ".ttf", ".woff"}
UNUSED_WHEELS = ("piplite", "widgetsnbextension")
OVERRIDES = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyter-notebook/notebook-extension:scroll-output": {"autoScrollOutputs": False},
    # A page cannot interrupt Python.
    "@jupyterlab/notebook-extension:panel": {"toolbar": [{"name": "interrupt", "disabled": True}]},
    "@jupyterlab/mainmenu-extension:plugin": {
        "menus": [
            {
                "id": "jp-mainmenu-kernel",
                "items": [{"command": "kernelmenu:interrupt", "disabled": True}],
            }
        ]
    },
}
"""Settings of JupyterLab: no news, dark where the system is, nothing cut off, no idle button."""

WORKER = """\
import "{}";
import {{ start }} from "./start.mjs";

start({});
"""
"""The program of a kernel that has not been asked to start Python, and starts it: see kernel.js."""

QUICK_START = Path(__file__).with_name("quick_start.mjs")
ERROR_LINES = 5
LINE_MAX = 200
"""Characters of a line; a line of the runtime is as long as its program."""

NAMES_MAX = 5


class SiteOptions(NamedTuple):
    """The options of a build."""

    lessons: Sequence[Path]
    runtime: RuntimeFiles
    base: str = ""

    @property
    def start(self) -> dict[str, Any]:
        """The facts that start.mjs needs."""
        return {"runtime": self.runtime.url_in_page, "frames": self.runtime.has_frames}

    @property
    def is_quick(self) -> bool:
        """Whether pages start from a stored memory, which Node makes with the runtime's files."""
        return not self.runtime.address and shutil.which("node") is not None


def build_site(out: Path, options: SiteOptions) -> None:
    """Build a site, which replaces an earlier one in its folder only when it is complete."""
    _require_replaceable(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as work_folder:
        draft = Path(work_folder) / "site"
        _build_draft(Path(work_folder), draft, options)
        if out.exists():
            out.rename(Path(work_folder) / "old")
        draft.rename(out)


def _require_replaceable(out: Path) -> None:
    """ConfigError if the folder has something else than a site."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise ConfigError(f"{out} is not a folder: choose another --out")
    if not out.is_dir():
        return
    other_names = sorted({path.name for path in out.iterdir()} - _names_of_site(out))
    if other_names:
        shown_names = printable(", ".join(other_names[:NAMES_MAX]))
        raise ConfigError(
            f"{out} has files that are not of a site ({shown_names}): choose a new or empty folder"
        )


def _names_of_site(out: Path) -> set[str]:
    """The files and folders at the top of a site, as its mark says; none without a mark."""
    try:
        top_names = json.loads((out / MARK).read_text(encoding="utf-8"))["top"]
        return {MARK, *map(str, top_names)}
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return set()


def _build_draft(work: Path, draft: Path, options: SiteOptions) -> None:
    wheels = work / "wheels"
    wheels.mkdir()
    source_folder = _write_source(work / "source", options)
    build_process = _start("jupyterlite_core", _lite_options(source_folder, draft), work)
    download_process = _start("pip", download_options(wheels), work)
    _finish(download_process, "the packages cannot be downloaded")
    _finish(build_process, "JupyterLite cannot be built")
    extension = draft / "extensions" / KERNEL_EXTENSION / "static" / "pypi"
    write_own_wheel(wheels)
    check_wheels(wheels.glob("*.whl"))
    for wheel in extension.glob("*.whl"):
        if not wheel.name.startswith(UNUSED_WHEELS):
            shutil.copy(wheel, wheels)
    _remove_unused(draft)
    write_packages(draft / PYODIDE, wheels, options)
    (program,) = extension.parent.glob("comlink.worker.*.js")
    worker = WORKER.format(f"../../{program.relative_to(draft)}", json.dumps(options.start))
    (draft / PYODIDE / "worker.mjs").write_text(worker, encoding="utf-8")
    if options.is_quick:
        command = ["node", str(QUICK_START), str(draft / PYODIDE)]
        _finish(_start_program(command, work), "the quick start cannot be made")
    _write_pages(draft, options)


def _write_source(source_folder: Path, options: SiteOptions) -> Path:
    """The folder that JupyterLite builds from: its settings and the lessons."""
    contents = source_folder / "files"
    contents.mkdir(parents=True)
    for path in options.lessons:
        lesson = lesson_for_page(path, has_frames=options.runtime.has_frames)
        (contents / path.name).write_text(json.dumps(lesson), encoding="utf-8")
    # A folder that a page does not have to make, which takes it several requests.
    (contents / "out").mkdir()
    (contents / "out" / "README.md").write_text("The notebooks write their files here.\n")
    kernel = {
        "pyodideUrl": f"./{(PYODIDE / 'start.mjs').as_posix()}",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": [*KERNEL_PACKAGES], "site": options.start},
    }
    settings = {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "paylab",
            "exposeAppInBrowser": "true",  # opening.js asks it whether the notebook can run
            "litePluginSettings": {f"{KERNEL_EXTENSION}:kernel": kernel},
        },
    }
    (source_folder / "jupyter-lite.json").write_text(json.dumps(settings), encoding="utf-8")
    (source_folder / "overrides.json").write_text(json.dumps(OVERRIDES), encoding="utf-8")
    return source_folder


def _lite_options(source_folder: Path, draft: Path) -> list[str]:
    """The arguments of JupyterLite."""
    options = [
        "build",
        "--lite-dir",
        str(source_folder),
        "--contents",
        str(source_folder / "files"),
    ]
    options += ["--output-dir", str(draft), "--no-sourcemaps", "--apps", "notebooks"]
    return [*options, "--no-unused-shared-packages"]


def write_packages(folder: Path, wheels: Path, options: SiteOptions) -> None:
    """Write the wheels, their lock file, the runtime and what starts it."""
    folder.mkdir(parents=True)
    entries = {}
    for wheel in sorted(wheels.glob("*.whl")):
        shutil.copy(wheel, folder)
        entry = lock_entry(wheel)
        entries[entry["name"]] = entry
    lock = {
        "info": options.runtime.info,
        "packages": entries | options.runtime.copy(folder),
        "preload": sorted(entries),  # read by start.mjs
    }
    (folder / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    shutil.copy(Path(__file__).with_name("start.mjs"), folder)


def _remove_unused(draft: Path) -> None:
    """Remove other extensions of this Python's JupyterLab, and fonts for old browsers."""
    path = draft / "jupyter-lite.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    config = settings["jupyter-config-data"]
    extensions = config["federated_extensions"]
    config["federated_extensions"] = [one for one in extensions if one["name"] in EXTENSIONS]
    path.write_text(json.dumps(settings), encoding="utf-8")
    for extension in extensions:
        if extension["name"] not in EXTENSIONS:
            shutil.rmtree(draft / "extensions" / extension["name"])
    for font in (draft / "build").glob("fa-*"):
        if font.suffix in OLD_FONTS:
            font.unlink()


def _write_pages(draft: Path, options: SiteOptions) -> None:
    """Write the first page, the stored outputs, and the mark of a site."""
    has_frames = options.runtime.has_frames
    lessons = [lesson_for_page(path, has_frames=has_frames) for path in options.lessons]
    saved = json.dumps(saved_outputs(lessons))
    (draft / PYODIDE / "saved.json").write_text(saved, encoding="utf-8")
    facts = SiteFacts(options.runtime.address, has_frames, options.base)
    (draft / "index.html").write_text(index_page(options.lessons, facts), encoding="utf-8")
    (draft / "saved").mkdir()
    for path, lesson in zip(options.lessons, lessons, strict=True):
        saved_file = draft / "saved" / f"{path.stem}.html"
        saved_file.write_text(saved_page(path.stem, lesson), encoding="utf-8")
    page = draft / "notebooks" / "index.html"
    html = add_first_scripts(page.read_text(encoding="utf-8"))
    html = show_saved(html, [path.name for path in options.lessons])
    icon = '<head>\n    <link rel="icon" href="../icon-120x120.png">'
    page.write_text(html.replace("<head>", icon, 1), encoding="utf-8")
    compress_scripts(draft)
    site_mark: Mapping[str, Any] = {
        "lessons": [path.name for path in options.lessons],
        "top": sorted(path.name for path in draft.iterdir()),
    }
    (draft / MARK).write_text(json.dumps(site_mark), encoding="utf-8")


def _start(module: str, arguments: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    """Start a module of Python as a program."""
    return _start_program(python_command("-m", module, *arguments), folder)


def _start_program(command: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    """Start a program in a folder, with nothing to read."""
    return runtime.start_process(
        command,
        env=python_environment(),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def _finish(process: subprocess.Popen[bytes], problem: str) -> None:
    """Wait for a program. PaylabError with its last lines if it failed."""
    output, _ = process.communicate()
    if process.returncode:
        lines = output.decode(errors="replace").splitlines()
        error_lines = [line[:LINE_MAX] for line in lines[-ERROR_LINES:]]
        raise PaylabError(f"{problem}: {printable(' / '.join(error_lines))}")
