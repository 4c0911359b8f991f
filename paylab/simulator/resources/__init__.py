"""What the simulator does for each resource: dispatch reads every module of this folder."""
