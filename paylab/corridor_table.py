"""Corridors as tables to read: for the README, for a notebook, for a terminal.

Everything here is made from the facts it is handed; it knows none of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from . import codes

if TYPE_CHECKING:
    from .account_fields import Account, Field, Form
    from .corridors import Corridor

Cells = tuple[str, ...]

HEAD = (
    *("Country", "Currency", "Rails", "Accounts", "Documents"),
    *("Asked on top", "On top for the ramps", "Products", "On-ramp from"),
)
FACTS = ("fact", "value", "from")
_CELL = ' style="text-align:left;vertical-align:top"'


def markdown(corridors: Iterable[Corridor]) -> str:
    """A table in Markdown."""
    lines = (HEAD, ("---",) * len(HEAD), *rows(corridors))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def html(head: Sequence[str], body: Iterable[Cells]) -> str:
    """A table in HTML."""
    top = "".join(f"<th{_CELL}>{escape(name)}</th>" for name in head)
    lines = ("".join(f"<td{_CELL}>{escape(cell)}</td>" for cell in cells) for cells in body)
    inside = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{inside}</tbody></table>"


def plain(body: Iterable[Cells]) -> str:
    """A line a row, for a terminal."""
    return "\n".join("  ".join(cell for cell in cells if cell != "-") for cells in body)


def bundle(head: Sequence[str], body: Sequence[Cells]) -> dict[str, str]:
    """What a notebook shows: HTML, and plain text where there is none."""
    return {"text/html": html(head, body), "text/plain": plain(body)}


def rows(corridors: Iterable[Corridor]) -> list[Cells]:
    """A row a corridor; neighbours that differ in the country alone share one."""
    return [_row(list(alike)) for _, alike in groupby(corridors, _facts_alone)]


def facts(corridor: Corridor) -> list[Cells]:
    """Everything known of one country: the fact, what it is, and where it comes from."""
    return [*_general(corridor), *_fields(corridor)]


def _facts_alone(corridor: Corridor) -> Cells:
    return _cells(corridor)


def _row(alike: Sequence[Corridor]) -> Cells:
    first, names = alike[0], [corridor.country for corridor in alike]
    if len(alike) == 1:
        return f"{first.name} ({first.country})", *_cells(first)
    title = "SEPA" if set(names) <= set(codes.SEPA) else "Alike"
    return f"{title} ({', '.join(names)})", *_cells(first)


def _cells(corridor: Corridor) -> Cells:
    return (
        corridor.currency or "-",
        "; ".join(map(str, corridor.rails)) or "-",
        "; ".join(map(str, _own_accounts(corridor))),
        _documents(corridor),
        _join(corridor.required),
        _join(corridor.required_on_ramps),
        _join(corridor.products),
        corridor.on_ramp_currency or "-",
    )


def _own_accounts(corridor: Corridor) -> Iterable[Account]:
    """All but the crypto wallet, which every country has."""
    own = [account for account in corridor.accounts if account.type != codes.CRYPTO_WALLET]
    return own or corridor.accounts


def _documents(corridor: Corridor) -> str:
    return "any" if corridor.documents == codes.DOCUMENT_TYPES else _join(corridor.documents)


def _general(corridor: Corridor) -> Iterator[Cells]:
    yield "country", f"{corridor.name} ({corridor.country})", corridor.source
    yield "currency", corridor.currency or "no corridor is named", corridor.source
    for rail in corridor.rails:
        yield f"rail {rail.method}", rail.settlement or "settlement is not said", rail.source
    yield "products", _join(corridor.products), corridor.source
    yield "documents", _documents(corridor), corridor.source
    yield from _numbers(corridor)
    yield "asked on top", _join(corridor.required), corridor.source
    yield "on top for the ramps", _join(corridor.required_on_ramps), corridor.source
    if corridor.phone:
        yield "phone", corridor.phone.message, corridor.phone.source
    if corridor.on_ramp_currency:
        yield "on-ramp from", corridor.on_ramp_currency, corridor.source


def _numbers(corridor: Corridor) -> Iterator[Cells]:
    for kind, form in corridor.document_numbers.items():
        yield f"number of a {kind}", wanted(form), form.source


def _fields(corridor: Corridor) -> Iterator[Cells]:
    for account in corridor.accounts:
        for field in account.fields:
            sources = {field.source: None, field.form.source: None}
            yield f"{account.type} {field.name}", _rule(field), ", ".join(sources)


def _rule(field: Field) -> str:
    left_out = "" if field.required else ", can be left out"
    return f"{_by_kind(field.forms) if field.forms else wanted(field.form)}{left_out}"


def _by_kind(forms: Mapping[str, Form]) -> str:
    return "; ".join(f"{kind}: {wanted(form)}" for kind, form in forms.items())


def wanted(form: Form) -> str:
    """What a form asks for, in words."""
    if form.choices:
        return f"one of {_join(form.choices)}" if len(form.choices) > 1 else form.choices[0]
    asked = form.message.removeprefix("must be ") or ("an EMV QR text" if form.parser else "text")
    return f"{asked} ({form.note})" if form.note else asked


def _join(words: Iterable[str]) -> str:
    return ", ".join(words) or "-"
