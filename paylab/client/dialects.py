"""The signing dialect that a service verifies, after it refused a signature without saying why."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..errors.base import PaylabError
from ..spec.service.keys import setting_keys
from ..spec.service.service import Service

TRIED = ("signing.empty_query", "signing.key_encoding")
"""Settings that change how a request without query and body is signed, most likely first."""

EXPLAINED = re.compile(
    r"expire|inactive|not active|disabled|blocked|environment|live mode|test mode|maintenance",
    re.IGNORECASE,
)
"""Words beside those of the kinds that say why a key was refused."""


def is_explained(error: PaylabError) -> bool:
    """Whether a refused signature is explained, so that no other dialect is worth a request."""
    from .refusal_kinds import AUTHENTICATION, PERMISSION, UNAUTHORIZED, find_kind  # rarely needed

    status = getattr(error, "status", UNAUTHORIZED)
    refusal_text = getattr(error, "text", str(error))
    refusal_kind = find_kind(status, refusal_text, getattr(error, "body", None))
    has_other_kind = refusal_kind not in (None, AUTHENTICATION, PERMISSION)
    return has_other_kind or EXPLAINED.search(refusal_text) is not None


WAYS = {
    ("signing.empty_query", "omit"): "without a line for the absent query",
    ("signing.empty_query", "blank"): "with an empty line for the absent query",
    ("signing.key_encoding", "utf-8"): "with the UTF-8 bytes of the secret as the key",
    ("signing.key_encoding", "hex"): "with the bytes of which the secret is the hex text",
    ("signing.key_encoding", "base64"): "with the bytes of which the secret is the Base64 text",
}
"""The dialects in words."""


class DialectSearch:
    """Tries other dialects once, when a signature is refused without saying why."""

    def __init__(self, service: Service) -> None:
        """Try dialects other than that of a service."""
        self._service = service
        self._dialect: tuple[str, str] | None = None
        self._has_tried = False

    def explain(self, error: PaylabError, is_verified: Callable[[str, str], bool]) -> None:
        """Say in an error which dialect the service verifies a GET in, if there is one.

        `is_verified` sends a GET that is signed with another value of a setting.
        """
        if is_explained(error):
            return
        if not self._has_tried:
            self._has_tried = True
            self._dialect = self._find_verified_dialect(is_verified)
        if self._dialect is not None:
            error.assumption = setting_keys()[self._dialect[0]].row
            error.hint = (
                f"the service verifies a GET that is signed {WAYS[self._dialect]}, and not "
                "the same GET as paylab signs it now: run `paylab probe`"
            )

    def _find_verified_dialect(
        self, is_verified: Callable[[str, str], bool]
    ) -> tuple[str, str] | None:
        """The first other dialect that the service verifies, as a setting's key and its value.

        None if it verifies no other one, or if it also verifies the same GET in the dialect in
        force: that dialect is right, and the signature was refused for another reason.
        """
        for setting_key in TRIED:
            value_in_force = str(self._service.value(setting_key))
            for other_value in map(str, setting_keys()[setting_key].words):
                if other_value != value_in_force and is_verified(setting_key, other_value):
                    is_right_already = is_verified(setting_key, value_in_force)
                    return None if is_right_already else (setting_key, other_value)
        return None
