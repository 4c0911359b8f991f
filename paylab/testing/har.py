"""The requests of a world as a HAR file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlencode

from ..client.call import Body, Call
from ..client.har import har
from ..simulator.requests import JournalRequest
from ..spec import timestamps
from ..spec.text import JsonValue


def write_har(requests: Iterable[JournalRequest], base_url: str, to: Path) -> Path:
    """Write the requests to a HAR file, without keys and personal data."""
    har((_call_of(request, base_url) for request in requests), to)
    return to


def _call_of(request: JournalRequest, base_url: str) -> Call:
    """A request of the journal as a call of a client."""
    row = request.row
    url = f"{base_url}{row['path']}"
    query = urlencode(row["query"])
    if query:
        url = f"{url}?{query}"
    return Call(
        timestamps.from_text(row["at"]),
        row["method"],
        row["path"],
        url,
        row["status"],
        request_headers=row["headers"],
        response_headers=row["answer_headers"],
        request_body=_body_of(row["body"]),
        response_body=_body_of(row["answer"]),
    )


def _body_of(value: JsonValue) -> Body:
    """The body of a JSON value or a text. Empty for None."""
    if value is None:
        return Body()
    text = value if isinstance(value, str) else json.dumps(value)
    return Body(text, len(text.encode(errors="replace")))
