"""The ledger: which cell or call site paid what under which Idempotency-Key.

Running the same cell again with the same body sends the same key, so the service gives again
what it gave before. A loop that sends one body twice makes two payments: the n-th time in a run
is matched with the n-th time in the run before.
"""

from .ledger import Ledger as Ledger
from .site import concerning as concerning
from .store import default_path as default_path
from .store import open_store as open_store

__all__ = ["Ledger", "concerning", "default_path", "open_store"]
