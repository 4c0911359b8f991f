"""The commands by name, and how their failures end."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from types import ModuleType
from typing import NoReturn

from .. import __version__
from ..errors import ConfigError, PaylabError
from ..spec.text import printable
from .terminal import warn_user

COMMANDS: dict[str, str] = {
    "lab": "open JupyterLab on the notebooks",
    "simulator": "serve the simulated service over HTTP",
    "walkthrough": "go through an on-ramp in the terminal",
    "probe": "ask a service what the specification leaves open",
    "export": "write transfers or conversions to CSV or Parquet",
    "payout": "send a CSV file of payouts, resumable",
    "listen": "receive events, and forward them to a handler of your own",
    "trigger": "make the simulator send an event",
    "qr": "draw, explain or read a QR payload",
    "sign": "sign a request and show how",
    "scrub": "take keys, images and document numbers out of notebooks, HAR files and snapshots",
    "doctor": "check settings, reachability, clock and versions",
}
"""The commands and what they do. Each has a module with `arguments(parser)` and `run(options)`."""

DONE, FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; errors go to stderr in one sentence."""
    given = list(sys.argv[1:] if argv is None else argv)
    named = [name for name in COMMANDS if name in given[:1]]
    options = parser(named).parse_args(given)
    try:
        return int(_module(options.command).run(options))
    except ConfigError as error:
        return _fail(error, WRONG_USE)
    except (PaylabError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            return _quiet_pipe()
        return _fail(error, FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED


class Parser(argparse.ArgumentParser):
    """A parser that says in one sentence what is wrong, and where to read how it is meant."""

    def error(self, message: str) -> NoReturn:
        """End with the status of wrong use."""
        self.exit(WRONG_USE, f"{self.prog}: {printable(message)}; see {self.prog} --help\n")


def parser(loaded: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """The command line; only the commands that are `loaded` know their own options."""
    top = Parser(prog="paylab", description=_DESCRIPTION)
    top.add_argument("--version", action="version", version=f"paylab {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, what in COMMANDS.items():
        module = _module(name) if name in loaded else None
        command = commands.add_parser(name, help=what, description=getattr(module, "__doc__", None))
        if module is not None:
            module.arguments(command)
    return top


def _module(name: str) -> ModuleType:
    """The module of a command; `lab` is the name of a chapter."""
    return import_module(f"{__package__}.{'jupyter' if name == 'lab' else name}")


def _fail(error: Exception, status: int) -> int:
    hint = getattr(error, "hint", None)
    warn_user(f"paylab: {_words(error)}" + (f". Try: {hint}" if hint else ""))
    return status


def _words(error: Exception) -> str:
    """What went wrong; of a file, its name and the system's words without their number."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _quiet_pipe() -> int:
    """Whoever read the output stopped reading: nothing more to say."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return DONE


_DESCRIPTION = "Explore and integrate a cross-border payments service."
