"""A service in JavaScript and its tests, which `paylab simulator` runs."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NODE = shutil.which("node")
TESTS = Path(__file__).parent / "node" / "payroll.test.mjs"
OLDEST = 20
"""The first version of Node with a stable `node:test`."""


def _major():
    version = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout
    return int(version.removeprefix("v").partition(".")[0])


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
def test_the_tests_of_a_service_in_node_pass():
    """Every test passes; the service has its own signer and no package."""
    if _major() < OLDEST:
        pytest.skip(f"needs Node {OLDEST}")
    done = subprocess.run(
        [sys.executable, "-m", "paylab", "simulator", "--", NODE, "--test", str(TESTS)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert "# tests 12" in done.stdout
    assert "# skipped 0" in done.stdout
