"""A benchmark of uploading ten images of 15 MB: its memory, and its time."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from statistics import median
from subprocess import PIPE, Popen, run

import pytest

from paylab.spec.codes import IMAGE_MAX

PROGRAM = [sys.executable, str(Path(__file__).with_name("uploading.py"))]
MOST_MEGABYTES, MOST_TIMES = 32, 1.6


@pytest.fixture(name="url")
def sink():
    """The address of a server that discards uploads."""
    with Popen([*PROGRAM, "sink"], stdout=PIPE, text=True) as process:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.kill()


@pytest.fixture(name="folder")
def images(tmp_path):
    """A folder of ten files of the largest accepted size."""
    for number in range(10):
        data = b"\xff\xd8\xff" + os.urandom(IMAGE_MAX - 3)
        (tmp_path / f"{number}.jpg").write_bytes(data)
    return tmp_path


def test_ten_images_of_15_mb(url, folder, record):
    """An upload adds at most 32 MB and takes at most 1.6 times as long as a ready body."""
    done = run([*PROGRAM, "upload", url, str(folder)], stdout=PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    times = median(ours / least for least, ours in found["turns"])
    least, ours = (median(each) for each in zip(*found["turns"], strict=True))
    print(f"\n{found['grown']:.1f} MB, {ours:.2f} s, {times:.2f} x of a ready body")
    figures = {
        "ready bodies": {"seconds": round(least, 3), "ratio": 1.0},
        "paylab": {
            "seconds": round(ours, 3),
            "ratio": round(times, 2),
            "megabytes": round(found["grown"]),
        },
    }
    record("ten images of 15 MB", len(found["turns"]), figures, "1.3 x, 32 MB")
    assert found["grown"] <= MOST_MEGABYTES
    assert times <= MOST_TIMES
