"""The signing dialect that a service verifies, after it refused a signature without saying why."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..errors.base import PaylabError
from ..spec.service.keys import keys
from ..spec.service.service import Service

TRIED = ("signing.empty_query", "signing.key_encoding")
"""What may be signed otherwise in a request without query and body, most likely first."""

EXPLAINED = re.compile(
    r"expire|revoked|suspend|disabled|deactivat|inactive|blocked|locked|\bip\b|address|allow.?list"
    r"|whitelist|clock|skew|timestamp|too old|x-date|permission|scope|environment|live mode"
    r"|test mode|maintenance|terminated",
    re.IGNORECASE,
)
"""Words that say why a key or a request was refused: no other signature would help."""


def is_explained(words: str) -> bool:
    """Whether the words of a 401 already say why, so that no other dialect is worth a request."""
    return bool(EXPLAINED.search(words))


def verified_dialect(service: Service, verifies: Callable[[str, str], bool]) -> tuple[str, ...]:
    """The key and the value of the first other dialect that the service verifies, or ()."""
    for name in TRIED:
        for value in map(str, keys()[name].words):
            if value != service.value(name) and verifies(name, value):
                return name, value
    return ()


def name_dialect(error: PaylabError, dialect: tuple[str, ...]) -> None:
    """Say which dialect a signed GET has just shown to work."""
    if dialect:
        name, value = dialect
        error.assumption = keys()[name].row
        error.hint = (
            f'the service verifies a GET that is signed with {name} = "{value}": set it in the '
            "service.toml of this service"
        )
