"""Show the calls of your notebooks, programs and commands on this machine.

Each attempt is a line: time, sender, service, method, path, status and size, without secrets and
bodies. Calls are not stored: you see only those made while this command runs.
"""

from __future__ import annotations

import argparse
from contextlib import closing
from functools import partial

from ..client.followers import Follower
from ..errors.base import ConfigError
from ..spec.text import JsonMapping, printable, show_json
from .terminal import follow, say, status_colour

EXAMPLE = "paylab calls --follow"
CHECK_SECONDS = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--follow", action="store_true", help="show each call as it is made, until Ctrl-C"
    )
    parser.add_argument("--failed", action="store_true", help="only calls that did not succeed")
    parser.add_argument("--json", action="store_true", help="print a JSON line for each call")


def run(options: argparse.Namespace) -> int:
    """Show new calls until Ctrl-C or SIGTERM; ConfigError without --follow."""
    if not options.follow:
        raise ConfigError(
            "calls are not kept on disk: use `paylab calls --follow` to see new ones,"
            " and `lab.calls` in a notebook for its own"
        )
    with closing(Follower()) as follower:
        show_call = partial(_show_call, as_json=options.json, failed=options.failed)
        return follow(lambda _: follower.calls(CHECK_SECONDS), show_call, "call")


def _show_call(call: JsonMapping, *, as_json: bool, failed: bool) -> bool:
    """Show a call, or with `failed` only a failed one; return whether it was shown."""
    is_success = call["status"] in range(200, 300)
    if failed and is_success:
        return False
    if as_json:
        say(show_json(dict(call)))
        return True
    answer_status = call["status"]
    outcome_text = str(answer_status or "no answer")
    if call["trouble"]:
        outcome_text += f" ({call['trouble']})"
    call_values = (call["from"], call["service"], call["method"], call["path"], "->", outcome_text)
    call_line = "  ".join(printable(str(call_value)) for call_value in call_values)
    say(f"{call['when'][11:19]}  {call_line}  {call['bytes']} bytes", status_colour(answer_status))
    return True
