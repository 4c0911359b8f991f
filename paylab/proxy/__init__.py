"""A proxy in front of a service: it journals, verifies and validates each exchange."""

from .proxy import Proxy as Proxy
