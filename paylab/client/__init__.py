"""The signed client of the service."""

from .api import Client as Client
from .call import Call as Call
from .clock import utcnow as utcnow
from .settings import Secret as Secret
from .settings import Settings as Settings
from .settings import resolve as resolve

__all__ = ["Call", "Client", "Secret", "Settings", "resolve", "utcnow"]
