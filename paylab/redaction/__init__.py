"""Redaction: what is taken out of everything that is shown, logged or kept."""
