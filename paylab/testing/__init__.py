"""The pytest plugin: a simulated service for each test, with its requests, faults and clock."""
