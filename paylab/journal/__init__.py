"""The journal: requests, deliveries, events and controls in one sequence; their JSON and HAR."""
