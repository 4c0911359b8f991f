"""The simulated service: the spec, and the assumptions of a `Service`.

`respond(world, request)` is the service as a function; the transport and the server call it.
"""

from .credentials import random_keys as random_keys
from .dispatch import respond as respond
from .messages import Reply as Reply
from .messages import Request as Request
from .simulator import Simulator as Simulator
from .world import World as World

__all__ = ["Reply", "Request", "Simulator", "World", "random_keys", "respond"]
