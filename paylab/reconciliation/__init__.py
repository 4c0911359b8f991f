"""Do the list, the events and the user's own books agree? What is missing, what differs."""

from .compare import compare as compare
from .gather import reconcile as reconcile
from .references import Reference as Reference
from .references import references as references
from .result import Reconciliation as Reconciliation
from .sides import EVENTS as EVENTS
from .sides import LIST as LIST
from .sides import REFERENCES as REFERENCES
from .sides import Entry as Entry
from .sides import Line as Line
from .sides import of_events as of_events
from .sides import of_list as of_list
