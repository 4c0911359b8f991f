"""How a request is signed, how a signature is checked, and why one does not match.

Everything here is a pure function: date, nonce and keys are arguments.
Rules from the spec, "Authentication"; readings from the assumptions `signing.*`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors.arguments import explain_arguments
from ..errors.module_names import raise_unknown_name
from .canonical import EMPTY_HASH as EMPTY_HASH
from .canonical import ReceivedRequest as ReceivedRequest
from .canonical import Signature as Signature
from .canonical import authorization as authorization
from .canonical import body_hash as body_hash
from .canonical import canonical_request as canonical_request
from .canonical import key_bytes as key_bytes
from .canonical import keyed as keyed
from .canonical import signed_headers as signed_headers
from .checked_request import sign as sign

if TYPE_CHECKING:
    from .comparison import compare as compare
    from .corrections import Mistake as Mistake
    from .explanation import explain as explain
    from .explanation import explain_text as explain_text
    from .findings import Finding as Finding
    from .findings import SignedRequest as SignedRequest
    from .unauthorized import verify as verify

# Here, since they call one another: only the outer call of a user needs it.
for _name, _function in list(globals().items()):
    if getattr(_function, "__module__", "") == f"{__name__}.canonical" and _name.islower():
        globals()[_name] = explain_arguments(_function)

_LATE_MODULES = {
    "Finding": "findings",
    "Mistake": "corrections",
    "SignedRequest": "findings",
    "compare": "comparison",
    "explain": "explanation",
    "explain_text": "explanation",
    "verify": "unauthorized",
}
"""The module of each name that is loaded on first use: signing a request needs none of them."""


__all__ = [
    "EMPTY_HASH",
    "Finding",
    "Mistake",
    "ReceivedRequest",
    "Signature",
    "SignedRequest",
    "authorization",
    "body_hash",
    "canonical_request",
    "compare",
    "explain",
    "explain_text",
    "key_bytes",
    "keyed",
    "sign",
    "signed_headers",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Load a name of `_LATE_MODULES` on first use; AttributeError for an unknown name."""
    if name not in _LATE_MODULES:
        raise_unknown_name(__name__, name, __all__)
    module = import_module(f".{_LATE_MODULES[name]}", __name__)
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
