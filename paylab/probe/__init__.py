"""Ask a service the questions that the specification leaves open."""
