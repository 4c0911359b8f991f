"""The open points of the spec and the assumptions about them, as data.

A row describes an assumption. If software can follow a service that differs, the row has keys,
which a user sets in a service.toml and `Service` contains. The file is read on first use.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import codes
from .service_keys import Key

Entry = Mapping[str, Any]
"""What the file says about one key, or about several that are alike."""

READINGS = "Precise readings"
"""The area whose rows clarify other rows and have no question."""

INTRODUCTION = """\
The specification leaves some points open. Each row has an open question, what paylab assumes, and
the keys that change it. Below the id is the origin: *spec* means that the specification answers the
question after all, *public* that a public description of this kind of service says so (likely, not
certain), *chosen* that paylab chose it."""


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
def _file() -> dict[str, Any]:
    text = Path(__file__).with_name("assumptions.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _scenarios() -> tuple[Scenario, ...]:
    return tuple(Scenario(**each) for each in _file()["scenarios"])


@cache
def _rows() -> tuple[Assumption, ...]:
    return tuple(_row(area["name"], **row) for area in _file()["areas"] for row in area["rows"])


@cache
def _keys() -> Mapping[str, Key]:
    return {key.name: key for row in _rows() for key in row.keys}


_READ_ON_DEMAND = {"ALL": _rows, "SCENARIOS": _scenarios, "KEYS": _keys}


def _row(
    area: str,
    keys: Sequence[Entry] = (),
    accounts: Mapping[str, Mapping[str, Entry]] | None = None,
    origin: str = "chosen",
    **row: str,
) -> Assumption:
    entries = [*keys, *_details(accounts or {})]
    made = (key for each in entries for key in _family(row=row["id"], origin=origin, **each))
    return Assumption(area=area, keys=tuple(made), origin=origin, **row)


def _details(accounts: Mapping[str, Mapping[str, Entry]]) -> Iterator[Entry]:
    """The entries about the details of account types, with their questions."""
    for kind, entries in accounts.items():
        for last, entry in entries.items():
            ask = _file()["details"][last].replace("{account}", kind.replace(".", " "))
            ask = ask.replace("{field}", entry.get("field", ""))
            yield {"key": f"financial_accounts.{kind}.{last}", "ask": ask, **entry}


def _family(
    key: str,
    each: Mapping[str, Entry] | None = None,
    names: Mapping[str, Any] | None = None,
    own: Mapping[str, str] | None = None,
    **data: Any,
) -> Iterator[Key]:
    """The keys of one entry: one key, several alike, or one with those of single lists."""
    for word, more in (each or {}).items():
        ask = data["ask"].replace("{each}", word)
        yield from _family(key.replace("{each}", word), **{**data, **more, "ask": ask})
    for field, others in (names or {}).items():
        ask = data["ask"].replace("{name}", field)
        yield _key(f"{key}.{field}", field, **{**data, "others": others, "ask": ask})
    if each or names:
        return
    base, own = _key(key, **data), own or {}
    for one in _file()["lists"] if key.startswith("lists.") else ():
        yield replace(
            base,
            name=key.replace("lists.", f"lists.{one}."),
            base=key,
            default=own.get(one),
            others=(base.example,) if one in own else base.others,
            ask=f"List of {one}: {base.ask}",
        )
    yield base


def _key(name: str, default: Any = None, known: str = "", **data: Any) -> Key:
    """A key; its type, and the other values of a word, follow from what is stated about it."""
    values = getattr(codes, known) if known else data.pop("values", ())
    others = data.pop("others", None) or [word for word in values if word != default]
    if name.startswith("paths."):
        kind = "path"
    elif "least" in data:
        kind = "integers" if isinstance(default, list) else "integer"
    elif isinstance(default, list):
        kind = "words"
    else:
        kind = "word" if values else "name"
    return Key(
        name,
        kind,
        default=_frozen(default),
        others=tuple(map(_frozen, others)),
        values=tuple(values),
        **{part: _frozen(value) for part, value in data.items()},
    )


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


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
    """Two columns, so that no page is too narrow."""
    if name == READINGS:
        cells = ((row.id, _lines(row.assumed, _groups(row))) for row in rows)
        return _section(name, ("id", "reading, keys"), cells)
    full = (
        (f"{row.id}<br>*{row.origin}*", _lines(f"**{row.question}**", row.assumed, _groups(row)))
        for row in rows
    )
    return _section(name, ("id, origin", "open question, assumption, keys"), full)


def _lines(*texts: str) -> str:
    return "<br>".join(filter(None, texts))


def _groups(row: Assumption) -> str:
    """The keys of a row; keys of fields and single lists are grouped by their prefix."""
    names = (
        key.name.rpartition(".")[0] if ".fields." in key.name else key.name
        for key in row.keys
        if not (key.base and key.name.startswith("lists."))
    )
    listed = ", ".join(f"`{name}`" for name in dict.fromkeys(names))
    return f"Keys: {listed}" if listed else ""


def _section(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = (
        [cell.replace("|", "\\|") for cell in row] for row in (head, ["---"] * len(head), *rows)
    )
    return "\n".join([f"### {title}", "", *(f"| {' | '.join(row)} |" for row in cells)])


__all__ = ["ALL", "KEYS", "SCENARIOS", "Assumption", "Key", "Scenario", "get", "markdown"]
