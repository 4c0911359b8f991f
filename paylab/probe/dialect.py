"""Find how a service verifies signatures: dialect, key, nonce and clock tolerance."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import product

from ..signing.canonical import key_bytes
from ..signing.snippets import DIALECT
from ..spec import assumptions
from .answers import ServiceReply
from .inquiry import READS, Inquiry, Question
from .requests import Dialect

REFUSALS = (401, 403)
SIGNING = (*(f"signing.{name}" for name in DIALECT), "error_codes.signature")
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
                inquiry.memory["harmless"] = path
                inquiry.answer("error_codes.signature", damaged.status, damaged)
                for part in DIALECT:
                    inquiry.answer(f"signing.{part}", getattr(chosen, part), reply)
                return
        break
    for key in SIGNING:
        inquiry.unclear(key, "no request verified: API key and secret may not belong together")


def _dialects(inquiry: Inquiry) -> list[Dialect]:
    """Every dialect in which the secret can sign, the assumed one first."""
    secret = inquiry.requests.sender.settings.secret_key.reveal()
    signing, keys = inquiry.service.signing, assumptions.KEYS
    usual = Dialect(**{name: getattr(signing, name) for name in DIALECT})
    queries = (signing.empty_query, *keys["signing.empty_query"].values)
    encodings = (signing.key_encoding, *map(str, keys["signing.key_encoding"].values))
    found = []
    for encoding, query in product(dict.fromkeys(encodings), dict.fromkeys(queries)):
        with suppress(ValueError):
            key_bytes(secret, encoding)
            found.append(replace(usual, empty_query=query, key_encoding=encoding))
    for name in ("hash_encoding", "empty_body", "signed_path"):
        values = map(str, keys[f"signing.{name}"].values)
        found += [Dialect(**{**vars(usual), name: value}) for value in values]
    return list(dict.fromkeys(found))


def nonce(inquiry: Inquiry) -> None:
    """Send a harmless GET without X-Nonce."""
    if not inquiry.knows("signing.empty_query"):
        return
    reply = _read(inquiry, replace(inquiry.requests.dialect, nonce=False))
    required = reply.status == inquiry.value("error_codes.signature")
    inquiry.answer("signing.nonce", "required" if required else "optional", reply)


def tolerance(inquiry: Inquiry) -> None:
    """Find the largest X-Date in the future that is accepted, to the second."""
    if not inquiry.knows("signing.empty_query"):
        return
    accepted: dict[int, ServiceReply] = {}
    refused: dict[int, ServiceReply] = {}

    def is_accepted(seconds: int) -> bool:
        reply = _read(inquiry, replace(inquiry.requests.dialect, shift=seconds))
        good = bool(reply.status != inquiry.value("error_codes.signature"))
        (accepted if good else refused)[seconds] = reply
        return good

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


def _read(inquiry: Inquiry, chosen: Dialect) -> ServiceReply:
    """Send a harmless GET in a dialect."""
    path = inquiry.memory.get("harmless") or inquiry.path(PLACES[0]) or f"/v1/{PLACES[0]}"
    return inquiry.requests.get(path, chosen)


QUESTIONS = (
    Question(READS, dialect, *SIGNING),
    Question(READS, nonce, "signing.nonce"),
    Question(READS, tolerance, "signing.tolerance"),
)
