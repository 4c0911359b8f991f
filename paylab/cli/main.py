"""The commands by name, and how their failures end."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import NoReturn

from .. import __version__
from ..errors import ConfigError, PaylabError
from ..spec.printable import printable
from . import (
    doctor,
    export,
    jupyter,
    listen,
    payout,
    qr,
    scrub,
    sign,
    simulator,
    trigger,
    walkthrough,
)
from .terminal import warn_user

COMMANDS: dict[str, ModuleType] = {
    "lab": jupyter,
    "simulator": simulator,
    "walkthrough": walkthrough,
    "export": export,
    "payout": payout,
    "listen": listen,
    "trigger": trigger,
    "qr": qr,
    "sign": sign,
    "scrub": scrub,
    "doctor": doctor,
}
"""Each module has `HELP`, `arguments(parser)` and `run(options) -> exit status`."""

DONE, FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; errors go to stderr in one sentence."""
    options = parser().parse_args(argv)
    try:
        return int(COMMANDS[options.command].run(options))
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


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = Parser(prog="paylab", description=_DESCRIPTION)
    top.add_argument("--version", action="version", version=f"paylab {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        command = commands.add_parser(name, help=module.HELP, description=module.__doc__)
        module.arguments(command)
    return top


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
