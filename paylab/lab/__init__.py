"""The lab: one object that holds everything a notebook needs."""

from .lab import Lab as Lab
from .lab import connect as connect

__all__ = ["Lab", "connect"]
