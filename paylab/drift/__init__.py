"""What the answers of a service have that its settings do not have."""
