"""The service, simulated: everything the spec says and what `paylab.assumptions` adds.

`respond(world, request)` is the whole of it; a transport and a server are thin shells around.
"""

from .messages import Reply as Reply
from .messages import Request as Request
from .respond import respond as respond
from .simulator import Simulator as Simulator
from .simulator import random_keys as random_keys
from .world import World as World

__all__ = ["Reply", "Request", "Simulator", "World", "random_keys", "respond"]
