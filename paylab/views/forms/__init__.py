"""Forms: a widget for every step of an on-ramp and of a payout."""

from ...errors.extras import explained

with explained():
    import anywidget  # noqa: F401 - all forms need it
