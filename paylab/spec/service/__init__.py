"""The assumptions about one service as settings: paths, names, limits, words and dialects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .accounts import AccountDetails as AccountDetails
    from .service import Service as Service
    from .service import SettingRow as SettingRow

_HOMES = {"AccountDetails": "accounts", "Service": "service", "SettingRow": "service"}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import a public name from its module at its first use."""
        # Operations read the groups of settings, and a Service reads the operations.
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
