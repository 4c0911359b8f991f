"""Transfers found again by their references, in a list of any order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from .. import codes, instants
from ..client.resources import Transfers

Raw = dict[str, Any]
LATEST = datetime.max.replace(tzinfo=UTC)


def some_transfer(transfers: Transfers) -> Raw | None:
    """The id of a transfer by which this service can be recognised later; None without one."""
    page = next(transfers.list(limit=1).raw_pages())
    return next(({"id": row.get("id")} for row in page.data), None)


def search(transfers: Transfers, references: Iterable[str]) -> dict[str, Raw]:
    """The transfers with these references; nothing wanted, nothing asked.

    The spec names no order of the list, so all of it is read. Where two have the same
    reference, the older one is given.
    """
    wanted, found = set(references), dict[str, Raw]()
    for page in transfers.list(limit=codes.PAGE_MAX).raw_pages() if wanted else ():
        for row in page.data:
            name = str(row.get("client_reference_id") or "")
            if name in wanted and _is_older(row, found.get(name)):
                found[name] = row
    return found


def _is_older(row: Mapping[str, Any], other: Mapping[str, Any] | None) -> bool:
    return other is None or _created(row) < _created(other)


def _created(row: Mapping[str, Any]) -> datetime:
    """When it was created; one whose time cannot be read comes last."""
    try:
        return instants.from_text(str(row.get("created_at")))
    except ValueError:
        return LATEST
