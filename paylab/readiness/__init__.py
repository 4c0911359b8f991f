"""Judges an integration by the calls and deliveries that it made; sends nothing to any service."""
