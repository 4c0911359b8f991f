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
from .page import JsonObject
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
                "id": "jp-mainmenu-file",
                "items": [
                    {
                        "type": "submenu",
                        "submenu": {"id": "jp-mainmenu-file-new"},
                        "disabled": True,
                    },
                    {"command": "filemenu:create-console", "disabled": True},
                ],
            },
            {
                "id": "jp-mainmenu-view",
                "items": [
                    {"command": "application:open-lab", "disabled": True},
                    {"command": "application:open-tree", "disabled": True},
                ],
            },
            {
                "id": "jp-mainmenu-kernel",
                "items": [{"command": "kernelmenu:interrupt", "disabled": True}],
            },
        ]
    },
}
"""Settings of JupyterLab: no news, dark where the system is, nothing cut off, no idle button.

The menus have no entry for an application that the site does not have.
"""

WORKER = """\
import "{}";
import {{ start }} from "./start.mjs";

start({});
"""
"""The program of a kernel that has not been asked to start Python, and starts it: see kernel.js."""

TREE = Path(__file__).with_name("tree.html")
"""The page at the address that JupyterLite has for lists of files, to which notebooks link."""

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
    # Beside the target, since a folder can be renamed within one file system only.
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as work_folder:
        draft_folder = Path(work_folder) / "site"
        _build_draft(Path(work_folder), draft_folder, options)
        if out.exists():
            out.rename(Path(work_folder) / "old")
        draft_folder.rename(out)


def _require_replaceable(out: Path) -> None:
    """ConfigError if the folder has something else than a site."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise ConfigError(f"{out} is not a folder: choose another --out")
    if not out.is_dir():
        return
    other_names = sorted({path.name for path in out.iterdir()} - _names_of_site(out))
    if other_names:
        names_text = printable(", ".join(other_names[:NAMES_MAX]))
        raise ConfigError(
            f"{out} has files that are not of a site ({names_text}): choose a new or empty folder"
        )


def _names_of_site(out: Path) -> set[str]:
    """The files and folders at the top of a site, as its mark says; none without a mark."""
    try:
        top_names = json.loads((out / MARK).read_text(encoding="utf-8"))["top"]
        return {MARK, *map(str, top_names)}
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return set()


def _build_draft(work: Path, draft: Path, options: SiteOptions) -> None:
    """Build the site in the folder `draft`; `work` is a folder for what is needed meanwhile.

    JupyterLite is built while the packages are downloaded.
    """
    wheels_folder = work / "wheels"
    wheels_folder.mkdir()
    source_folder = _write_source(work / "source", options)
    build_process = _start("jupyterlite_core", _lite_options(source_folder, draft), work)
    download_process = _start("pip", download_options(wheels_folder), work)
    _finish(download_process, "the packages cannot be downloaded")
    _finish(build_process, "JupyterLite cannot be built")
    kernel_wheels_folder = draft / "extensions" / KERNEL_EXTENSION / "static" / "pypi"
    write_own_wheel(wheels_folder)
    check_wheels(wheels_folder.glob("*.whl"))
    for wheel_path in kernel_wheels_folder.glob("*.whl"):
        if not wheel_path.name.startswith(UNUSED_WHEELS):
            shutil.copy(wheel_path, wheels_folder)
    _remove_unused(draft)
    write_packages(draft / PYODIDE, wheels_folder, options)
    # There is exactly one; its name has a hash.
    (worker_path,) = kernel_wheels_folder.parent.glob("comlink.worker.*.js")
    worker_script = WORKER.format(
        f"../../{worker_path.relative_to(draft)}", json.dumps(options.start)
    )
    (draft / PYODIDE / "worker.mjs").write_text(worker_script, encoding="utf-8")
    if options.is_quick:
        quick_start_command = ["node", str(QUICK_START), str(draft / PYODIDE)]
        _finish(_start_program(quick_start_command, work), "the quick start cannot be made")
    _write_pages(draft, options)


def _write_source(source_folder: Path, options: SiteOptions) -> Path:
    """The folder that JupyterLite builds from: its settings and the lessons."""
    contents_folder = source_folder / "files"
    contents_folder.mkdir(parents=True)
    for lesson_path, lesson_notebook in _lesson_notebooks(options):
        (contents_folder / lesson_path.name).write_text(
            json.dumps(lesson_notebook), encoding="utf-8"
        )
    # A folder that a page does not have to make, which takes it several requests.
    (contents_folder / "out").mkdir()
    (contents_folder / "out" / "README.md").write_text("The notebooks write their files here.\n")
    kernel_settings = {
        "pyodideUrl": f"./{(PYODIDE / 'start.mjs').as_posix()}",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": [*KERNEL_PACKAGES], "site": options.start},
    }
    lite_settings = {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "paylab",
            "exposeAppInBrowser": "true",  # opening.js asks it whether the notebook can run
            "litePluginSettings": {f"{KERNEL_EXTENSION}:kernel": kernel_settings},
        },
    }
    (source_folder / "jupyter-lite.json").write_text(json.dumps(lite_settings), encoding="utf-8")
    (source_folder / "overrides.json").write_text(json.dumps(OVERRIDES), encoding="utf-8")
    return source_folder


def _lesson_notebooks(options: SiteOptions) -> list[tuple[Path, JsonObject]]:
    """The chosen notebooks, each as its path and as its page needs it."""
    stems = [lesson_path.stem for lesson_path in options.lessons]
    has_frames = options.runtime.has_frames
    return [
        (lesson_path, lesson_for_page(lesson_path, has_frames=has_frames, stems=stems))
        for lesson_path in options.lessons
    ]


def _lite_options(source_folder: Path, draft: Path) -> list[str]:
    """The arguments of JupyterLite."""
    lite_options = [
        "build",
        "--lite-dir",
        str(source_folder),
        "--contents",
        str(source_folder / "files"),
    ]
    lite_options += ["--output-dir", str(draft), "--no-sourcemaps", "--apps", "notebooks"]
    return [*lite_options, "--no-unused-shared-packages"]


def write_packages(folder: Path, wheels: Path, options: SiteOptions) -> None:
    """Write the wheels, their lock file, the runtime and what starts it."""
    folder.mkdir(parents=True)
    entry_by_name = {}
    for wheel_path in sorted(wheels.glob("*.whl")):
        shutil.copy(wheel_path, folder)
        package_entry = lock_entry(wheel_path)
        entry_by_name[package_entry["name"]] = package_entry
    lock_object = {
        "info": options.runtime.info,
        "packages": entry_by_name | options.runtime.copy(folder),
        "preload": sorted(entry_by_name),  # read by start.mjs
    }
    (folder / "pyodide-lock.json").write_text(json.dumps(lock_object), encoding="utf-8")
    shutil.copy(Path(__file__).with_name("start.mjs"), folder)


def _remove_unused(draft: Path) -> None:
    """Remove other extensions of this Python's JupyterLab, and fonts for old browsers."""
    settings_path = draft / "jupyter-lite.json"
    lite_settings = json.loads(settings_path.read_text(encoding="utf-8"))
    config_data = lite_settings["jupyter-config-data"]
    extension_entries = config_data["federated_extensions"]
    config_data["federated_extensions"] = [
        kept_entry for kept_entry in extension_entries if kept_entry["name"] in EXTENSIONS
    ]
    settings_path.write_text(json.dumps(lite_settings), encoding="utf-8")
    for extension_entry in extension_entries:
        if extension_entry["name"] not in EXTENSIONS:
            shutil.rmtree(draft / "extensions" / extension_entry["name"])
    for font_path in (draft / "build").glob("fa-*"):
        if font_path.suffix in OLD_FONTS:
            font_path.unlink()


def _write_pages(draft: Path, options: SiteOptions) -> None:
    """Write the first page, the stored outputs, and the mark of a site."""
    lesson_notebooks = _lesson_notebooks(options)
    saved_json = json.dumps(saved_outputs(notebook for _, notebook in lesson_notebooks))
    (draft / PYODIDE / "saved.json").write_text(saved_json, encoding="utf-8")
    site_facts = SiteFacts(options.runtime.address, options.runtime.has_frames, options.base)
    (draft / "index.html").write_text(index_page(options.lessons, site_facts), encoding="utf-8")
    (draft / "tree").mkdir()
    shutil.copy(TREE, draft / "tree" / "index.html")
    (draft / "saved").mkdir()
    for lesson_path, lesson_notebook in lesson_notebooks:
        saved_path = draft / "saved" / f"{lesson_path.stem}.html"
        saved_path.write_text(saved_page(lesson_path.stem, lesson_notebook), encoding="utf-8")
    page_path = draft / "notebooks" / "index.html"
    page_html = add_first_scripts(page_path.read_text(encoding="utf-8"))
    page_html = show_saved(page_html, [lesson_path.name for lesson_path in options.lessons])
    icon_html = '<head>\n    <link rel="icon" href="../icon-120x120.png">'
    page_path.write_text(page_html.replace("<head>", icon_html, 1), encoding="utf-8")
    compress_scripts(draft)
    site_mark: Mapping[str, Any] = {
        "lessons": [lesson_path.name for lesson_path in options.lessons],
        "top": sorted(top_path.name for top_path in draft.iterdir()),
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
    output_bytes, _ = process.communicate()
    if process.returncode:
        output_lines = output_bytes.decode(errors="replace").splitlines()
        error_lines = [output_line[:LINE_MAX] for output_line in output_lines[-ERROR_LINES:]]
        raise PaylabError(f"{problem}: {printable(' / '.join(error_lines))}")
