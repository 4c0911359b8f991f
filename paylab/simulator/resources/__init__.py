"""The simulator's behaviour for each resource."""
