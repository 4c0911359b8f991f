"""Time one way to create or load many transfers, in a separate process.

Run as `seeding.py WAY COUNT [FILE]`. It prints JSON: the seconds, the processor seconds, and the
peak memory of the process in megabytes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter, process_time

from paylab.simulator.simulator import Simulator


def write(count, file):
    """Write `count` transfers as JSON lines, for `json.loads`."""
    rows = Simulator(transfers=int(count)).world.tables["transfers"].rows.values()
    with Path(file).open("w") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)


def read(file):
    """The rows of a file by their ids."""
    with Path(file).open() as lines:
        return {row["id"]: row for row in map(json.loads, lines)}


WAYS = {
    "json.loads": lambda count, file: read(file),
    "memory": lambda count: Simulator(transfers=int(count)).world.tables["transfers"].rows,
    "file": lambda count, file: (
        Simulator(transfers=int(count), data=file).world.tables["transfers"].rows
    ),
    "file, read again": lambda count, file: Simulator(data=file).world.tables["transfers"].rows,
}


def main(way, count, *file):
    """Time a way, after a warm-up with 100 transfers."""
    Simulator(transfers=100)
    began, worked = perf_counter(), process_time()
    rows = WAYS[way](count, *file)
    took = {"seconds": perf_counter() - began, "cpu": process_time() - worked}
    assert len(rows) == int(count)
    print(json.dumps({**took, "peak": peak()}))


def peak():
    """The peak memory of this process in megabytes; ru_maxrss would include its parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    write(*sys.argv[2:]) if sys.argv[1] == "write" else main(*sys.argv[1:])
