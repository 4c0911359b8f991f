"""Run the lessons cell by cell, and compare what they show with the outputs that are committed.

nbval is loaded here, not at every start of pytest: it imports Jupyter, which takes longer than
most files of tests.
"""

import os

from nbval.plugin import IPyNbFile, pytest_addoption

__all__ = ["pytest_addoption"]

OPTIONS = {
    "nbval": True,
    "nbval_lax": False,
    "nbval_current_env": True,
    "nbval_cell_timeout": 120.0,
    "nbval_kernel_startup_timeout": 60.0,
    "nbval_kernel_name": None,
    "nbval_sanitize_with": None,
    "nbdime": False,
}
OTHERS = ("anyio", "hypothesispytest", "nbval", "schemathesis")
"""Plugins without which the pytest of a lesson starts in half the time."""
ONCE = "90_your_tests"
"""The lesson on tests starts pytest six times in each run."""


class Lesson(IPyNbFile):
    """A notebook whose cells show the same when all of them run a second time in its kernel."""

    def collect(self):
        """The cells, and the cells again."""
        yield from super().collect()
        for cell in super().collect() if self.path.stem != ONCE else ():
            cell.name = f"{cell.name} again"
            yield cell


def pytest_collect_file(file_path, parent):
    """Collect the notebooks, if they are to be compared."""
    if file_path.suffix == ".ipynb" and parent.config.option.nbval:
        return Lesson.from_parent(parent, path=file_path)
    return None


def pytest_configure(config):
    """Compare outputs by default, also when pytest finds this folder after its options."""
    given = {str(each).partition("=")[0] for each in config.invocation_params.args}
    for name, value in OPTIONS.items():
        if f"--{name.replace('_', '-')}" not in given:
            setattr(config.option, name, value)


def pytest_collection_finish():
    """Set the options for the lessons that run pytest: workers have read their own by now."""
    os.environ["PYTEST_ADDOPTS"] = " ".join(f"-p no:{name}" for name in OTHERS)
