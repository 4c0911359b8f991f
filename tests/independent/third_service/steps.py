"""What all operations share."""

import hashlib

from third_service.wire import invalid

STEP = 0.3  # seconds between two states of an object


def check(problems):
    """Refuse a request that has problems."""
    if problems:
        raise invalid(problems)


def digest_of(row):
    """Characters that differ for each object."""
    return hashlib.sha256(row["id"].encode()).hexdigest()
