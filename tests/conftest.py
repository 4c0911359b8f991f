"""What every test shares: nothing of the machine's own configuration, no real service."""

import os
import sys
import tempfile
from pathlib import Path

import pytest

import paylab

# At import, before any test or notebook starts: a configured shell must not lead a test to a
# real service. Kernels and subprocesses inherit it.
for _name in [name for name in os.environ if name.startswith("PAYLAB_")]:
    if _name != "PAYLAB_ARTEFACTS":
        del os.environ[_name]
_home = tempfile.mkdtemp(prefix="paylab-tests-")
for _name, _folder in {"CACHE": "cache", "CONFIG": "config", "DATA": "data"}.items():
    os.environ[f"XDG_{_name}_HOME"] = str(Path(_home) / _folder)

# `independent_service`, a second payments service that shares no code with the package.
sys.path += [str(Path(__file__).parent / each) for each in ("independent", "simulator")]


@pytest.fixture
def lab():
    """A lab on an embedded simulator of its own."""
    return paylab.connect()
