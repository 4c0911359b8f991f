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
    _replace_closed_streams()
    try:
        try:
            return _run()
        finally:
            sys.stdout.flush()  # here, since Python prints the error of a flush at its end
    except BrokenPipeError:  # nobody reads the output any more
        _discard_output()
        return 0


def _run() -> int:
    """Read the options and run the command."""
    from .cli.main import read_options, run
    from .cli.terminal import escape_unwritable_characters

    escape_unwritable_characters()
    options = read_options()  # this loads the module of the command
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # the command handles it itself
    return run(options)


def _replace_closed_streams() -> None:
    """Discard what is printed to a stream that the shell closed, as with `>&-`."""
    for stream_name in ("stdout", "stderr"):
        if getattr(sys, stream_name) is None:
            setattr(sys, stream_name, open(os.devnull, "w"))  # noqa: SIM115 - to the end


def _discard_output() -> None:
    """Write what is still to be printed to nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())


def _leave(*_: object) -> None:
    """Handle an interrupt: say so in one line, and end the process at once."""
    sys.stderr.write("paylab: interrupted\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
