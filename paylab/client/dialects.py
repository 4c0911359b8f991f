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
    status = getattr(error, "status", UNAUTHORIZED)
    text = getattr(error, "text", str(error))
    kind = kind_of(status, text, getattr(error, "body", None))
    return kind not in (None, AUTHENTICATION, PERMISSION) or bool(EXPLAINED.search(text))


class DialectSearch:
    """Tries other dialects once, when a signature is refused without saying why."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._dialect: tuple[str, str] | None = None
        self._has_tried = False

    def explain(self, error: PaylabError, is_verified: Callable[[str, str], bool]) -> None:
        """Say in an error which dialect a signed GET has just shown to work, if any."""
        if is_explained(error):
            return
        if not self._has_tried:
            self._has_tried = True
            self._dialect = self._verified(is_verified)
        if self._dialect is not None:
            name, value = self._dialect
            error.assumption = keys()[name].row
            error.hint = (
                f'the service verifies a GET that is signed with {name} = "{value}": set it in the '
                "service.toml of this service"
            )

    def _verified(self, is_verified: Callable[[str, str], bool]) -> tuple[str, str] | None:
        """The key and the value of the first other dialect that the service verifies."""
        for name in TRIED:
            for value in map(str, keys()[name].words):
                if value != self._service.value(name) and is_verified(name, value):
                    return name, value
        return None
