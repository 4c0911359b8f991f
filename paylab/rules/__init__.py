"""What the service will refuse, said before anything is sent: pure checks on JSON-like bodies.

Every check takes whatever `json.loads` can give, never raises, and returns all the problems at
once. A problem's source is "spec", or the id of the assumption it rests on; its key is the
setting of a service.toml that changes the rule. `service` is a Service, by default `Service()`.
"""
