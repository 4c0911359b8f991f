"""A program that runs while a simulator is served, with the simulator in its environment."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event

from .. import runtime
from ..client.settings import PREFIX
from ..errors.base import ConfigError

SIGNALLED = 128
"""What shells add to the number of the signal that ended a program."""


def run_program(command: Sequence[str], variables: Mapping[str, str], stopped: Event) -> int:
    """Run a program to its end; its exit status, or 128 and the number of the signal that ended it.

    It has this process's input and output, and its environment with `variables` in place of all
    other variables of paylab: a configured shell must not change what it does.
    SIGINT and SIGTERM are sent on to it, also one that has set `stopped` while it started.
    """
    value_by_other_variable = {
        variable_name: variable_text
        for variable_name, variable_text in os.environ.items()
        if not variable_name.startswith(PREFIX)
    }
    try:
        program_process = runtime.start_process(
            command, env={**value_by_other_variable, **variables}
        )
    except OSError as error:
        hint_text = f"; --port {command[0]} is a port" if command[0].isdecimal() else ""
        message = f"cannot run {command[0]!r}: {error.strerror}{hint_text}"
        raise ConfigError(message) from None

    def send_on(signal_number: int, _: object) -> None:
        """Send a signal on, unless the terminal has sent it to the program too."""
        if signal_number != signal.SIGINT or not _is_interrupted_by_terminal(program_process):
            program_process.send_signal(signal_number)

    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, send_on)
    if stopped.is_set():  # a signal came before `send_on` was in place
        program_process.terminate()
    exit_status = program_process.wait()
    # Popen gives a signal as -number.
    return exit_status if exit_status >= 0 else SIGNALLED - exit_status


def _is_interrupted_by_terminal(child: subprocess.Popen[bytes]) -> bool:
    """Whether Ctrl-C in the terminal reaches the program itself: a second SIGINT would kill many.

    A terminal interrupts the process group in its foreground.
    """
    try:
        with Path("/dev/tty").open() as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgid(child.pid)
    except OSError:
        return False
