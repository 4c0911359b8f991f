"""Messages that are written for Python, in the terms of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..errors.base import OptionError


def with_option_names(message: str, option_by_name: Mapping[str, str]) -> str:
    """A message about parameters and calls of Python in terms of options and commands.

    `option_by_name` are the options of the command by the names of their parameters.

    >>> with_option_names("name yours with columns=", {"column": "--column"})
    'name yours with --column'
    >>> with_option_names("pass delimiter=';'", {"delimiter": "--delimiter"})
    "pass --delimiter ';'"
    >>> with_option_names("look in lab.individuals.list()", {})
    'look in paylab list individuals'
    """
    for call_pattern, command_text in _COMMAND_BY_CALL:
        message = call_pattern.sub(command_text, message)
    message = _FILTER_CALL.sub(_write_list_command, message)
    return _PARAMETER.sub(lambda match: _find_option(match, option_by_name) or match[0], message)


def describe_problems(error: OptionError, option_by_name: Mapping[str, str]) -> str:
    """The problems of arguments, each with its option, such as `--since: must be ...`."""
    return "; ".join(_describe_problems(error, option_by_name))


def _describe_problems(error: OptionError, option_by_name: Mapping[str, str]) -> Iterator[str]:
    """Yield each problem with its option, or with its field if the command has no such option."""
    for problem in error.problems:
        option_text = _option_of(problem.field, option_by_name)
        yield str(problem) if option_text is None else f"{option_text}: {problem.message}"


_COMMAND_BY_CALL = tuple(
    (re.compile(call_text), command_text)
    for call_text, command_text in (
        (
            r"\blab\.transfers\.find\(client_reference_id=\.\.\.\)",
            "paylab list transfers --client-reference-id ...",
        ),
        (r"\blab\.([a-z_]+)\.list\(\)", r"paylab list \1"),
        (r"\blab\.([a-z_]+)\.(?:get|wait)\(\"([^\"]+)\"\)", r"paylab get \1/\2"),
        (r"\blab\.([a-z_]+)\.(?:get|wait)\(id\)", r"paylab get \1/ID"),
        (r"\blab\.([a-z_]+)\.create\([^()]*\)", r"paylab post \1"),
        (r"\blab\.explain\(\)", "paylab get transfers -v"),
        (r"\bpass [a-z_]+(?: and [a-z_]+)* to connect\(\), ", ""),
        (r"\bprofile= names a profile", "PAYLAB_PROFILE names a profile"),
        (r", or poll with lab\.watch\(router\)", ""),
    )
)
"""What to type in place of a call of Python; the first groups of a pattern are its names."""
_FILTER_CALL = re.compile(r"\blab\.([a-z_]+)\.list\(([a-z_]+)=\.\.\.\)")
"""The call of a list with a filter, which is an option of `paylab list`."""
_PARAMETER = re.compile(
    r"\b(?P<name>[a-z_]+)=(?:(?P<off>False\b)|(?P<value>'[^']*'|\"[^\"]*\")|(?![^\s;,)]))"
)
"""A parameter without a value, with a quoted one, or one that is switched off."""


def _write_list_command(call_match: re.Match[str]) -> str:
    """The command of a filtered `lab.….list()`, such as `paylab list transfers --status ...`."""
    resource_name, filter_name = call_match.groups()
    return f"paylab list {resource_name} --{filter_name.replace('_', '-')} ..."


def _find_option(parameter_match: re.Match[str], option_by_name: Mapping[str, str]) -> str | None:
    """The option for a parameter, such as `--column` for columns=; None if there is none."""
    parameter_name = parameter_match["name"]
    # `references=False` is the option --no-references
    wanted_name = f"no_{parameter_name}" if parameter_match["off"] else parameter_name
    option_text = _option_of(wanted_name, option_by_name)
    value_text = parameter_match["value"]
    return f"{option_text} {value_text}" if option_text and value_text else option_text


def _option_of(parameter_name: str, option_by_name: Mapping[str, str]) -> str | None:
    """The option for the name of a parameter, such as `--status` for status_map; None if none."""
    for option_name in (
        parameter_name,
        parameter_name.removesuffix("s"),
        parameter_name.removesuffix("_map"),
    ):
        if option_name in option_by_name:
            return option_by_name[option_name]
    return None
