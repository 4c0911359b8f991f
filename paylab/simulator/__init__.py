"""The simulated service: the spec, and the assumptions of a `Service`.

`respond(world, request)` is the service as a function; the transport and the server call it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors.module_names import raise_unknown_name

if TYPE_CHECKING:
    from .credentials import random_keys as random_keys
    from .dispatch import respond as respond
    from .messages import Reply as Reply
    from .messages import Request as Request
    from .simulator import Simulator as Simulator
    from .world import World as World

_LATE = {
    "Reply": "messages",
    "Request": "messages",
    "Simulator": "simulator",
    "World": "world",
    "random_keys": "credentials",
    "respond": "dispatch",
}
"""The module of each name. A simulator loads `dispatch`, and all rules, for its first request."""

__all__ = ["Reply", "Request", "Simulator", "World", "random_keys", "respond"]


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise_unknown_name(__name__, name, __all__)
    return getattr(import_module(f".{_LATE[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
