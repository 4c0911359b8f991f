"""A third payments service, written from the specification alone.

It shares no code with the package and has a table of deviations: ways in which a real service may
differ. `serve("amounts-minor", "late-lists")` starts it with some of them.
"""

from third_service.deviations import DEVIATIONS
from third_service.hooks import FILL, FOLLOW, HOPELESS, PART, Deviation
from third_service.server import serve

__all__ = ["DEVIATIONS", "FILL", "FOLLOW", "HOPELESS", "PART", "Deviation", "serve"]
