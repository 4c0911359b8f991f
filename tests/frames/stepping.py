"""Kill exports before single steps: run as `stepping.py FOLDER FIRST EVERY`.

A step opens, renames, creates or removes a file; an audit hook of Python kills the process just
before it. Prints the number of kills on a system that exchanges folders and on one that cannot,
and what a reader, a run without the service and a run with the service find wrong afterwards.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

import pyarrow.parquet as pq

from paylab import frames
from paylab.storage import folders

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


def kills(folder, first, every, wrong, exchange):
    """Kill before steps of the replacement of an export, check what is left, count the kills."""
    count = 0
    for step in range(first, 10**6, every):
        target = Path(shutil.copytree(Path(folder, "before"), Path(folder, f"{exchange} {step}")))
        target /= "t"
        if not killed(target, step):
            return count
        count += 1
        place = f"step {step}, exchange {exchange}"
        if exchange and here(target) != ROWS:
            wrong.append(f"{place}: a reader finds {here(target)} rows")
        attempt(no_service, target)
        if here(target) != ROWS:
            wrong.append(f"{place}: without the service {here(target)} rows are left")
        if attempt(fetch, target) or here(target) != ROWS:
            wrong.append(f"{place}: the next export fails")
        left = sorted(entry.name for entry in target.parent.iterdir())
        if left != ["t", "t.columns.json"]:
            wrong.append(f"{place}: {left}")
    return count


def main(folder, first, every):
    """Kill exports that exchange the old folder and the new one, and exports that cannot."""
    before, wrong = Path(folder, "before", "t"), []
    before.parent.mkdir()
    attempt(fetch, before)
    found = [kills(folder, int(first), int(every), wrong, exchange=True)]
    folders._exchange_names = lambda *_: False
    found.append(kills(folder, int(first), int(every), wrong, exchange=False))
    print(json.dumps({"kills": found, "wrong": wrong}))


if __name__ == "__main__":
    main(*sys.argv[1:])
