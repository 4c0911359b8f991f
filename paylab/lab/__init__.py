"""The lab: one object that holds everything a notebook needs."""

from .connection import connect as connect
from .lab import Lab as Lab

__all__ = ["Lab", "connect"]
