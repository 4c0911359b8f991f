"""What to try, for the refusals whose cause the spec tells."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Hint:
    """A piece of advice and the refusals it is for."""

    statuses: range
    words: str
    method_and_path: str
    advice: str


def _on(status: int) -> range:
    return range(status, status + 1)


HINTS = (
    Hint(
        _on(400),
        "pagination token",
        "^GET ",
        "list again from the start: a cursor is only good in the list and for the filters it "
        "came with",
    ),
    Hint(
        _on(400),
        "idempotency",
        "^POST ",
        "an Idempotency-Key is a UUID of 36 characters; leave it out and paylab makes one",
    ),
    Hint(
        _on(400),
        "verifies with images",
        "/verification_token$",
        "this individual is asked for pictures: lab.individuals.upload_images(id, {...})",
    ),
    Hint(
        _on(401),
        "",
        "",
        "the doctor finds the signature to be the one the spec gives: API key and secret may not "
        "belong together or to this service, or something on the way changes Host, path or query; "
        "`paylab doctor` checks the settings, lab.explain() shows what was signed",
    ),
    Hint(
        _on(403),
        "",
        "/sandbox/",
        "deposits can be simulated in the sandbox only: check the base URL and the keys",
    ),
    Hint(
        _on(409),
        "",
        "^POST ",
        "this Idempotency-Key was used with another body in the last 24 hours: send the first "
        "body again to see its result, or use a new key for a new payment",
    ),
    Hint(
        _on(422),
        "crypto_wallet",
        "^POST /v1/transfers$",
        "an off-ramp needs a wallet of the recipient's on the network it comes from, where the "
        "stablecoins go back to should it fail: lab.financial_accounts.create(individual_id, "
        '"crypto_wallet", {"address": ..., "network": ...}), then send it again',
    ),
    Hint(
        _on(422),
        "ask for a new one",
        "^POST /v1/transfers$",
        "a quote holds for a short while and is good for one transfer: lab.quotes.create(...) "
        "gives a fresh one",
    ),
    Hint(
        _on(422),
        "",
        "/verification_(token|images)$",
        "the individual must be in action_required: get it and read status and status_details",
    ),
    Hint(_on(429), "", "", "wait before asking again, and ask less often"),
    Hint(range(300, 400), "", "", "set the base URL to the address you mean to sign requests for"),
)


def hint(status: int, text: str, method_and_path: str) -> str | None:
    """The first advice that fits a refusal, or None."""
    for row in HINTS:
        if (
            status in row.statuses
            and row.words in text.lower()
            and re.search(row.method_and_path, method_and_path)
        ):
            return row.advice
    return None
