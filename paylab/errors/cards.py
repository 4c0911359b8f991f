"""How a notebook shows an error: its message, folded, without the frames of this package."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

TRACEBACK_ADVICE = "  Full traceback: import sys; print(sys.last_value.traceback())"
CARD_WIDTH = 72
"""Characters in a line of an error; JupyterLab breaks longer ones in the middle of words."""


def fold_lines(lines: Iterable[str]) -> list[str]:
    """Fold lines to fit a narrow notebook, and escape them."""
    from textwrap import TextWrapper  # with an error, not with `import paylab`

    from .text import printable

    wrapper = TextWrapper(CARD_WIDTH, subsequent_indent="    ", break_long_words=False)
    wrapper.break_on_hyphens = False
    return [printable(folded_line) for line in lines for folded_line in wrapper.wrap(line)]


class CardError(Exception):
    """An error that a notebook shows as a card."""

    def traceback(self) -> str:
        """The full traceback; a notebook shows only the card."""
        from traceback import format_exception

        from .text import printable_lines

        return printable_lines("".join(format_exception(self)))

    def card(self) -> list[str]:
        """The lines to show in a terminal or a notebook."""
        return fold_lines([f"{type(self).__name__}: {self}"])

    def _render_traceback_(self) -> list[str]:
        """Show the card instead of the traceback; called by IPython."""
        return [*self.card(), *fold_lines(_describe_cell_line(self)), TRACEBACK_ADVICE]


def _describe_cell_line(error: Exception) -> Iterator[str]:
    """Yield a line that tells which line of a cell failed; nothing if the cell has only one.

    The text of the line ends at its first bracket or quote: what follows can be a key.
    """
    from linecache import getlines
    from traceback import walk_tb

    cell_frames = [
        (frame.f_code.co_filename, line_number)
        for frame, line_number in walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__") == "__main__"
    ]
    if not cell_frames:
        return
    file_name, line_number = cell_frames[-1]
    cell_lines = getlines(file_name)
    if len(cell_lines) <= 1 or line_number > len(cell_lines):
        return
    failed_line = cell_lines[line_number - 1].strip()
    shown_text = re.split("[('\"]", failed_line, maxsplit=1)[0]
    cut_text = failed_line.removeprefix(shown_text)
    ending = "…" if cut_text else ""
    if cut_text.startswith("("):
        ending = "(…)"
    yield f"  Line {line_number}: {shown_text}{ending}"


class MisuseError(CardError, TypeError):
    """A TypeError for a call or a use that no object of this kind takes."""

    def __reduce__(self) -> tuple[type[TypeError], tuple[str]]:
        """Pickle it as the TypeError that it is shown as."""
        return TypeError, (str(self),)


class AbsentAttributeError(CardError, AttributeError):
    """An AttributeError for a name that an object does not have."""

    def __reduce__(self) -> tuple[type[AttributeError], tuple[str]]:
        """Pickle it as the AttributeError that it is shown as."""
        return AttributeError, (str(self),)


class LateAttributeError(AbsentAttributeError):
    """An AttributeError whose message, which searches for similar names, is made when it is shown.

    `hasattr` and the import of a submodule ask for names, too, and nobody sees these errors.
    """

    def __init__(self, write_message: Callable[[], str]) -> None:
        """Keep the function that writes the message."""
        super().__init__()
        self._write_message = write_message

    def __str__(self) -> str:
        """The message, which is written now."""
        return self._write_message()


def _show_as(error_class: type[Exception], builtin_class: type[Exception]) -> None:
    """Show errors of a class under the name of the built-in class that it extends."""
    error_class.__name__ = builtin_class.__name__
    error_class.__qualname__ = builtin_class.__name__
    error_class.__module__ = builtin_class.__module__


_show_as(MisuseError, TypeError)
_show_as(AbsentAttributeError, AttributeError)
_show_as(LateAttributeError, AttributeError)
