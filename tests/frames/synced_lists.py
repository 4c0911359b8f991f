"""A fake list of the service, and rows for it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Context, Decimal
from random import Random


@dataclass
class List:
    """A fake list of the service; `asked` has the requested cursors and ids."""

    rows: list
    kind: str = "transfers"
    url: str = "https://one"
    order: str = "newest_first"
    account: str = "one"
    asked: list = field(default_factory=list)

    def pull(self):
        """The list itself."""
        return self

    def origin(self):
        """The source of the rows."""
        return {"base_url": self.url}

    def fetch(self, cursor):
        """A page of ten rows."""
        self.asked.append(cursor)
        start = int(cursor or 0)
        following = str(start + 10) if start + 10 < len(self.rows) else None
        data = self.rows[start : start + 10]
        page = {"data": data, "has_next_page": bool(following), "cursor": following}
        return json.dumps(page).encode()

    def one(self, id_):
        """One row as JSON; None if it does not exist."""
        self.asked.append(id_)
        found = [row for row in self.rows if row["id"] == id_]
        return json.dumps(found[0]).encode() if found else None


def rows(count, random=None, digits=4, days=8):
    """Rows of some days, newest first; amounts have up to `digits` digits."""
    random = random or Random(5)
    made = []
    for number in range(count):
        day, hour = 28 - number * days // count, 23 - number % 24
        value = Decimal(random.randrange(-(10**digits), 10**digits)).scaleb(
            -min(18, digits // 2), Context(prec=60)
        )
        made.append(
            {
                "id": f"tr_{number:05d}",
                "status": random.choice(["completed", "failed", "expired"]),
                "source_amount": format(value, "f"),
                "source_currency": random.choice(["USD", "PHP"]),
                "destination_currency": "MXN",
                "completed_in": str(random.randrange(500)),
                "created_at": f"2026-01-{day:02d}T{hour:02d}:00:00.000Z",
            }
        )
    return sorted(made, key=lambda row: row["created_at"], reverse=True)
