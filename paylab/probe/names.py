"""Match a service's field names to ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

from ..spec import assumptions

ALIKE = 0.4
"""The minimum similarity of matching names, from 0 to 1."""
SYNONYMS = (
    frozenset({"network", "chain", "blockchain"}),
    frozenset({"id", "number", "identifier"}),
    frozenset({"issuer", "bank", "institution", "provider"}),
    frozenset({"individual", "customer", "user", "person", "recipient"}),
    frozenset({"sender", "payer", "originator"}),
    frozenset({"source", "from", "origin"}),
    frozenset({"destination", "to", "target", "payout"}),
    frozenset({"rail", "method"}),
    frozenset({"address", "wallet", "account"}),
    frozenset({"expires", "valid", "expiry", "until"}),
    frozenset({"reference", "client"}),
    frozenset({"holder", "name", "beneficiary", "owner"}),
    frozenset({"upi", "vpa"}),
    frozenset({"bic", "swift"}),
    frozenset({"amount", "value"}),
)


def known_names(key: str) -> list[str]:
    """The possible names of a field: the assumed one, then known alternatives."""
    spec = assumptions.KEYS[key]
    ours = key.rpartition(".")[2]
    others = [str(each) for each in spec.others]
    variants = [f"{ours}_id", ours.removesuffix("_id"), _camel(ours)]
    return list(dict.fromkeys([str(spec.default), ours, *others, *variants]))


def matching_names(keys: Mapping[str, str], theirs: Iterable[str]) -> dict[str, str]:
    """Match our names that were not found to the most similar names of the service.

    `keys` has the key of each of our names. Each name of the service is used once.
    """
    free = list(dict.fromkeys(theirs))
    scores = sorted(
        ((_likeness(key, their), our, their) for our, key in keys.items() for their in free),
        key=lambda row: -row[0],
    )
    found: dict[str, str] = {}
    for score, our, their in scores:
        if score >= ALIKE and our not in found and their not in found.values():
            found[our] = their
    return found


def _likeness(key: str, their: str) -> float:
    """The similarity of a service's name to ours: 0 to 1, or 2 for an expected name."""
    if their in known_names(key):
        return 2.0
    ours = key.rpartition(".")[2]
    parts, others = set(ours.split("_")), set(their.lower().replace("-", "_").split("_"))
    shared = len(parts & others) + 0.9 * any(
        words & parts - others and words & others - parts for words in SYNONYMS
    )
    whole = SequenceMatcher(None, ours, their.lower()).ratio()
    return max(min(1.0, shared / max(len(parts), len(others))), whole if whole > 0.6 else 0.0)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)
