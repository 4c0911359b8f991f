"""The lab: the object that notebooks use to reach the service."""

from .connection import connect as connect
from .lab import Lab as Lab

__all__ = ["Lab", "connect"]
