"""Find how a service verifies signatures: dialect, key, nonce and clock tolerance."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from ..signing.canonical import key_bytes
from ..spec import assumptions
from .answers import ServiceReply
from .inquiry import READS, Inquiry, Question
from .requests import Dialect

REFUSALS = (401, 403)
PLACES = ("transfers", "conversions", "individuals", "conversion_accounts", "webhook_subscriptions")
TOLERANCES = (30, 60, 120, 180, 300, 600, 900, 1800, 3600, 7200, 43_200, 86_400)


def dialect(inquiry: Inquiry) -> None:
    """Find a request without a query that verifies, in the first dialect that does."""
    requests = inquiry.requests
    for name in PLACES:
        path = inquiry.path(name) or f"/v1/{name}"
        damaged = requests.get(path, dialect=Dialect(damaged=True))
        if damaged.status not in REFUSALS:
            continue  # an unknown path may be answered 404 before the signature is checked
        for chosen in _dialects(inquiry):
            reply = requests.get(path, dialect=chosen)
            if reply.status not in (*REFUSALS, 0):
                requests.dialect = chosen
                inquiry.memory["damaged"], inquiry.memory["verified"] = damaged, reply
                inquiry.memory["harmless"] = path
                inquiry.answer("error_codes.signature", damaged.status, damaged)
                inquiry.answer("signing.empty_query", chosen.empty_query, reply)
                inquiry.answer("signing.key_encoding", chosen.key_encoding, reply)
                return
        inquiry.memory["refused"] = damaged
        break
    for key in ("signing.empty_query", "signing.key_encoding", "error_codes.signature"):
        inquiry.unclear(key, "no request verified: API key and secret may not belong together")


def _dialects(inquiry: Inquiry) -> list[Dialect]:
    """Every dialect in which the secret can sign, the assumed one first."""
    secret = inquiry.requests.sender.settings.secret_key.reveal()
    signing, keys = inquiry.service.signing, assumptions.KEYS
    queries = sorted(keys["signing.empty_query"].values, key=lambda one: one != signing.empty_query)
    encodings = sorted(
        keys["signing.key_encoding"].values, key=lambda one: one != signing.key_encoding
    )
    found = []
    for encoding, query in product(encodings, queries):
        try:
            key_bytes(secret, str(encoding))
        except ValueError:
            continue
        found.append(Dialect(query, str(encoding)))
    return found


def nonce(inquiry: Inquiry) -> None:
    """Send a harmless GET without X-Nonce."""
    reply = _read(inquiry, replace(inquiry.requests.dialect, nonce=False))
    if reply is None:
        return
    required = reply.status == inquiry.value("error_codes.signature")
    inquiry.answer("signing.nonce", "required" if required else "optional", reply)


def tolerance(inquiry: Inquiry) -> None:
    """Find the largest X-Date in the future that is accepted, to the second."""
    accepted: dict[int, ServiceReply] = {}
    refused: dict[int, ServiceReply] = {}

    def is_accepted(seconds: int) -> bool:
        reply = _read(inquiry, replace(inquiry.requests.dialect, shift=seconds))
        good = reply is not None and reply.status != inquiry.value("error_codes.signature")
        if reply is not None:
            (accepted if good else refused)[seconds] = reply
        return good

    if not inquiry.knows("signing.empty_query"):
        return
    first = int(inquiry.value("signing.tolerance"))
    if is_accepted(first) and not is_accepted(first + 1):
        inquiry.answer("signing.tolerance", first, accepted[first], refused[first + 1])
        return
    low, high = max(accepted, default=0), min(refused, default=TOLERANCES[-1] + 1)
    for each in TOLERANCES:
        if low < each < high:
            low, high = (each, high) if is_accepted(each) else (low, each)
            if high == each:
                break
    while high - low > 1:
        # A limit is usually a round number: try right after the last accepted one.
        middle = low + 1 if low in TOLERANCES and low + 1 not in refused else (low + high) // 2
        low, high = (middle, high) if is_accepted(middle) else (low, middle)
    if not accepted:
        inquiry.unclear("signing.tolerance", "no X-Date in the future was accepted")
    elif not refused:
        inquiry.unclear("signing.tolerance", "every X-Date up to a day ahead was accepted")
    else:
        inquiry.answer("signing.tolerance", low, accepted[low], refused[high])


def _read(inquiry: Inquiry, chosen: Dialect) -> ServiceReply | None:
    """Send a GET in a dialect; None if no request was verified before."""
    path = inquiry.memory.get("harmless") or inquiry.path("transfers")
    known = inquiry.knows("signing.empty_query")
    return inquiry.requests.get(path, dialect=chosen) if path and known else None


QUESTIONS = (
    Question(
        "signing",
        READS,
        ("signing.empty_query", "signing.key_encoding", "error_codes.signature"),
        dialect,
    ),
    Question("nonce", READS, ("signing.nonce",), nonce),
    Question("clock tolerance", READS, ("signing.tolerance",), tolerance),
)
