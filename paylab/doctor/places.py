"""Where two recipes of one request part: the first layer and the first line that differs."""

from __future__ import annotations

from itertools import zip_longest

from ..redaction import HIDDEN
from ..signing.canonical import SCHEME
from ..signing.explain import labels
from ..signing.mistakes import Mistake, Recipe
from .finding import Finding


def place(right: Recipe, wrong: Recipe, mistake: Mistake) -> Finding:
    """A mistake with its place, and the line as it is in both."""
    layer, line, theirs, ours = _parted(right, wrong)
    return Finding(False, layer, line, mistake.id, mistake.message, theirs, ours)


def _parted(right: Recipe, wrong: Recipe) -> tuple[str, str, str | None, str | None]:
    ours, theirs = right.canonical(), wrong.canonical()
    if ours != theirs:
        return "canonical request", *_line(ours, theirs)
    if _payload(right) != _payload(wrong):
        return "payload", *_payload_line(right, wrong)
    if right.secret != wrong.secret:
        return "signature", "key", None, None
    return "signature", "encoding", None, None


def _line(ours: str, theirs: str) -> tuple[str, str, str]:
    named = labels(ours)
    pairs = zip_longest(ours.split("\n"), theirs.split("\n"))
    at, both = next((n, each) for n, each in enumerate(pairs) if each[0] != each[1])
    mine, their = (each or "" for each in both)
    label = named[at] if at < len(named) else "end"
    # A blank line stands where the query would be, between the path and the first header.
    label = "query string" if their == "" and label == "host" else label
    return label, _safe(their), _safe(mine)


def _payload(recipe: Recipe) -> list[str]:
    lines = [SCHEME, recipe.date, recipe.hash_case("canonical hash")]
    return recipe.join_payload(lines).split("\n")


def _payload_line(right: Recipe, wrong: Recipe) -> tuple[str, str | None, str | None]:
    if right.date != wrong.date:
        return "x-date", wrong.date, right.date
    if _payload(right)[-1].lower() == _payload(wrong)[-1].lower():
        return "canonical hash", None, None
    return "line ending", None, None


def _safe(line: str) -> str:
    """The line with control characters spelled out, and without the API key."""
    shown = line.encode("unicode_escape", errors="replace").decode()
    return f"x-api-key:{HIDDEN}" if shown.lower().startswith("x-api-key:") else shown
