"""The extras of paylab: the packages that `pip install paylab` leaves out, and who needs them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from .base import ConfigError

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "lab": ("jupyterlab", "ipywidgets", "anywidget", "IPython", "traitlets", "nbformat"),
    "frames": ("pandas", "pyarrow", "numpy"),
    "duckdb": ("duckdb",),
    "excel": ("openpyxl",),
    "images": ("PIL", "zxingcpp", "pillow_heif", "pypdfium2"),
    "charts": ("vl_convert",),
    "keyring": ("keyring",),
    "sql": ("sqlalchemy",),
    "polars": ("polars",),
    "plots": ("matplotlib",),
    "dlt": ("dlt",),
    "site": ("jupyterlite_core", "jupyterlite_pyodide_kernel", "mistune", "pip", "pygments"),
    "scale": ("dask", "distributed", "fsspec"),
}
"""The packages of each extra, by the names that they are imported by."""

LAB_EXTRAS = ("frames", "duckdb", "excel", "images", "charts")
"""The extras that `lab` has, with packages of its own: all that the notebooks use."""

_EXTRA_BY_PACKAGE = {package: extra for extra, packages in EXTRAS.items() for package in packages}


class MissingExtraError(ConfigError, ModuleNotFoundError):
    """A package that is not installed; `extra` is the extra of paylab that installs it."""

    def __init__(self, package: str, extra: str) -> None:
        self.package = package
        self.extra = extra
        problem_text = f"which is not installed: {install_command(extra)}"
        if in_page():  # nothing can be installed there
            problem_text = f"which this page does not have: use `paylab lab` with paylab[{extra}]"
        super().__init__(f"this needs {package}, {problem_text}", name=package)


def install_command(extra: str) -> str:
    """The command that installs an extra for this Python, in any folder and without activation."""
    import shlex

    python_command = shlex.quote(sys.executable or "python")
    return f"{python_command} -m pip install 'paylab[{extra}]'"


def in_page() -> bool:
    """Whether Python runs in a page of a browser: only there it has the module of the page."""
    return "pyodide_js" in sys.modules


@contextmanager
def extra_imports() -> Iterator[None]:
    """Import packages of extras in its block; MissingExtraError if one is not installed.

    >>> with extra_imports():
    ...     import pandas
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package_name = str(error.name).partition(".")[0]
        if package_name not in _EXTRA_BY_PACKAGE:
            raise
        raise MissingExtraError(package_name, _EXTRA_BY_PACKAGE[package_name]) from None


def require_extra(extra: str) -> None:
    """Raise MissingExtraError unless an extra is installed, before work that would be lost."""
    for package in missing_packages(extra):
        raise MissingExtraError(package, extra)


def missing_packages(extra: str) -> list[str]:
    """The packages of an extra, and of the extras that it includes, that are not installed."""
    extra_names = (*LAB_EXTRAS, extra) if extra == "lab" else (extra,)
    package_names = [
        package_name for extra_name in extra_names for package_name in EXTRAS[extra_name]
    ]
    return [package_name for package_name in package_names if not is_installed(package_name)]


def is_installed(package: str) -> bool:
    """Whether a package can be imported; it is not imported."""
    try:
        return find_spec(package) is not None
    except ValueError:  # a module without a specification, such as one that a test replaced
        return False


def bundle_or_text(show: Callable[[], Any], text: str) -> Any:
    """The MIME bundle of the display that `show` makes; the text if it lacks a package."""
    try:
        return show()._repr_mimebundle_()
    except MissingExtraError:
        return {"text/plain": text}


def display_or_text(show: Callable[[], Any]) -> None:
    """Show the display that `show` makes in IPython.

    NotImplementedError if one of its packages is missing: IPython then shows the repr.
    """
    try:
        show()._ipython_display_()
    except MissingExtraError:
        raise NotImplementedError from None
