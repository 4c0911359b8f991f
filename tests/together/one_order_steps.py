"""A process that ends at a chosen step of an order: a call of its ledger, locks or network."""

from __future__ import annotations

import os
import signal
import sys
import threading

STEPS = {
    "sqlite3": ("connect", "execute", "executemany", "executescript", "commit", "close"),
    "socket": ("connect", "send", "sendall", "recv"),
    "fcntl": ("flock", "lockf"),
}
"""The calls, by module, that change something outside the process or learn of it."""
NAMES = frozenset().union(*STEPS.values())


class Steps:
    """A profile function that ends the process just before a step."""

    def __init__(self, at, how, modules):
        self.at, self.how, self.modules, self.count = at, how, modules, 0

    def __call__(self, frame, event, function):
        """Count a call that is a step."""
        if event != "c_call" or function.__name__ not in NAMES:  # thousands of calls are none
            return
        if not is_step(function, self.modules):
            return
        self.count += 1
        if self.count == self.at:
            os._exit(9) if self.how is None else os.kill(os.getpid(), self.how)


def is_step(function, modules):
    """Whether a function, or a method of an object, is a step of these modules."""
    owner = type(getattr(function, "__self__", None)).__module__
    places = [str(place).strip("_") for place in (owner, function.__module__)]
    return any(function.__name__ in STEPS[place] for place in places if place in modules)


def killed_at_step(at, work, modules=tuple(STEPS)):
    """Do the work, and end the process at a step; return 0 if there are fewer."""
    steps = Steps(at, signal.SIGKILL if at % 2 else None, modules)
    threading.setprofile(steps)
    sys.setprofile(steps)
    work()
    sys.setprofile(None)
    return 0
