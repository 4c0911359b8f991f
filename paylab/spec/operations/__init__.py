"""The operations of the service: one record each, which everything else reads."""
