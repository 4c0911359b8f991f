"""How the help of commands is written."""

from __future__ import annotations

import argparse
import textwrap

GROUP_TITLES = {
    "lab": "Start",
    "get": "Single requests",
    "export": "Payments and books",
    "calls": "Events and readiness",
    "simulator": "Simulator and tools",
}
"""The title above each group of commands in the help, by its first command."""


class Help(argparse.HelpFormatter):
    """Help with the default values of options and with titles for groups of commands."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Wrap each paragraph to the width; indented lines, which are copied, stay as they are."""
        paragraphs = text.strip().split("\n\n")
        return "\n\n".join(_wrap_paragraph(paragraph, width, indent) for paragraph in paragraphs)

    def _format_action(self, action: argparse.Action) -> str:
        """The help of an option or a command, below the title of its group if it is the first."""
        help_text = super()._format_action(action)
        group_title = GROUP_TITLES.get(str(action.metavar))
        return f"\n  {group_title}:\n{help_text}" if group_title else help_text

    def _get_help_string(self, action: argparse.Action) -> str:
        """The help of an option, with its default value unless that is empty or named already."""
        help_text = action.help or ""
        has_default = action.default not in (None, "", argparse.SUPPRESS) and action.nargs != 0
        if not has_default or "default" in help_text:
            return help_text
        return f"{help_text} (default: %(default)s)"


def _wrap_paragraph(paragraph: str, width: int, indent: str) -> str:
    """A paragraph in lines of at most `width` characters, unless it has indented lines."""
    if "\n " in paragraph:
        return textwrap.indent(paragraph, indent)
    return textwrap.fill(
        " ".join(paragraph.split()),
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
