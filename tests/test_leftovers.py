"""What a run of the tests leaves behind."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_run_leaves_no_folder(tmp_path, workers):
    """Neither the process of a run nor a worker leaves the folder of its data."""
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-n", workers, "-p", "no:cacheprovider"]
    environment = {"TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [*command, str(TESTS / "corridors" / "test_clabe.py")],
        cwd=TESTS.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "passed" in done.stdout, done.stdout + done.stderr
    assert [*tmp_path.glob("paylab-tests-*")] == []
