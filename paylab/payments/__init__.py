"""Payments: the order ledger, batches, and comparing quotes."""
