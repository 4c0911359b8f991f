"""The signing dialect that a service verifies, after it refused a signature without saying why."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..errors.base import PaylabError
from ..spec.service.keys import keys
from ..spec.service.service import Service
from .refusal_kinds import AUTHENTICATION, PERMISSION, UNAUTHORIZED, kind_of

TRIED = ("signing.empty_query", "signing.key_encoding")
"""What may be signed otherwise in a request without query and body, most likely first."""

EXPLAINED = re.compile(
    r"expire|inactive|not active|disabled|blocked|environment|live mode|test mode|maintenance",
    re.IGNORECASE,
)
"""Words beside those of the kinds that say why a key was refused."""


def is_explained(error: PaylabError) -> bool:
    """Whether a refused signature is explained, so that no other dialect is worth a request."""
    status, text = getattr(error, "status", UNAUTHORIZED), getattr(error, "text", str(error))
    kind = kind_of(status, text, getattr(error, "body", None))
    return kind not in (None, AUTHENTICATION, PERMISSION) or bool(EXPLAINED.search(text))


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
