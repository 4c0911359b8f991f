"""Payments: the identity and key of an order, batches, and comparing quotes."""
