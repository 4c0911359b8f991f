"""The client of the service: signed requests with the service's operations on them."""

from ..redaction.hiding import Secret as Secret
from .call import Call as Call
from .client import Client as Client
from .service_clock import utcnow as utcnow
from .settings import Settings as Settings
from .settings import resolve as resolve
