"""The interface of a service as an OpenAPI 3.1 document."""

from .document import document as document
