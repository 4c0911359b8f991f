"""The kinds of refusals that services share, told by the status and the service's own words.

A kind is only told where its words stand. Each has one sentence that is true whatever the service.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

CODES = frozenset({"code", "type", "name", "errorcode", "errortype", "status", "title", "id"})
"""Keys whose values are codes: they are read beside the message, if they are words."""
DEEPEST = 6
LONGEST = 2_000

UNAUTHORIZED = 401
FORBIDDEN = 403
TOO_MANY = 429


@dataclass(frozen=True)
class RefusalKind:
    """A kind: words that tell it, words that speak against it, and what it means."""

    name: str
    words: re.Pattern[str]
    advice: str
    statuses: tuple[int, ...] = ()
    """The statuses at which the words count; () for every 4xx."""


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


RATE = RefusalKind(
    "rate",
    _pattern(
        r"rate.?limit|too.?many.?requests|throttl|(?<!exchange )\brate exceeded|rate.?limited"
        r"|request quota|quota exhausted|(requests|calls) per (second|minute|hour|day)"
    ),
    "too many requests: wait before the next one, and send fewer",
)
ADDRESS = RefusalKind(
    "address",
    _pattern(r"\bip[ _-]?(address|whitelist|allow|restrict)|\bip does not match|allowed ips"),
    "the service does not accept calls from the address of this machine: ask your provider to "
    "allow it",
)
SUSPENSION = RefusalKind(
    "suspension",
    _pattern(
        r"suspend|deactivated|terminated|cannot currently make"
        r"|(account|client|merchant|customer|developer|key|user)\b[\w ]{0,40}"
        r"\b(disabled|frozen|paused|blocked)"
    ),
    "only your provider can change this: ask why the account or key is not active",
)
INACTIVE = RefusalKind(
    "suspension",
    _pattern(
        r"(account|client|merchant|key|user)\b[\w ]{0,30}\b(not active|inactive)|revoked"
        r"|(key|token)s?\b[\w ]{0,20}\bexpired|expired[\w ]{0,10} (key|token)"
    ),
    "only your provider can change this: ask why the account or key is not active",
    (UNAUTHORIZED, FORBIDDEN),
)
CLOCK = RefusalKind(
    "clock",
    _pattern(
        r"signature (has )?expired|request (has )?expired|expired request|clock|\bskew"
        r"|timestamp[\w ]{0,40}(old|future|outside|range|expired)|x-date"
    ),
    "set this machine's clock: the time of the request is too far from that of the service",
    (400, UNAUTHORIZED, FORBIDDEN),
)
AUTHENTICATION = RefusalKind(
    "authentication",
    _pattern(
        r"signature|credential"
        r"|(invalid|unknown|incorrect|expired)[\w ]{0,20}(api|access|subscription).?(key|token)"
        r"|api.?key[\w ]{0,30}(invalid|expired|unknown|not found)"
    ),
    "check that API key and secret belong together and to this service and environment; "
    "`paylab doctor` sends one signed request, lab.explain() shows what was signed",
    (400, UNAUTHORIZED, FORBIDDEN),
)
FUNDS = RefusalKind(
    "funds",
    _pattern(
        r"insufficient[_ ](\w+ )?(fund|balance)|(balance|funds)[\w ]{0,20}(not enough|too low)"
        r"|not enough (money|funds|balance)|balance[_ ]insufficient"
    ),
    "there is too little money: fund the account, then make the call again",
)
LIMIT = RefusalKind(
    "limit",
    _pattern(
        r"^(?!.*(character|length)).*("
        r"limit[_ ]?(exceeded|reached)|velocity|daily[_ ](maximum|limit)|maximum number"
        r"|maximum amount that can|above the[\w ]{0,30}maximum|exceeds the[\w ]{0,30}limit"
        r"|(transaction|transfer|sending|amount)[_ ]limit)"
    ),
    "a limit is reached: stay below it, or ask your provider about it",
)
DUPLICATE = RefusalKind(
    "duplicate",
    _pattern(
        r"already (exist|used|been (used|created)|created)|duplicate|has been used"
        r"|unique reference|idempot\w*[\w ]{0,40}(same param|conflict|used|created)"
    ),
    "something with this value or key was made before: look it up before you send anything again",
)
PERMISSION = RefusalKind(
    "permission",
    _pattern(
        r"permission|privilege|not authori[sz]ed|no authori[sz]ation|unauthori[sz]ed to|forbidden"
        r"|insufficient.scope|access.?denied|explicit deny|not accessible|does not allow payouts"
    ),
    "the service refuses this call: ask your provider whether this key or account may make it",
)
ALL = (
    RATE, ADDRESS, SUSPENSION, INACTIVE, CLOCK, AUTHENTICATION, FUNDS, LIMIT, DUPLICATE, PERMISSION,
)  # fmt: skip
OF_CALLERS = (ADDRESS, SUSPENSION, INACTIVE, CLOCK, AUTHENTICATION, PERMISSION)
"""Kinds about who calls: a 400 that names a field of the specification is not of them."""
DEFAULTS = {TOO_MANY: RATE, UNAUTHORIZED: AUTHENTICATION, FORBIDDEN: PERMISSION}
"""The kind of a status whose words tell no other."""


SANDBOX = "deposits can be simulated only in the sandbox: check the base URL and the keys"
CURSOR = "list again from the start: a cursor is valid only in its list and with the same filters"
KEY_FORM = "an Idempotency-Key is a UUID of 36 characters; omit it and paylab makes one"
OTHER_VALUES = (
    "this Idempotency-Key was used with another body in the last 24 hours: look at what it made "
    "in the list before you pay again"
)


def kind_of(status: int, text: str, body: Any = None) -> RefusalKind | None:
    """The kind of a refusal; None if neither its words nor its status tell one."""
    if not 400 <= status < 500:
        return None
    if status == TOO_MANY:
        return RATE
    words = f"{text} {' '.join(_codes(body))}"[:LONGEST].replace("_", " ")
    for kind in ALL:
        counts = not kind.statuses or status in kind.statuses
        if counts and kind.words.search(words):
            return kind
    return DEFAULTS.get(status)


def _codes(body: Any, depth: int = DEEPEST) -> Iterator[str]:
    """The codes in an error body."""
    if isinstance(body, list) and depth:
        for item in body[:10]:
            yield from _codes(item, depth - 1)
    for name, value in body.items() if isinstance(body, dict) and depth else ():
        if isinstance(value, str) and name.replace("_", "").lower() in CODES:
            yield re.sub(r"([a-z])([A-Z])", r"\1 \2", value[:100])
        else:
            yield from _codes(value, depth - 1)
