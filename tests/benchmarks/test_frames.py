"""Transfers to frames and sums, against the least anything can take, as ratios of one run."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from subprocess import PIPE, Popen, run

import pytest

HERE = Path(__file__).parent
ROUNDS = 5
ROWS = 100_000
KILLS = 200


@pytest.fixture(name="serve", scope="module")
def lists():
    """Starts lists over loopback; gives their addresses."""
    started = []

    def serve(rows, milliseconds=0):
        command = [sys.executable, str(HERE / "listing.py"), str(rows), str(milliseconds)]
        started.append(Popen(command, stdout=PIPE, text=True))
        return f"http://127.0.0.1:{started[-1].stdout.readline().strip()}"

    yield serve
    for process in started:
        process.kill()


def rounds(ways, *given):
    """What each way took in interleaved rounds, each in a process of its own."""
    found = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way in ways:
            command = [sys.executable, str(HERE / "framing.py"), way, *given]
            found[way].append(json.loads(run(command, stdout=PIPE, text=True, check=True).stdout))
    return found


def table(title, found, base):
    """Print medians; the ratios of time to the first way."""
    print(f"\n{title}")
    ratios = {}
    for way, each in found.items():
        pairs = zip(each, found[base], strict=True)
        ratios[way] = median(one["seconds"] / other["seconds"] for one, other in pairs)
        seconds, grown = (median(one[key] for one in each) for key in ("seconds", "grown"))
        print(f"  {way:16} {seconds:8.2f} s  {ratios[way]:6.2f} x  {grown:6.0f} MB")
    return ratios


def test_pages_to_a_frame(serve):
    """Faster and smaller than what people write by hand, and than models."""
    ways = ("read_only", "paylab_frame", "decimal_frame", "pydantic_frame")
    found = rounds(ways, serve(300), serve(ROWS))
    ratios = table(f"{ROWS:,} transfers over loopback", found, "read_only")
    assert ratios["paylab_frame"] < ratios["decimal_frame"]
    assert ratios["paylab_frame"] < ratios["pydantic_frame"]
    assert {each["rows"] for way in found.values() for each in way} == {ROWS}


def test_pages_that_take_20_milliseconds(serve):
    """Decoding hides behind the waiting."""
    found = rounds(("read_only", "paylab_frame"), serve(300), serve(20_000, 20))
    table("20,000 transfers, 20 ms a page", found, "read_only")


def test_many_kills(tmp_path):
    """200 kills of exports lose and double nothing."""
    command = [sys.executable, str(HERE.parent / "frames/killing.py"), str(KILLS), "1"]
    found = json.loads(run([*command, str(tmp_path)], stdout=PIPE, text=True, check=True).stdout)
    print(f"\n{found}")
    assert found["kills"] >= KILLS
    assert found["wrong"] == []
