"""Words of a command line that paylab does not know: what is probably meant, as a hint."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from ..errors.choices import find_choice
from ..errors.suggestions import find_nearest_name, find_suggestion

_LISTED = ("individual", "transfer", "conversion_account", "conversion", "webhook_subscription")
_HINT_BY_NOUN = {
    **{noun: f"to list them: paylab list {noun}s" for noun in _LISTED},
    **{f"{noun}s": f"to list them: paylab list {noun}s" for noun in _LISTED},
    **dict.fromkeys(["quote", "quotes"], "to get one: paylab post quotes --json ..."),
    **dict.fromkeys(["balance", "balances"], "lab.balance() shows it in a notebook"),
}
"""How to read objects, by the nouns that somebody may take for commands."""
_COMMAND_SYNONYMS = {
    **dict.fromkeys(["auth", "config", "configure", "login", "setup"], "init"),
    **dict.fromkeys(["check", "health", "ping", "status"], "doctor"),
    **dict.fromkeys(["jupyter", "notebook", "notebooks"], "lab"),
    **dict.fromkeys(["api", "curl", "request"], "get"),
    **dict.fromkeys(["pay", "send"], "payout"),
    **dict.fromkeys(["download", "fetch"], "export"),
    **dict.fromkeys(["logs", "tail"], "calls"),
    **dict.fromkeys(["events", "webhook", "webhooks"], "listen"),
    **dict.fromkeys(["mock", "serve", "server", "start"], "simulator"),
    **dict.fromkeys(["docs", "schema", "spec", "swagger"], "openapi"),
    **dict.fromkeys(["redact", "sanitize"], "scrub"),
    "verify": "sign",
    "onramp": "walkthrough",
    "version": "--version",
}
"""The commands that a word of another program may mean."""
_OPTION_SYNONYMS = {
    **dict.fromkeys(["out", "output", "o"], ("to", "out")),
    **dict.fromkeys(["data", "body", "payload", "d"], ("body", "json")),
    **dict.fromkeys(["check", "validate"], ("dry_run",)),
    **dict.fromkeys(["from", "start", "after"], ("since", "har")),
    **dict.fromkeys(["end", "before"], ("until",)),
    **dict.fromkeys(["tail", "watch", "f"], ("follow",)),
    **dict.fromkeys(["file", "image"], ("scan",)),
    "n": ("limit", "last"),
    "p": ("port",),
    "y": ("yes",),
}
"""The options that another program's option may mean, by its name."""
_OUTPUT_OPTIONS = ("format", "json", "output", "o")
"""Options of other programs that choose the form of the output."""
_INPUT_OPTIONS = ("f", "file", "input", "path", "to", "out", "output", "o", "dir", "folder")
"""Options of other programs with a path that is an argument here."""
_SETTING_BY_OPTION = {"profile": "PAYLAB_PROFILE", "base-url": "PAYLAB_BASE_URL"}
"""The variables that are set in place of an option."""
_PATH_NAMES = ("BOOKS", "DIR/", "FILE", "FILE.csv")
"""The names of arguments that are paths."""


def suggest_command(word: str, commands: Collection[str]) -> str:
    """Say which command a wrong one means: `; did you mean payout?`; "" if none is near."""
    if word in _HINT_BY_NOUN:
        return f"; {_HINT_BY_NOUN[word]}"
    likely_command = suggest_word(word, commands) or _COMMAND_SYNONYMS.get(word)
    if likely_command:
        return f"; did you mean {likely_command}?"
    misspelt_word = find_nearest_name(word, {*_HINT_BY_NOUN, *_COMMAND_SYNONYMS})
    return suggest_command(misspelt_word, commands) if misspelt_word else ""


def suggest_word(word: str, choices: Collection[str]) -> str | None:
    """The only choice that starts with a word, or else a similar one; None if there is none."""
    starting_words = [choice for choice in choices if choice.startswith(word)]
    only_word = starting_words[0] if len(starting_words) == 1 else None
    return only_word or find_choice(word, [*choices])


class CommandWords:
    """The options and arguments of a command, which tell what a word that is none of them means."""

    def __init__(self, command: str, actions: Iterable[argparse.Action]) -> None:
        """Take the name of the command, and what its parser takes."""
        self._command = command
        self._argument_names: list[str] = []
        self._option_by_name: dict[str, str] = {}
        self._metavar_by_name: dict[str, str] = {}
        for action in actions:
            metavar = str(action.metavar or action.dest.upper())
            if not action.option_strings and action.nargs != argparse.PARSER:
                self._argument_names.append(metavar)
            for option_text in action.option_strings:
                if option_text.startswith("--"):
                    option_name = option_text.removeprefix("--").replace("-", "_")
                    self._option_by_name[option_name] = option_text
                    self._metavar_by_name[option_name] = metavar

    def hint_at(self, word: str) -> str:
        """What a wrong word means, as the end of an error; the most special hint that applies."""
        option_name = word.partition("=")[0].lstrip("-")
        if option_name in _SETTING_BY_OPTION:
            return f": set {_SETTING_BY_OPTION[option_name]}"
        if word.startswith(("http://", "https://")) and not self._argument_names:
            return f": set {_SETTING_BY_OPTION['base-url']}"
        if word.startswith(("{", "[")) and "body" in self._option_by_name:
            return ": give a body with --body FILE, or on stdin with --body -"
        likely_option = self._find_option(option_name)
        if likely_option:
            return f"; did you mean {likely_option}?"
        if word.startswith("-"):
            return self._hint_at_option(word, option_name)
        return f": {self._hint_at_argument(word)}"

    def _find_option(self, option_name: str) -> str | None:
        """The option that a name means, or several joined by "or"; None if none is near."""
        suggestion = find_suggestion(option_name.replace("-", "_"), self._option_by_name) or ""
        known_names: Mapping[str, str] = self._option_by_name
        # A suggestion may be several names: source_currency or destination_currency.
        if {*re.findall(r"\w+", suggestion)} - {"or"} <= known_names.keys() and suggestion:
            return re.sub(r"\w+", lambda name: known_names.get(name[0], name[0]), suggestion)
        synonyms = _OPTION_SYNONYMS.get(option_name, ())
        return next((known_names[name] for name in synonyms if name in known_names), None)

    def _hint_at_option(self, word: str, option_name: str) -> str:
        """What a wrong option means, or else all options."""
        path_names = [name for name in self._argument_names if name in _PATH_NAMES]
        if self._command in ("get", "post", "list", "openapi") and option_name in _OUTPUT_OPTIONS:
            return ": the output is JSON already"
        if self._command == "get" and word.startswith("--"):
            return f": write it in the path, as 'transfers?{option_name}=...'"
        if path_names and option_name in _INPUT_OPTIONS:
            return f": write {path_names[0]} without {word.partition('=')[0]}"
        return f": options are {', '.join(self._option_by_name.values())}"

    def _hint_at_argument(self, word: str) -> str:
        """What a wrong argument means, such as "it takes only one FILE.csv"."""
        shown_word = word[:40]
        for option_name in self._list_path_options():
            is_folder = self._metavar_by_name[option_name] == "DIR"
            if is_folder or "." in word:
                return f"did you mean {self._option_by_name[option_name]} {shown_word}?"
        if self._argument_names == ["PATH"]:
            is_field = "=" in word and self._command == "post"
            advice_text = "; the body is --json '{...}'" if is_field else ", such as transfers/ID"
            return f"it takes only one PATH{advice_text}"
        if self._argument_names:
            return f"it takes only one {' and one '.join(self._argument_names)}"
        return "it takes options only"

    def _list_path_options(self) -> Iterator[str]:
        """Yield the names of options with a path, unless an argument of the command is one."""
        if not any("." in name or name in _PATH_NAMES for name in self._argument_names):
            yield from (name for name in ("to", "out") if name in self._option_by_name)
