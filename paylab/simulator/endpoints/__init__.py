"""The service's operations, a module a resource; each is a function of (world, request)."""
