"""Compare payments by list, by events and by your own books: one merge of three frames.

The amount of a transfer is its source amount; that of a conversion is its deposit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import reduce
from typing import Any

from ..errors.extras import explained
from ..frames import decimals
from ..frames.decimal_array import DecimalArray
from ..spec import timestamps
from .event import Event, Mark, is_stale

with explained():
    import pandas as pd
    import pyarrow as pa

PLAIN = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,18})?")
LIST, EVENTS, REFERENCES = "list", "events", "references"
KEY = ["kind", "id"]
COMPARED = ["status", "amount", "currency"]
FACTS = [*COMPARED, "reference", "created_at"]
NAMES: Mapping[str, Mapping[str, str]] = {
    kind: {f"{money}_amount": "amount", f"{money}_currency": "currency"}
    | {"client_reference_id": "reference"}
    for kind, money in {"transfer": "source", "conversion": "deposit"}.items()
}


def of_lists(lists: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The side of the lists, from a frame of each kind."""
    renamed = (frame.rename(columns=NAMES[kind]).assign(kind=kind) for kind, frame in lists.items())
    return pd.concat(map(side, renamed))


def of_events(events: Iterable[Event]) -> pd.DataFrame:
    """The side of the events: each resource's latest event, in any order of arrival."""
    latest: dict[tuple[str, str], tuple[Mark, Event]] = {}
    for event in events:
        key = event.family, event.id
        known = latest[key][0] if key in latest else None
        if event.family in NAMES and not is_stale(event.mark, known):
            latest[key] = event.mark, event
    rows = pd.DataFrame([_row(event) for _, event in latest.values()], columns=[*KEY, *FACTS])
    return side(rows.assign(amount=exact_amounts(rows["amount"], "amount")))


def merge(
    listed: pd.DataFrame,
    reported: pd.DataFrame | None = None,
    books: pd.DataFrame | None = None,
    since: datetime | None = None,
) -> pd.DataFrame:
    """One row per payment, oldest first: the facts of each side, and the problems.

    Events are expected for payments made since `since`. Books of one kind may lack the other:
    what they must have are the kinds that they match, or all of them if they match none. A row of
    your books without a payment is of the kind `unknown`.
    """
    sides, due = {LIST: listed}, set[str]()
    if reported is not None:
        sides[EVENTS] = reported
    if books is not None:
        names = pd.concat([listed[KEY].assign(key=listed[name]) for name in ("id", "reference")])
        names = names.dropna().drop_duplicates()
        matched = books.drop(columns=KEY).merge(names, on="key", how="left")
        kinds = (kind for side in sides.values() for kind in side["kind"])
        due = set(matched["kind"].dropna()) or set(kinds)
        matched["rows"] = matched.groupby(KEY)["key"].transform("size").fillna(1)
        alone = matched[matched["id"].isna()]
        alone = alone.assign(kind="unknown", id=alone["key"].fillna(""))
        sides[REFERENCES] = pd.concat([matched.dropna(subset="id").drop_duplicates(KEY), alone])
    facts = [
        side.set_index(KEY)[[*FACTS, "rows"]].add_suffix(f"_{name}") for name, side in sides.items()
    ]
    merged = reduce(lambda left, right: left.join(right, how="outer"), facts).reset_index()
    for fact in ("currency", "reference", "created_at"):
        merged[fact] = reduce(pd.Series.combine_first, (merged[f"{fact}_{name}"] for name in sides))
    rows = merged.to_dict("records")
    merged["problem"] = ["; ".join(_problems(row, list(sides), due, since)) for row in rows]
    return merged.sort_values(["created_at", "id"], ignore_index=True)


def _problems(
    row: Mapping[Any, Any], sides: list[str], due: set[str], since: datetime | None
) -> Iterator[str]:
    """What is missing, different or repeated in the facts of one payment."""
    there = [side for side in sides if row[f"rows_{side}"] > 0]
    made = row["created_at_list"]
    if LIST not in there:
        yield "missing in list"
    elif EVENTS in sides and EVENTS not in there and not (since and made < since):
        yield "missing in events"
    if row["kind"] in due and REFERENCES not in there:
        yield "missing in references"
    for side in there[1:] if LIST in there else ():
        for fact in COMPARED:
            ours, theirs = (_or_none(row[f"{fact}_{each}"]) for each in (LIST, side))
            if theirs is not None and ours != theirs:
                yield f"{fact} differs in {side}: {ours} in list, {theirs} in {side}"
    if REFERENCES in there and row["rows_references"] > 1:
        yield f"duplicate in references: {row['rows_references']:.0f} rows"


def side(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame with the columns of a side, text as Python's own, currencies in upper case."""
    found = frame.reindex(columns=[*KEY, *FACTS, "key"]).assign(rows=1)
    for name in (*KEY, "status", "currency", "reference", "key"):
        found[name] = pd.Series(map(_or_none, found[name]), found.index, dtype=object)
    found["currency"] = found["currency"].map(str.upper, na_action="ignore").astype(object)
    return found.assign(created_at=pd.to_datetime(found["created_at"], utc=True).dt.as_unit("us"))


def _row(event: Event) -> dict[str, Any]:
    """The facts of an event; one of an unexpected type is missing, as anybody can send events."""
    deposit = event.payload.get("deposit")
    inner = deposit.items() if isinstance(deposit, Mapping) else ()
    flat = {**event.payload, **{f"deposit_{name}": value for name, value in inner}}
    own = {name: value for name, value in flat.items() if isinstance(value, str) and value}
    row: dict[str, Any] = {NAMES[event.family].get(name, name): own[name] for name in own}
    if not PLAIN.fullmatch(row.get("amount", "")):
        row["amount"] = None
    created_at = timestamps.read(row.get("created_at"))
    return row | {"kind": event.family, "id": event.id, "created_at": created_at}


def exact_amounts(texts: pd.Series[Any], name: str) -> pd.Series[Any]:
    """The texts as exact decimals; ExactnessError names the row, counted from 1."""
    column = pa.chunked_array([pa.array(texts, pa.string(), from_pandas=True)])
    return pd.Series(DecimalArray(decimals.read_decimals(column, name, 1)), texts.index)


def _or_none(value: Any) -> Any:
    return None if pd.isna(value) else value
