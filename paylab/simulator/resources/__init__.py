"""What the simulator does for each resource."""
