"""Kill exports at random: run as `killing.py KILLS SEED FOLDER`; prints the wrong rows.

An export runs in its own process, is killed with SIGKILL at a random moment and started again,
until it finishes. In every third run the stored cursor has expired.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

ROWS, PAGE, PAUSE, LONGEST = 400, 10, 0.003, 0.35
TARGETS = ("t.csv", "t.parquet", "t/")


def page(cursor):
    """One page as the service would send it; references look like the end of a page."""
    start = int(cursor or 0)
    rows = [
        {
            "id": f"tr_{number:05d}",
            "client_reference_id": f'}},{{"cursor":"{number}"}}',
            "source_amount": f"{number}.10",
            "status": "completed",
            "created_at": f"2026-01-{1 + number // 100:02d}T09:30:00.000Z",
        }
        for number in range(start, min(start + PAGE, ROWS))
    ]
    more = start + PAGE < ROWS
    following = str(start + PAGE) if more else None
    return json.dumps({"data": rows, "has_next_page": more, "cursor": following}).encode()


def work(target, expired):
    """Run the export; with `expired`, the service refuses the stored cursor."""
    from paylab import frames
    from paylab.errors import BadRequestError

    asked = []

    def fetch(cursor):
        time.sleep(PAUSE)
        asked.append(cursor)
        if expired and cursor and len(asked) == 1:
            raise BadRequestError(400, "Invalid pagination token")
        return page(cursor)

    frames.export_list(fetch, target)


def ids(target):
    """The ids in an export; None if it does not exist."""
    import pyarrow.dataset as ds

    path = Path(target)
    if not path.exists():
        return None
    form = "csv" if path.suffix == ".csv" else "parquet"
    return ds.dataset(path, format=form, exclude_invalid_files=True).to_table(["id"])["id"]


def once(target, random, processes):
    """Kill an export until it finishes; return the number of kills and the wrong ids.

    Each kill gives the next run more time, so that the export also finishes on a slow machine.
    If a run ends with an error of its own, the program exits.
    """
    kills, wrong = 0, []
    while True:
        expired = kills % 3 == 2
        process = processes.Process(target=work, args=(target, expired))
        process.start()
        process.join(random.uniform(0, LONGEST * (1 + kills / 10)))
        alive = process.is_alive()
        process.kill()
        process.join()
        found = ids(target)
        if found is not None:
            wrong += check(found.to_pylist())
        if not alive and process.exitcode == 0:
            return kills, wrong
        if not alive:
            sys.exit(f"{target}: an export that nobody killed ended with {process.exitcode}")
        kills += 1


def check(found):
    """The ids that are missing, repeated or unknown."""
    counts = Counter(found)
    expected = {f"tr_{number:05d}" for number in range(ROWS)}
    return [id_ for id_ in expected | set(counts) if counts[id_] != (id_ in expected)]


def main(most, seed, folder):
    """Run exports until `most` kills are reached and every kind of target was killed."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["paylab.frames"])
    random, kills, exports, wrong = Random(seed), dict.fromkeys(TARGETS, 0), 0, []
    while sum(kills.values()) < most or not all(kills.values()):
        name = TARGETS[exports % len(TARGETS)]
        target = f"{folder}/{exports}/{name}"
        Path(folder, str(exports)).mkdir()
        more, bad = once(target, random, processes)
        entries = Path(folder, str(exports)).iterdir()
        left = [entry.name for entry in entries if entry.name[0] == "."]
        kills[name] += more
        exports, wrong = exports + 1, wrong + bad + left
    total = sum(kills.values())
    print(json.dumps({"kills": total, "targets": kills, "exports": exports, "wrong": wrong}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
