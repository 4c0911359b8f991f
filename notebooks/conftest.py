"""Run the lessons cell by cell, and compare what they show with the outputs that are committed.

nbval is loaded here, not at every start of pytest: it imports Jupyter, which takes longer than
most files of tests.
"""

import os

from nbval.plugin import pytest_addoption, pytest_collect_file

__all__ = ["pytest_addoption", "pytest_collect_file"]

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


def pytest_configure(config):
    """Compare outputs by default, also when pytest finds this folder after its options."""
    given = {str(each).partition("=")[0] for each in config.invocation_params.args}
    for name, value in OPTIONS.items():
        if f"--{name.replace('_', '-')}" not in given:
            setattr(config.option, name, value)


def pytest_collection_finish():
    """Set the options for the lessons that run pytest: workers have read their own by now."""
    os.environ["PYTEST_ADDOPTS"] = " ".join(f"-p no:{name}" for name in OTHERS)
