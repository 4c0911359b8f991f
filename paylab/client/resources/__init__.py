"""The operations of the service, one class per resource."""
