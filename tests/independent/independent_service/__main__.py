"""Serve until interrupted: `python -m independent_service --deviation quotes-at-quote`."""

from __future__ import annotations

import argparse
import time

from .deviations import DEVIATIONS
from .server import Server
from .service import Service


def main(arguments: list[str] | None = None) -> None:
    """Print the environment of a client, then serve. With --list, only print the deviations."""
    parser = argparse.ArgumentParser(prog="independent_service")
    parser.add_argument("--deviation", action="append", default=[], choices=sorted(DEVIATIONS))
    parser.add_argument("--delay", type=float, default=0.05, help="seconds of every step")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--transfers", type=int, default=0, help="completed ones to begin with")
    parser.add_argument("--list", action="store_true", help="print the deviations and stop")
    options = parser.parse_args(arguments)
    if options.list:
        for name, deviation in DEVIATIONS.items():
            print(f"{name:28} {deviation.says}")
        return
    service = Service(options.deviation, delay=options.delay)
    service.seed_transfers(options.transfers)
    with Server(service, options.port) as server:
        for name, value in server.environment.items():
            print(f"export {name}={value}", flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
