"""The requests of a world as a HAR file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from ..client.call import Body, Call
from ..client.har import har
from ..simulator.requests import JournalRequest
from ..spec import timestamps


def write_har(requests: Iterable[JournalRequest], base_url: str, to: Path) -> Path:
    """Write the requests to a HAR file, without keys and personal data."""
    har((_call(request, base_url) for request in requests), to)
    return to


def _call(request: JournalRequest, base_url: str) -> Call:
    row = request.row
    query = urlencode(row["query"])
    return Call(
        timestamps.from_text(row["at"]),
        row["method"],
        row["path"],
        f"{base_url}{row['path']}" + (f"?{query}" if query else ""),
        row["status"],
        request_headers=row["headers"],
        response_headers=row["answer_headers"],
        request_body=_body(row["body"]),
        response_body=_body(row["answer"]),
    )


def _body(value: Any) -> Body:
    if value is None:
        return Body()
    text = value if isinstance(value, str) else json.dumps(value)
    return Body(text, len(text.encode(errors="replace")))
