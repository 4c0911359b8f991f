"""The signed client of the service."""

from .api import Client as Client
from .call import Call as Call
from .config import Settings as Settings
from .config import resolve as resolve
from .http import utcnow as utcnow
from .secret import Secret as Secret

__all__ = ["Call", "Client", "Secret", "Settings", "resolve", "utcnow"]
