"""Start so many worlds behind one port, send a request to each, and print time and memory.

Run as `worlds.py COUNT`; prints one JSON object.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import perf_counter

from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.testing.world import PaylabWorld


def peak_megabytes() -> float:
    """The peak of this program. Linux's ru_maxrss has that of the program which started it, too."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) / 1024
    return getrusage(RUSAGE_SELF).ru_maxrss / 1024**2


def main(count: int) -> None:
    """Start the worlds, use them, and measure."""
    with Server(Simulator(frozen=False)) as server:
        began = perf_counter()
        worlds = [PaylabWorld(server) for number in range(count)]
        seconds = perf_counter() - began
        for world in worlds:
            world.seed(individuals=2, transfers=10)
            assert len(world.lab.transfers.list().to_list()) == 10
        peak = peak_megabytes()
        for world in worlds:
            world.close()
    print(json.dumps({"seconds": seconds, "peak_megabytes": peak}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
