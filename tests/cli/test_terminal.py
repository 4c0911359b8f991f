"""Terminal output: help, examples, completion, colours, and the confirmation of payments."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
from argparse import ArgumentTypeError

import pytest

from paylab.cli import terminal
from paylab.cli.main import COMMANDS, command_example, command_module, main, parser
from paylab.lab.place import Place


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        """Return True."""
        return True


def subparser(name):
    """The parser of a command."""
    return parser([name])._subparsers._group_actions[0].choices[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example_that_can_be_parsed(name):
    """The help of every command has an example, which the parser accepts."""
    example = command_example(name, command_module(name))
    words = shlex.split(example)
    assert words[:2] == ["paylab", name]
    assert parser([name]).parse_args(words[1:]).command == name
    assert f"example:\n  {example}\n" in subparser(name).format_help()


@pytest.mark.parametrize("columns", [60, 80, 100])
@pytest.mark.parametrize("name", COMMANDS)
def test_the_description_of_a_command_fits_the_terminal(monkeypatch, name, columns):
    """A description has the width of the terminal, all its words and its paragraphs."""
    monkeypatch.setenv("COLUMNS", str(columns))
    description = subparser(name).description
    paragraphs = description.strip().split("\n\n")
    printed = subparser(name).format_help().split("\n\n")[1 : 1 + len(paragraphs)]
    assert [text.split() for text in printed] == [text.split() for text in paragraphs]
    lines = [line for text in printed for line in text.splitlines()]
    assert [line for line in lines if len(line) > columns and " " in line] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_usage_and_options_fit_the_terminal(monkeypatch, name):
    """No line of usage or of an option is wider than the terminal, long choices included."""
    monkeypatch.setenv("COLUMNS", "80")
    before_example, _, _ = subparser(name).format_help().partition("example:")
    assert [line for line in before_example.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_is_and_what_its_default_is(name):
    """Every option has a help text, which names the default if there is one."""
    actions = subparser(name)._actions
    assert [each.dest for each in actions if not each.help] == []
    formatter = subparser(name)._get_formatter()
    optional = [each for each in actions if each.option_strings and each.nargs != 0]
    known = [each for each in optional if each.default is not None]
    told = [each.dest for each in known if "default" not in formatter._get_help_string(each)]
    assert told == []


@pytest.mark.parametrize(
    ("shell", "commands", "option"),
    [
        ("bash", r"^_shtab_paylab_subparsers=\((.*)\)$", r"^_shtab_paylab_export_.* --excel-safe "),
        ("zsh", r"^ +([\w-]+):'", r'^ +"--excel-safe\['),
        ("tcsh", r"'p/1/\((.*)\)/'", r"'c/--/\(.* excel-safe "),
    ],
    ids=["bash", "zsh", "tcsh"],
)
def test_a_completion_script_knows_every_command(shell, commands, option, capsys):
    """A completion script offers exactly the commands, and options such as --excel-safe."""
    with pytest.raises(SystemExit) as ended:
        main(["--print-completion", shell])
    script = capsys.readouterr().out
    assert ended.value.code == 0
    offered = " ".join(re.findall(commands, script, re.MULTILINE)).split()
    assert sorted(offered) == sorted(COMMANDS)
    assert re.search(option, script, re.MULTILINE)


def test_the_bash_script_completes(tmp_path):
    """In bash, the script completes `paylab wal` to `paylab walkthrough`."""
    script = tmp_path / "paylab.bash"
    command = [sys.executable, "-m", "paylab", "--print-completion", "bash"]
    script.write_bytes(subprocess.run(command, capture_output=True, check=True).stdout)
    ask = f"source {script}; COMP_WORDS=(paylab wal); COMP_CWORD=1; _shtab_paylab; "
    done = subprocess.run(
        ["bash", "-c", ask + 'echo "${COMPREPLY[@]}"'], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "walkthrough"


@pytest.mark.parametrize(
    ("variables", "stream", "shown"),
    [
        ({"TERM": "xterm"}, Terminal(), "\x1b[31mno\\x1b[2J\x1b[0m\n"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, Terminal(), "no\\x1b[2J\n"),
        ({"TERM": "dumb"}, Terminal(), "no\\x1b[2J\n"),
        ({"TERM": "xterm"}, io.StringIO(), "no\\x1b[2J\n"),
    ],
)
def test_colours_are_for_terminals(monkeypatch, variables, stream, shown):
    """Only a terminal without NO_COLOR gets colours; control characters are always escaped."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", stream)
    terminal.say("no\x1b[2J", "red")
    assert stream.getvalue() == shown


@pytest.mark.parametrize(("number", "text"), [(0, "0 payouts"), (1, "1 payout"), (2, "2 payouts")])
def test_the_noun_of_a_count_is_in_the_singular_for_1_only(number, text):
    """The noun of a count is in the singular for 1 only."""
    assert terminal.count(number, "payout") == text


@pytest.mark.parametrize(
    ("status", "colour"),
    [(200, ""), (299, ""), (301, "yellow"), (404, "yellow"), (500, "red"), (None, "red")],
)
def test_a_status_has_the_colour_of_its_kind(status, colour):
    """Success is plain, a refusal yellow, a failure and no answer red."""
    assert terminal.status_colour(status) == colour


@pytest.mark.parametrize("colour", [("red", 31), ("green", 32), ("yellow", 33)])
def test_a_colour_is_that_of_terminals(monkeypatch, colour):
    """The numbers of ECMA-48."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    terminal.warn_user("x", colour[0])
    assert sys.stderr.getvalue() == f"\x1b[{colour[1]}mx\x1b[0m\n"


@pytest.mark.parametrize(
    ("arguments", "text", "value"),
    [((0, 10), "10", 10), ((0, 10), "0", 0), ((2,), "3", 3), ((0.5, 2), "0.5", 0.5)],
)
def test_a_number_may_be_at_its_limits(arguments, text, value):
    """Both ends of a range are in it."""
    assert terminal.in_range(*arguments)(text) == value


@pytest.mark.parametrize("text", ["11", "-1", "1.5", "x", ""])
def test_a_number_outside_its_range_is_refused(text):
    """One beyond the limits, a fraction and a word."""
    with pytest.raises(ArgumentTypeError, match="must be from 0 to 10"):
        terminal.in_range(0, 10)(text)


SANDBOX = Place("sandbox", "https://sandbox.example.com")


@pytest.mark.parametrize(
    ("place", "typed", "yes", "sent"),
    [
        (Place("embedded", "http://localhost"), "no\n", False, True),
        (Place("shared", "http://127.0.0.1:9"), "no\n", False, True),
        (SANDBOX, "yes\n", False, True),
        (SANDBOX, "no\n", False, False),
        (SANDBOX, "", False, False),
        (SANDBOX, "no\n", True, True),
        (Place("other", "https://api.example.com"), "\n", False, False),
    ],
)
def test_a_payment_is_confirmed(monkeypatch, capsys, place, typed, yes, sent):
    """A payment needs a typed yes, unless the service is a simulator or --yes is given."""
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    if sent:
        terminal.confirm(place, "send 1 payout", yes=yes)
        return
    with pytest.raises(terminal.ConfigError, match="nothing was sent"):
        terminal.confirm(place, "send 1 payout", yes=yes)
    assert f"{place}: send 1 payout? Type yes: " in capsys.readouterr().err
