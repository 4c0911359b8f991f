"""What the spec leaves open and what is assumed there, as data that everything else reads."""

from __future__ import annotations

from .row import Gap as Gap
from .row import Scenario as Scenario
from .scenarios import SCENARIOS as SCENARIOS
from .table import ALL as ALL
from .table import get as get
from .table import markdown as markdown

__all__ = ["ALL", "SCENARIOS", "Gap", "Scenario", "get", "markdown"]
