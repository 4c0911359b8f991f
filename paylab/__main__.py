"""The entry point: `paylab` and `python -P -m paylab`.

Without -P, Python would import modules of the current folder, which may be somebody else's.
"""

import os
import signal
import sys

INTERRUPTED = 130


def main() -> int:
    """Run a command; an interrupt ends it in one line, also while modules are loaded.

    During the loading of a module, an interrupt may raise other errors than KeyboardInterrupt.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from .cli.main import read_options, run
    from .cli.terminal import escape_unwritable_characters

    escape_unwritable_characters()
    options = read_options()  # this loads the module of the command
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # the command handles it itself
    return run(options)


def _leave(*_: object) -> None:
    """Handle an interrupt: say so in one line, and end the process at once."""
    sys.stderr.write("paylab: interrupted\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
