"""Checks of request bodies before they are sent, as pure functions.

Every check takes any JSON value, never raises, and returns all problems. A problem's source is
"spec", or the id of an assumption; its key is the setting of a service.toml that changes the
rule. `service` is a Service, by default `Service()`.
"""
