"""Forked children of a test: what one does, and how it ended."""

from __future__ import annotations

import os
import signal


def fork(work):
    """Start a child that ends with the status that `work` returns; return its id."""
    child = os.fork()
    if child:
        return child
    status = 99
    signal.signal(signal.SIGINT, signal.default_int_handler)  # not what an earlier test left
    try:
        status = work()
    finally:
        os._exit(status)


def ended(child):
    """The exit status of a child; negative if it was killed."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
