"""A benchmark of the time that the client adds to a page read with plain httpx."""

from __future__ import annotations

import json
from urllib.parse import quote

import httpx

import paylab

ADDED = 400
"""Maximum processor time that paylab may add, in microseconds; the goal is 250."""


def test_a_page_above_httpx(serve, compare):
    """Signing, retries and the call record add at most 400 µs to a page of 100 transfers."""
    url = serve(1_000)
    http = httpx.Client()
    client = paylab.connect(base_url=url, api_key="benchmark", secret_key="0" * 32).client
    cursor = json.loads(http.get(f"{url}/v1/transfers?limit=100").content)["cursor"]
    target = f"{url}/v1/transfers?limit=100&cursor={quote(cursor, safe='')}"
    calls = {
        "httpx": lambda: http.get(target).content,
        "paylab": lambda: client.fetch_page("transfers", 100, cursor),
    }
    assert calls["httpx"]() == calls["paylab"]()
    found = compare("a page of 100 transfers", calls, loops=300, goal="0.25 ms above httpx")
    assert found["paylab"]["us"] - found["httpx"]["us"] <= ADDED
