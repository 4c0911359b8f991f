"""The lists of the payments service for tests, with switches that break them."""

import base64
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from service_answer import Answer, RefusalError


@dataclass
class Listing:
    """How lists are answered; the defaults are newest first, whole and at once."""

    page_size: int = 100  # at most so many rows a page, whatever the limit asks for
    order: str = "newest first"  # or "oldest first", "by amount"
    lag: timedelta = timedelta()  # rows younger than this are not listed yet
    loops: bool = False  # every page points to the first one
    repeats: bool = False  # each page begins with the last row of the page before
    endless: bool = False  # after the last row come more pages, always
    failing_page: int = 0  # this page, counted from 1, is answered by `failure`
    failure: int = 500
    html: bool = False  # pages are HTML with status 200
    hidden: set = field(default_factory=set)  # fields that no row shows
    masked: bool = False  # references are shown as ****
    lower_case: bool = False  # currencies
    changed: dict = field(default_factory=dict)  # fields that every row shows with another value
    following: int = 0  # so many other rows are newer than any payment
    bare: bool = False  # a list is an array, without pages
    reads: int = 0

    def answer(self, rows, query, now):
        """Answer one page."""
        self.reads += 1
        position = self._position(query.get("cursor"))
        limit = min(int(query.get("limit", 20)), 100, self.page_size)
        number = position // max(limit, 1) + 1
        if self.failing_page and number >= self.failing_page:
            raise RefusalError(self.failure, "the page is not available")
        if self.html:
            return Answer(200, "<html>maintenance</html>")
        newer = [self._newer(row, at) for row in rows[-1:] for at in range(self.following)]
        visible = self._sorted([row for row in [*rows, *newer] if self._is_listed(row, now)])
        start = max(position - 1, 0) if self.repeats and position else position
        page = [self.show(row) for row in visible[start : position + limit]]
        following = position + limit
        more = following < len(visible) or self.endless or self.loops
        if self.bare:
            return Answer(200, page)
        token = self._token(0 if self.loops else following) if more else None
        return Answer(200, {"data": page, "has_next_page": more, "cursor": token})

    def show(self, row):
        """Return the row as the service shows it, lists and single reads alike."""
        shown = {name: value for name, value in row.items() if name not in self.hidden}
        if self.masked and shown.get("client_reference_id"):
            shown["client_reference_id"] = "****"
        if self.lower_case:
            for name in ("source_currency", "destination_currency"):
                shown[name] = shown[name].lower()
        return {**shown, **self.changed}

    @staticmethod
    def _newer(row, number):
        created = datetime.fromisoformat(row["created_at"]) + timedelta(milliseconds=number + 1)
        name = f"newer-{number}"
        times = {"created_at": created.isoformat()}
        return {**row, **times, "id": name, "client_reference_id": name}

    def _is_listed(self, row, now):
        created = datetime.fromisoformat(row["created_at"])
        return now - created >= self.lag or not self.lag

    def _sorted(self, rows):
        if self.order == "by amount":
            return sorted(rows, key=lambda row: (row.get("source_amount", ""), row["id"]))
        newest = self.order == "newest first"
        places = sorted(range(len(rows)), key=lambda at: (rows[at]["created_at"], at))
        return [rows[at] for at in (reversed(places) if newest else places)]

    @staticmethod
    def _token(position):
        return base64.urlsafe_b64encode(json.dumps({"after": position}).encode()).decode()

    @staticmethod
    def _position(token):
        if not token:
            return 0
        try:
            return int(json.loads(base64.urlsafe_b64decode(token))["after"])
        except (ValueError, KeyError, TypeError) as error:
            raise RefusalError(400, "Invalid pagination token") from error
