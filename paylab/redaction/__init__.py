"""Redaction: removes secrets and personal data from everything that is shown, logged or stored."""
