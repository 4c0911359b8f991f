"""A webhook inbox: it receives events, keeps them before it answers, and passes them on."""

from .arrivals import Arrivals as Arrivals
from .box import Doors as Doors
from .box import Inbox as Inbox
from .forwarder import forward as forward
from .receiver import Answer as Answer
from .receiver import Receiver as Receiver
from .store import Arrival as Arrival
from .store import Store as Store

__all__ = ["Answer", "Arrival", "Arrivals", "Doors", "Inbox", "Receiver", "Store", "forward"]
