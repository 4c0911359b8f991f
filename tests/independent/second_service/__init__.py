"""A second payments service of the interface description, for tests of clients.

It shares no code with the package or with other services of the tests. `DEVIATIONS` are ways in
which it may differ from what is assumed.
"""

from .deviations import DEVIATIONS
from .service import Service

__all__ = ["DEVIATIONS", "Service"]
