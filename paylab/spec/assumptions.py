"""The open points of the spec and the assumptions about them, as data.

A row describes an assumption. If software can follow a service that differs, the row has keys,
which a user sets in a service.toml and `Service` contains. The file is read on first use.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from . import codes

Value = str | int | tuple[str, ...] | tuple[int, ...]

NONE = "none"
"""The value of a key for a feature that a service does not have."""

READINGS = "Precise readings"
"""The area whose rows clarify other rows and have no question."""

INTRODUCTION = """\
The spec leaves some points open, and the toolkit has to do something there. Each such point is
a row here, and `paylab.assumptions.get("details.mx")` reads one. Origin: *spec* settles the point
after all, *public* means that a public description of this kind of service says so (likely, not
certain), *chosen* is ours. Where your service differs, set the row's keys in a service.toml."""


@dataclass(frozen=True)
class Key:
    """A setting of a service.toml: type, default, and other supported values.

    `others` are values that a service could plausibly have. `field` is the field of an account's
    details whose words an `allowed` key lists. `base` is the key of all lists from which a key of
    one list inherits its value (`default` is then None).
    """

    name: str
    type: str
    row: str
    origin: str
    ask: str
    default: Value | None
    others: tuple[Value, ...]
    values: tuple[Value, ...] = ()
    least: int = 0
    most: int = 0
    optional: bool = False
    holds: tuple[str, ...] = ()
    may_hold: tuple[str, ...] = ()
    field: str = ""
    base: str = ""

    def read(self, value: object) -> Value:
        """The value in the form of a Service; ValueError says what it must be."""
        if self.optional and value == NONE:
            return NONE
        return READERS[self.type](self, value)


@dataclass(frozen=True)
class Assumption:
    """A point that the spec leaves open.

    `origin` is the source of the assumption: "spec" (the spec decides it elsewhere), "public" (in
    public descriptions of such services: likely, not certain) or "chosen" (ours). `keys` are the
    settings that change it; `keyless` says why there is none.
    """

    id: str
    assumed: str
    origin: str
    area: str
    question: str = ""
    keyless: str = ""
    keys: tuple[Key, ...] = ()


@dataclass(frozen=True)
class Scenario:
    """A special value that makes the simulator reach an outcome."""

    where: str
    value: str
    outcome: str


if TYPE_CHECKING:
    ALL: tuple[Assumption, ...]
    SCENARIOS: tuple[Scenario, ...]
    KEYS: Mapping[str, Key]


def __getattr__(name: str) -> Any:
    if name in _READ_ON_DEMAND:
        return _READ_ON_DEMAND[name]()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def get(key: str) -> Assumption:
    """The row with this id; KeyError with similar ids if it does not exist.

    >>> paylab.assumptions.get("signing.empty-query").origin
    'spec, public'
    """
    found = {row.id: row for row in _rows()}
    if key in found:
        return found[key]
    near = get_close_matches(str(key), found, cutoff=0.5)
    nearest = f"; nearest: {', '.join(near)}" if near else ""
    raise KeyError(f"no assumption is called {key!r}{nearest}")


@cache
def _texts() -> tuple[str, str]:
    """The rows and the scenarios, read from the file."""
    text = Path(__file__).with_name("assumptions.toml").read_text(encoding="utf-8")
    rows, heading, scenarios = text.partition("[[scenarios]]")
    return rows, heading + scenarios


@cache
def _scenarios() -> tuple[Scenario, ...]:
    return tuple(Scenario(**each) for each in tomllib.loads(_texts()[1])["scenarios"])


@cache
def _rows() -> tuple[Assumption, ...]:
    return tuple(_row(**each) for each in tomllib.loads(_texts()[0])["assumptions"])


@cache
def _keys() -> Mapping[str, Key]:
    return {key.name: key for row in _rows() for key in row.keys}


_READ_ON_DEMAND = {"ALL": _rows, "SCENARIOS": _scenarios, "KEYS": _keys}


def _row(keys: Sequence[dict[str, Any]] = (), **row: str) -> Assumption:
    made = (key for each in keys for key in _family({"origin": row["origin"], **each}, row["id"]))
    return Assumption(keys=tuple(made), **row)


def _family(data: dict[str, Any], row: str) -> Iterator[Key]:
    """The keys of one entry: one key, one per field, or one with those of single lists."""
    name, per, own = data.pop("key"), data.pop("per", ()), data.pop("own", {})
    if names := data.pop("names", None):
        for field, others in names.items():
            each = data | {"type": "name", "ask": data["ask"].format(name=field)}
            yield _key(f"{name}.{field}", row, default=field, others=others, **each)
        return
    base = _key(name, row, **data)
    group, _, last = name.rpartition(".")
    for one in per:
        given = data | {
            "default": own.get(one),
            "base": name,
            "ask": f"List of {one}: {data['ask']}",
        }
        if one in own:
            given["others"] = [base.default]
        yield _key(f"{group}.{one}.{last}", row, **given)
    yield base


def _key(  # noqa: PLR0913 - what an entry can have
    name: str,
    row: str,
    *,
    type: str,  # noqa: A002 - the word of the data
    default: Any = None,
    others: Sequence[Any] = (),
    values: Sequence[Any] = (),
    known: str = "",
    **more: Any,
) -> Key:
    words = getattr(codes, known) if known else values
    return Key(
        name,
        type,
        row,
        default=_frozen(default),
        others=tuple(map(_frozen, others)),
        values=tuple(words),
        **{name: _frozen(value) for name, value in more.items()},
    )


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


_NAME = re.compile(r"[!-~](?:[ -~]{0,98}[!-~])?")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_PATH = re.compile(r"(?:/(?:[A-Za-z0-9._~%!$&'()*+,;=:@-]|\{[a-z_]+\})+)+")


def _read_word(key: Key, value: object) -> Value:
    for word in key.values:
        if word == value and type(word) is type(value):
            return word
    raise ValueError(f"must be one of {', '.join(map(_written, key.values))}")


def _read_name(key: Key, value: object) -> Value:
    if isinstance(value, str) and value != NONE and _NAME.fullmatch(value):
        return value
    none = f', or "{NONE}"' if key.optional else ""
    raise ValueError(f"must be a name: 1 to 100 printable ASCII characters{none}")


def _read_path(key: Key, value: object) -> Value:
    form = f"must be a path such as {_written(key.default or key.others[0])}"
    none = f', or "{NONE}" if there is no such operation' if key.optional else ""
    if not isinstance(value, str) or not _PATH.fullmatch(value):
        raise ValueError(f"{form}{none}")
    if any(unquote(part) in (".", "..") for part in value.split("/")):
        raise ValueError(f'{form} without a "." or ".." between slashes{none}')
    found = _PLACEHOLDER.findall(value)
    wrong = [name for name in found if name not in (*key.holds, *key.may_hold)]
    missing = [name for name in key.holds if name not in found]
    if wrong or missing or len(set(found)) < len(found) or value.startswith("/_simulator"):
        placeholders = [f"{{{name}}}" for name in (*key.holds, *key.may_hold)]
        hold = f" that holds {', '.join(placeholders)}" if placeholders else " without {...}"
        raise ValueError(f"{form}{hold}{none}")
    return value


def _read_integer(key: Key, value: object) -> Value:
    if isinstance(value, int) and not isinstance(value, bool) and key.least <= value <= key.most:
        return value
    raise ValueError(f"must be a whole number from {key.least} to {key.most}")


def _read_integers(key: Key, value: object) -> Value:
    if not isinstance(value, list | tuple):
        raise ValueError(f"must be a list of whole numbers from {key.least} to {key.most}")
    numbers = [_read_integer(key, each) for each in value]
    return tuple(each for each in numbers if isinstance(each, int))


def _read_words(key: Key, value: object) -> Value:
    of = f", each one of {', '.join(map(str, key.values))}" if key.values else ""
    if not isinstance(value, list | tuple):
        raise ValueError(f"must be a list of words{of}")
    for each in value:
        if not isinstance(each, str) or not _NAME.fullmatch(each):
            raise ValueError(f"must be a list of words{of}: {each!r} is none")
        if key.values and each not in key.values:
            raise ValueError(f"must be a list of words{of}: not {each!r}{_like(each, key.values)}")
    if len(set(value)) < len(value):
        raise ValueError("must not contain a word twice")
    return tuple(value)


def _like(word: str, known: Iterable[Value]) -> str:
    near = get_close_matches(word, [str(each) for each in known], 1)
    return f" (is {near[0]!r} meant?)" if near else ""


def _written(value: Value) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


READERS: Mapping[str, Callable[[Key, object], Value]] = {
    "word": _read_word,
    "name": _read_name,
    "path": _read_path,
    "integer": _read_integer,
    "integers": _read_integers,
    "words": _read_words,
}


def markdown() -> str:
    """All rows as Markdown: a table per area, then the simulated outcomes.

    >>> paylab.assumptions.markdown()[:3]
    'The'
    """
    areas = [_area(name, list(rows)) for name, rows in groupby(_rows(), attrgetter("area"))]
    outcomes = ((each.where, each.value or "an empty text", each.outcome) for each in _scenarios())
    simulated = _section("Simulated outcomes", ("where", "value", "outcome"), outcomes)
    return "\n\n".join([INTRODUCTION, *areas, simulated])


def _area(name: str, rows: Sequence[Assumption]) -> str:
    if name == READINGS:
        cells = ((row.id, row.assumed, _groups(row)) for row in rows)
        return _section(name, ("id", "reading", "keys"), cells)
    full = ((row.id, row.question, row.assumed, row.origin, _groups(row)) for row in rows)
    return _section(name, ("id", "open question", "assumed", "origin", "keys"), full)


def _groups(row: Assumption) -> str:
    """The keys of a row; keys of fields and single lists are grouped by their prefix."""
    names = (
        key.name.rpartition(".")[0] if ".fields." in key.name else key.name
        for key in row.keys
        if not (key.base and key.name.startswith("lists."))
    )
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))


def _section(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join([f"### {title}", "", *_table(head, rows)])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (head, ["---"] * len(head), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


__all__ = ["ALL", "KEYS", "SCENARIOS", "Assumption", "Key", "Scenario", "get", "markdown"]
