"""Kill exports before single steps: run as `stepping.py FOLDER FIRST EVERY [no-exchange]`.

A step opens, renames, creates or removes a file; an audit hook of Python kills the process just
before it. Prints the number of kills, and what a reader, a run without the service and a run with
the service find wrong afterwards.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pyarrow.parquet as pq

from paylab import files, frames

STEPS = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "shutil.rmtree")
ROWS, PAGE = 6, 2


def fetch(cursor):
    """A page of transfers of several days."""
    start = int(cursor or 0)
    rows = [
        {"id": f"tr_{number}", "created_at": f"2026-01-{number // 2 + 1:02d}T00:00:00Z"}
        for number in range(start, start + PAGE)
    ]
    more = start + PAGE < ROWS
    page = {"data": rows, "has_next_page": more, "cursor": str(start + PAGE) if more else None}
    return json.dumps(page).encode()


def no_service(_):
    """Fail as if the service is down."""
    raise ConnectionError("down")


def killed(target, step):
    """Export in a child process, kill it before this step, and return whether it was killed."""
    pid = os.fork()
    if pid == 0:
        left = [step]

        def before(event, arguments):
            if event in STEPS and str(arguments[0]).startswith(str(target.parent)):
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(before)
        frames.export_list(fetch, f"{target}/")
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    if status and not os.WIFSIGNALED(status):
        sys.exit(f"step {step}: the export ended with {status}")
    return bool(status)


def here(target):
    """The number of rows that a reader finds."""
    return sum(pq.ParquetFile(file).metadata.num_rows for file in target.rglob("*.parquet"))


def attempt(fetch, target):
    """Export in a child process and return its status: threads and forks do not mix."""
    pid = os.fork()
    if pid == 0:
        try:
            frames.export_list(fetch, f"{target}/")
        except ConnectionError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1]


def main(folder, first, every, exchange=""):
    """Kill before steps of the replacement of an export, and check what is left."""
    if exchange:
        files._exchange = lambda *_: False
    kills, wrong, step = 0, [], int(first)
    while True:
        parent = Path(folder, str(step))
        target = parent / "t"
        parent.mkdir()
        attempt(fetch, target)
        if not killed(target, step):
            break
        kills += 1
        if not exchange and here(target) != ROWS:
            wrong.append(f"{step}: a reader finds {here(target)} rows")
        attempt(no_service, target)
        if here(target) != ROWS:
            wrong.append(f"{step}: without the service {here(target)} rows are left")
        if attempt(fetch, target) or here(target) != ROWS:
            wrong.append(f"{step}: the next export fails")
        if [entry.name for entry in parent.iterdir()] != ["t"]:
            wrong.append(f"{step}: {[entry.name for entry in parent.iterdir()]}")
        step += int(every)
    print(json.dumps({"kills": kills, "wrong": wrong}))


if __name__ == "__main__":
    main(*sys.argv[1:])
