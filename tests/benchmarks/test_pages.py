"""A benchmark of a page read by the client, compared with plain httpx."""

from __future__ import annotations

import json
from urllib.parse import quote

import httpx

import paylab

MOST = 1.8
"""Maximum processor time as a multiple of httpx; the goal is 1.5, measured 1.4 to 1.6."""


def test_a_page_above_httpx(serve, compare):
    """A signed page of 100 transfers takes at most 1.8 times the processor time of httpx alone."""
    url = serve(1_000)
    http = httpx.Client()
    client = paylab.connect(base_url=url, api_key="benchmark", secret_key="0" * 32).client
    cursor = json.loads(http.get(f"{url}/v1/transfers?limit=100").content)["cursor"]
    target = f"{url}/v1/transfers?limit=100&cursor={quote(cursor, safe='')}"
    calls = {
        "httpx": lambda: http.get(target).content,
        "paylab": lambda: client.session.lists.page_as_sent("transfers", 100, cursor),
    }
    assert calls["httpx"]() == calls["paylab"]()
    found = compare("a page of 100 transfers", calls, loops=300, goal="1.5 x")
    assert found["paylab"]["ratio"] <= MOST
