"""Ids in HTML: shortened, and the button that copies them, which needs no kernel."""

from __future__ import annotations

import re
from html import escape

ID_PATTERN = re.compile(r"([a-z]+_)[0-9A-Za-z]{16,}")
"""An id: people compare its prefix and its end, because ids of one day are alike between them."""
PATH_ID_PATTERN = re.compile(r"(?<=/)([a-z]+_)[0-9A-Za-z]{12,}([0-9A-Za-z]{4})\b")
"""An id in a path: its prefix and its end."""
LONG_WORD_LENGTH = 24
"""Length from which a single word, such as an id, is shortened in the middle."""

COPY_SCRIPT = (
    "var b=this,e=b.previousElementSibling,t=e.title.split('\\n')[0]||e.textContent;"
    "function f(){var a=document.createElement('textarea');a.value=t;"
    "document.body.append(a);a.select();document.execCommand('copy');a.remove()}"
    "navigator.clipboard?navigator.clipboard.writeText(t).catch(f):f();"
    "b.style.color='#2e8b57';setTimeout(function(){b.style.color='inherit'},900)"
)
"""Script that copies the element before the button: the first line of its tooltip, or its text."""

COPY_ICON = (
    '<svg aria-hidden="true" width="13" height="13" viewBox="0 0 16 16" fill="none" '
    # JupyterLab's max-width of 100% would count as no width in a narrow column.
    'style="max-width:none" stroke="currentColor" stroke-width="1.5">'
    '<rect x="5" y="5" width="9" height="9" rx="1.5"/>'
    '<path d="M11 2.5H3.5a1 1 0 0 0-1 1V11"/></svg>'
)


def copy_button() -> str:
    """A button that copies the element before it; invisible where scripts do not run."""
    style = (
        "border:0;background:none;color:inherit;cursor:pointer;padding:0 3px;line-height:1;"
        "vertical-align:middle"
    )
    return (
        f'<button type="button" class="paylab-copy" title="Copy" aria-label="Copy" '
        f'style="{style}" onclick="{escape(COPY_SCRIPT)}">{COPY_ICON}</button>'
    )


def shorten_id(text: str) -> str:
    """An id or address without its middle, also in a path; any other text is unchanged."""
    id_match = ID_PATTERN.fullmatch(text)
    if id_match:
        return f"{id_match[1]}…{text[-4:]}"
    if text.startswith("/"):
        return PATH_ID_PATTERN.sub(r"\1…\2", text)
    is_single_word = len(text) > LONG_WORD_LENGTH and " " not in text
    if is_single_word and any(map(str.isdigit, text)):
        return f"{text[:9]}…{text[-4:]}"
    return text
