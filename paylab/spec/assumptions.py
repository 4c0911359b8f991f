"""The open points of the spec and the assumptions about them, as data.

A row describes an assumption. If software can follow a service that differs, the row has keys,
which a user sets in a service.toml and `Service` contains. The file is read on first use.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import codes
from .service_keys import Key

READINGS = "Precise readings"
"""The area whose rows clarify other rows and have no question."""

INTRODUCTION = """\
The spec leaves some points open, and the toolkit has to do something there. Each such point is
a row here, and `paylab.assumptions.get("details.mx")` reads one. Origin: *spec* settles the point
after all, *public* means that a public description of this kind of service says so (likely, not
certain), *chosen* is ours. Where your service differs, set the row's keys in a service.toml."""


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
