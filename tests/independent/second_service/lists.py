"""Pages of lists, with the names and limits that a service gives them."""

import base64
import json
from urllib.parse import parse_qsl

from .names import put
from .problems import Problem, RefusedError

FILTERS = {"transfer": {"product_type"}}


def page(kind, rows, query, ways):
    """The answer to the request for a page."""
    own = ways["lists"]["*"] | ways["lists"].get(kind, {})
    given = dict(parse_qsl(query, keep_blank_values=True))
    if own["order"] == "oldest":
        rows = rows[::-1]
    known = {own["limit"], own["token"]} | FILTERS.get(kind, set())
    if own["parameters"] == "refuse" and (unknown := [each for each in given if each not in known]):
        raise RefusedError(400, problems=[Problem(each, "unknown") for each in unknown])
    if own["array"]:
        return rows
    limit, start = _limit(own, given), _start(given.get(own["token"]))
    shown, more = rows[start : start + limit], start + limit < len(rows)
    body = {}
    put(body, own["items"], shown)
    if own["more"]:
        put(body, own["more"], more)
    put(body, own["cursor"], _token(start + limit) if more else None)
    return body


def _limit(own, given):
    text = given.get(own["limit"])
    if text is None:
        return own["default"]
    largest = own["largest"]
    if not text.isdigit() or int(text) < 1 or (int(text) > largest and own["over"] == "refuse"):
        words = f"must be between 1 and {largest}"
        raise RefusedError(400, problems=[Problem(own["limit"], "invalid", words)])
    return min(int(text), largest)


def _token(start):
    return base64.urlsafe_b64encode(json.dumps({"after": start}).encode()).decode().rstrip("=")


def _start(token):
    if token is None:
        return 0
    try:
        return int(json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))["after"])
    except (ValueError, KeyError, TypeError) as error:
        raise RefusedError(400, "Invalid pagination token") from error
