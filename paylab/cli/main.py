"""The commands by name, and their exit status."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Collection, Iterable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

from .. import __version__
from ..errors.api import APIStatusError
from ..errors.base import ArgumentError, ConfigError, OptionError, PaylabError, RuleError
from ..errors.text import printable
from .help_text import Help
from .option_names import describe_problems, with_option_names
from .terminal import warn_user

COMMANDS: dict[str, str] = {
    "lab": "open JupyterLab on a copy of the notebooks",
    "init": "check the keys of a service and write them into a profile",
    "doctor": "check settings, connection, clock and versions",
    "walkthrough": "go through an on-ramp in the terminal",
    "probe": "walk through a service, and write what it does differently",
    "site": "build static files with which the notebooks run in a browser",
    "get": "send a signed GET and print the response",
    "post": "send a signed POST and print the response",
    "list": "print every item of a list",
    "sign": "sign a request and show each layer",
    "export": "write transfers or conversions to a file or to standard output",
    "sync": "keep a folder of Parquet files up to date",
    "payout": "send a CSV file of payouts, each row once",
    "reconcile": "compare the payments of the service with your books",
    "calls": "show what notebooks and commands on this machine send",
    "requests": "show what a simulator or a proxy received, with verdicts",
    "ready": "judge an integration by its requests and deliveries",
    "listen": "receive events, and forward them to your handler",
    "trigger": "make the simulator send an event",
    "simulator": "serve the simulated service over HTTP",
    "proxy": "journal and check what is sent to a service",
    "openapi": "print the interface as an OpenAPI 3.1 document",
    "qr": "draw, explain or read a QR payload",
    "scrub": "remove keys, images and document numbers from notebooks, HAR files and snapshots",
}
"""The commands and what they do.

Each has a module with `add_arguments(parser)`, `run(options)` and `EXAMPLE`, a line to copy.
"""

MODULES = {"lab": "jupyter", "get": "request", "post": "request", "list": "request"}
"""The modules whose name differs from the command."""

READ_ONLY_COMMANDS = ("export", "get", "list", "reconcile", "sync")
"""The commands that send only GETs: their errors do not say that nothing was sent."""

DONE = 0
FAILED = 1
WRONG_USE = 2
INTERRUPTED = 130
MISUSES = (
    ArgumentError,
    ConfigError,
    RuleError,
    FileExistsError,
    FileNotFoundError,
    IsADirectoryError,
    NotADirectoryError,
)
"""The errors of a command line that cannot be right: a setting, a word, or a missing file."""
DESCRIPTION = "Explore and integrate a cross-border payments service."
HELP = """examples:
  paylab lab                               # the notebooks, on simulators
  paylab walkthrough ph                    # an on-ramp in the terminal
  paylab export transfers --to all.csv

Tab completion: paylab --print-completion bash (or zsh, tcsh)."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command with these arguments; by default with those of the process."""
    return run(read_options(argv))


def read_options(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the options of a command line; only the module of its command is loaded."""
    arguments = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    if arguments[0] == "help":  # `paylab help payout` is `paylab payout --help`
        arguments = [*arguments[1:], "--help"]
    command_names = [word for word in arguments if word in COMMANDS][:1]
    loaded_names = COMMANDS if "--print-completion" in arguments else command_names
    return parser(loaded_names).parse_args(arguments)


def run(options: argparse.Namespace) -> int:
    """Run a command; print errors to stderr as one sentence."""
    warned_texts: list[str] = []

    def print_warning(message: Warning | str, *_: object, **__: object) -> None:
        """Print a warning as one sentence, without the code location."""
        warned_texts.append(str(message))
        warn_user(f"paylab: {with_option_names(str(message), options.option_by_name)}")

    try:
        with warnings.catch_warnings():
            warnings.showwarning = print_warning
            return int(command_module(options.command).run(options))
    except BrokenPipeError:  # an OSError that the entry point ends quietly
        raise
    except MISUSES as error:
        return _print_error(
            error, exit_status=WRONG_USE, options=options, warned_texts=warned_texts
        )
    except (PaylabError, OSError) as error:
        return _print_error(error, exit_status=FAILED, options=options, warned_texts=warned_texts)
    except KeyboardInterrupt as stop:
        for note_text in getattr(stop, "__notes__", ()):  # such as what was paid
            warn_user(f"paylab: {note_text}")
        warn_user("paylab: interrupted", "red")
        return INTERRUPTED


class Parser(argparse.ArgumentParser):
    """A parser that reports an error in one sentence, with a similar word and the help command."""

    def _check_value(self, action: argparse.Action, word: Any) -> None:
        """Refuse a word that is not among the choices of an option, with a similar one."""
        if action.choices is None or word in action.choices:
            return
        from .wrong_words import suggest_command, suggest_word  # rarely needed

        choices = list(action.choices)
        if action.dest == "command":
            hint_text = suggest_command(word, choices)
            self.error(f"there is no command {word[:40]!r}{hint_text}")
        likely_word = suggest_word(word, choices)
        suggestion_text = f"; did you mean {likely_word}?" if likely_word else ""
        choices_text = ", ".join(choices)
        raise argparse.ArgumentError(
            action, f"{word[:40]!r} must be one of {choices_text}{suggestion_text}"
        )

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse the options of a command; the command itself refuses those it does not know."""
        for word in sys.argv[1:] if args is None else args:
            is_command = self._subparsers is not None and not word.startswith("-")
            if word == "--" or is_command:  # what follows is for a program or for the command
                break
            if word.startswith("--") and not self._has_option(word):  # before "X is required"
                self._refuse_word(word)
        options, unknown_words = super().parse_known_args(args, namespace)
        if unknown_words:
            self._refuse_word(unknown_words[0])
        return options, unknown_words

    def _has_option(self, word: str) -> bool:
        """Whether an option, which may be shortened, is one of this command."""
        option_text = word.partition("=")[0]
        return any(
            known_option.startswith(option_text) for known_option in self._option_string_actions
        )

    def _refuse_word(self, word: str) -> NoReturn:
        """Print that a word is no option or argument, with what is meant, and exit."""
        from .wrong_words import CommandWords  # rarely needed

        hint_text = CommandWords(self.prog.split()[-1], self._actions).hint_at(word)
        shown_word = word.partition("=")[0] if word.startswith("--") else word  # may hold a key
        self.error(f"{shown_word[:40]!r} is no option or argument here{hint_text}")

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with status 2."""
        end_text = "" if message.endswith("?") else ";"
        help_text = f"see {self.prog} --help"
        self.exit(WRONG_USE, f"{self.prog}: {printable(message)}{end_text} {help_text}\n")


def parser(loaded_commands: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """Make the parser; only the commands in `loaded_commands` have their options."""
    main_parser = Parser(prog="paylab", description=DESCRIPTION, epilog=HELP, formatter_class=Help)
    main_parser.add_argument("--version", action="version", version=f"paylab {__version__}")
    main_parser.add_argument(
        "--print-completion", action=Completion, choices=SHELLS, help="print a script for a shell"
    )
    command_parsers = main_parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command_name, description in COMMANDS.items():
        command_parser = command_parsers.add_parser(
            command_name, help=description, formatter_class=Help
        )
        if command_name in loaded_commands:
            module = command_module(command_name)
            command_parser.description = command_description(command_name, module)
            command_parser.epilog = f"example:\n  {command_example(command_name, module)}"
            module.add_arguments(command_parser)
            command_parser.set_defaults(option_by_name=_list_options(command_parser))
    return main_parser


def _list_options(command_parser: argparse.ArgumentParser) -> dict[str, str]:
    """The options of a command by the names of their values: `{"calls": "--from"}`."""
    return {
        action.dest: action.option_strings[-1]
        for action in command_parser._actions
        if action.option_strings
    }


SHELLS = ("bash", "zsh", "tcsh")


class Completion(argparse.Action):
    """Print the completion script of a shell, and exit."""

    def __call__(
        self, parser: argparse.ArgumentParser, _: object, shell: Any, *_option: object
    ) -> None:
        """Print the script for all commands."""
        import shtab

        print(shtab.complete(parser, shell=shell))
        parser.exit(DONE)


def command_module(name: str) -> ModuleType:
    """The module of a command."""
    return import_module(f"{__package__}.{MODULES.get(name, name)}")


def command_description(name: str, module: ModuleType) -> str:
    """Describe a command by the first line of its module.

    For a module with several commands, the line is about all of them.
    """
    module_text = str(module.__doc__)
    if isinstance(module.EXAMPLE, str):
        return module_text
    own_line = f"{COMMANDS[name][0].upper()}{COMMANDS[name][1:]}."
    return own_line + module_text.removeprefix(module_text.partition("\n")[0])


def command_example(name: str, module: ModuleType) -> str:
    """The example of a command; a module with several commands has a dict of them."""
    example_or_examples = module.EXAMPLE
    return str(
        example_or_examples if isinstance(example_or_examples, str) else example_or_examples[name]
    )


def _print_error(
    error: Exception, exit_status: int, options: argparse.Namespace, warned_texts: Collection[str]
) -> int:
    """Print an error with its hint, and return the exit status.

    `warned_texts` are the warnings that were printed before; they are not repeated.
    """
    hint_value = getattr(error, "hint", None)
    hint_text = f". Try: {hint_value}" if hint_value else ""
    error_text = _error_text(error, warned_texts)
    if isinstance(error, OptionError):
        error_text = describe_problems(error, options.option_by_name)
    if options.command in READ_ONLY_COMMANDS:
        error_text = error_text.removeprefix("not sent: ")  # no change was to be sent
    printed_text = with_option_names(f"{error_text}{hint_text}", options.option_by_name)
    warn_user(f"paylab: {printed_text}", "red")
    return exit_status


def _error_text(error: Exception, warned_texts: Collection[str]) -> str:
    """The text of an error; for a file, its name and the system's message without errno.

    Problems of which a warning was printed are not repeated.
    """
    if isinstance(error, APIStatusError) and error.problems:
        problem_texts = {str(problem) for problem in error.problems}
        if problem_texts.issubset(warned_texts):
            return f"{error.status} the service refuses this"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)
