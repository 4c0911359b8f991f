"""Values as HTML: times, ids, amounts, statuses and long words, each escaped."""

from __future__ import annotations

import html
import re

from ..errors.text import printable
from ..light_dataclass import light_dataclass
from .ids import ID_PATTERN, LONG_WORD_LENGTH, copy_button, shorten_id
from .style import CODE_STYLE
from .tones import ToneText, status_dot, tone_dot

LONG_IN_TEXT_LENGTH = 36
"""Length from which a word in a text may be broken; a shorter one goes to the next line."""
ONE_LINE_LENGTH = 16
"""Maximum length of a text that is kept on one line."""

OPENED_ID_PATTERN = re.compile(r"(ind|tr|conv|ca|fa|wh)_[0-9A-Za-z]{16,}")
"""An id that `lab.open` reads."""
AMOUNT_PATTERN = re.compile(r"([0-9]{1,24})((?:\.[0-9]{1,24})? [A-Z]{3,5})")
"""An amount with its currency: the digits before the point, and the rest."""
TIME_PATTERN = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)[.\d]*(Z|\+00:00)")
DAY_PATTERN = re.compile(r"\d{4}-\d\d-\d\d")
UTC_PATTERN = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d UTC)")
RATE_PATTERN = re.compile(r"(1 [A-Z]{3,5} =) ([0-9.]+ [A-Z]{3,5})")
"""A time and a rate as text: each has two parts, which are not broken into lines."""
DURATION_PATTERN = re.compile(r"-?[0-9,.]+ (?:d|h|min|s)(?: [0-9.]+ (?:h|min|s))*")
UNIT_SPACE = re.compile(r" (?=[a-z])")
"""A duration such as "2 h 48 min 41.6 s", and the spaces before its units."""
PATH_STYLE = f"{CODE_STYLE};white-space:normal"
WORD_BREAK = re.compile(r"(?<=[_./:;,&?])(?=\w)")
"""Where a long word may be broken."""


@light_dataclass(frozen=True)
class RoundedNumber:
    """A number as it is shown, rounded, and with all of its digits."""

    shown: str
    exact: str


def cell(value: object, *, is_utc_stated: bool = False) -> str:
    """A value as HTML; a long word is shortened, with the full text as tooltip and to copy.

    A time has "UTC" behind it, unless its column says so. An amount has its digits in groups of
    three, and a status a dot in its colour. A rounded number has its exact digits as tooltip and to
    copy.
    """
    if isinstance(value, ToneText):
        tone_html = tone_dot(value.tone) + words_html(value.text)
        is_short = len(value.text) <= ONE_LINE_LENGTH
        return _unbroken_html(tone_html) if is_short else tone_html
    if isinstance(value, RoundedNumber):
        title_html = html.escape(value.exact)
        number_html = f'<span title="{title_html}">{html.escape(value.shown)}</span>'
        return _unbroken_html(number_html + copy_button())
    cell_text = printable("" if value is None else str(value))
    time_match = TIME_PATTERN.fullmatch(cell_text)
    if time_match:
        day_html = _unbroken_html(time_match[1])
        zone_text = "" if is_utc_stated else " UTC"
        time_html = _unbroken_html(time_match[2] + zone_text)
        return f'<time title="{cell_text}">{day_html} {time_html}</time>'
    short_text = shorten_id(cell_text)
    if short_text != cell_text:
        return _short_code(cell_text, short_text)
    return _text_html(cell_text)


def _text_html(cell_text: str) -> str:
    """A text as HTML: a short one, a status and an amount are kept on one line; a path is code.

    A time, a rate and a longer duration are not broken between a number and its unit.
    """
    amount_match = AMOUNT_PATTERN.fullmatch(cell_text)
    if amount_match:
        return _unbroken_html(f"{int(amount_match[1]):,}{amount_match[2]}")
    if cell_text.startswith("/"):
        return f'<code style="{PATH_STYLE}">{_with_word_breaks(cell_text)}</code>'
    dot_html = status_dot(cell_text)
    is_short = 0 < len(cell_text) <= ONE_LINE_LENGTH
    if dot_html or is_short:
        return _unbroken_html(dot_html + html.escape(cell_text))
    halves_match = UTC_PATTERN.fullmatch(cell_text) or RATE_PATTERN.fullmatch(cell_text)
    if halves_match:
        return " ".join(map(_unbroken_html, halves_match.groups()))
    if DURATION_PATTERN.fullmatch(cell_text):
        return UNIT_SPACE.sub("&nbsp;", cell_text)
    return words_html(cell_text)


def words_html(text: str) -> str:
    """The words of a text as HTML, with its ids shortened."""
    words = printable(text).split(" ")
    length_max = LONG_WORD_LENGTH if len(words) == 1 else LONG_IN_TEXT_LENGTH
    return " ".join(_word_html(word, length_max) for word in words)


def _short_code(whole_text: str, short_text: str) -> str:
    """A shortened id or path as code, with the whole text as tooltip and to copy.

    The tooltip of an id also says how to open it. Only a path may be broken into lines.
    """
    tooltip_html = html.escape(whole_text)
    if OPENED_ID_PATTERN.fullmatch(whole_text):
        tooltip_html += html.escape(f'\nlab.open("{whole_text}")').replace("\n", "&#10;")
    short_html = html.escape(short_text)
    is_path = whole_text.startswith("/")
    if not is_path:
        code_html = f'<code title="{tooltip_html}" style="{CODE_STYLE}">{short_html}</code>'
        return _unbroken_html(code_html + copy_button())
    path_html = "<wbr>".join(map(_unbroken_html, WORD_BREAK.split(short_html)))
    code_html = f'<code title="{tooltip_html}" style="{PATH_STYLE}">{path_html}</code>'
    joiner_html = "&#8288;"  # so that the button is not alone on a line
    return f"{code_html}{joiner_html}{copy_button()}"


def _word_html(word: str, length_max: int) -> str:
    """A word of a text; an id is shortened, and a word over `length_max` may be broken."""
    if DAY_PATTERN.fullmatch(word):
        return _unbroken_html(word)
    bare_word = word.rstrip(",;")
    if ID_PATTERN.fullmatch(bare_word):
        return _short_code(bare_word, shorten_id(bare_word)) + word[len(bare_word) :]
    return _with_word_breaks(word, length_max)


def _unbroken_html(content: str) -> str:
    """HTML that is not broken into lines."""
    return f'<span style="white-space:nowrap">{content}</span>'


def _with_word_breaks(word: str, length_max: int = LONG_WORD_LENGTH) -> str:
    """A word as HTML; over `length_max` it may be broken after punctuation, and nowhere else."""
    word_pieces = WORD_BREAK.split(word) if len(word) > length_max else [word]
    return "<wbr>".join(map(html.escape, word_pieces))
