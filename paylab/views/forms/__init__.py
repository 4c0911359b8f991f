"""Forms: a widget for every step of an on-ramp and of a payout."""

from ...errors.extras import extra_imports

with extra_imports():
    import anywidget  # noqa: F401 - all forms need it
