"""Transfers found again by their references, among those that are newer than a known one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .. import codes, instants
from ..client.resources import Transfers

Raw = dict[str, Any]


def newest(transfers: Transfers) -> Raw | None:
    """The id and time of the newest transfer there is; None while there is none."""
    page = next(transfers.list(limit=1).raw_pages())
    return next(({"id": row["id"], "created_at": row["created_at"]} for row in page.data), None)


def search(
    transfers: Transfers, references: Iterable[str], after: Mapping[str, Any] | None
) -> dict[str, Raw]:
    """The transfers with these references, of those made after one; nothing wanted, nothing asked.

    Where two have the same reference, the older one is given.
    """
    wanted = set(references)
    if not wanted:
        return {}
    seen = _since(transfers, after)
    return {name: row for row in seen if (name := row.get("client_reference_id")) in wanted}


def _since(transfers: Transfers, after: Mapping[str, Any] | None) -> Iterator[Raw]:
    for page in transfers.list(limit=codes.PAGE_MAX).raw_pages():
        for row in page.data:
            if after and _is_older(row, after):
                return
            yield row


def _is_older(row: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Older than the known one; one whose time cannot be read is looked at."""
    try:
        return instants.from_text(row["created_at"]) < instants.from_text(after["created_at"])
    except (KeyError, TypeError, ValueError):
        return False
