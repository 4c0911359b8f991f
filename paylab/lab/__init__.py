"""The lab: the object that notebooks use to reach the service."""

from .lab import Lab as Lab
from .lab import connect as connect
