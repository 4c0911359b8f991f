"""Child processes: Python programs of our own, and what a fork renews."""
