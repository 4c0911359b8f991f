"""Builds the requests of a client: of an operation of the service, or of any path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from posixpath import normpath
from random import Random
from urllib.parse import unquote

from ..errors.base import MissingOperationError
from ..redaction.redaction import Redaction
from ..spec.operations.records import IDEMPOTENT_OPERATIONS, OPERATIONS
from ..spec.text import JsonObject
from .request import Options, OutgoingRequest, StreamedBody, build_url, encode, with_options
from .settings import Settings


def _simplify_path(path: str) -> str:
    """A path without letter case, escapes, dots and doubled or last slashes.

    >>> _simplify_path("/v1/%54ransfers//")
    '/v1/transfers'
    """
    return normpath(f"/{unquote(path).lower().strip('/')}")


def new_idempotency_key(random: Random) -> str:
    """A new Idempotency-Key: a UUID4 in its 36 characters."""
    from uuid import UUID  # only for a new order

    return str(UUID(int=random.getrandbits(128), version=4))


class RequestBuilder:
    """Builds requests to a service; ReadOnlyError for one that a read-only lab must not send."""

    def __init__(
        self,
        settings: Settings,
        encode_body: Callable[[str, JsonObject], bytes],
        redaction: Redaction,
    ) -> None:
        """`encode_body` writes the body of an operation, in our names, as the service reads it."""
        self._settings = settings
        self._encode_body = encode_body
        self._service = settings.service
        self._redaction = redaction

    def operation(
        self,
        name: str,
        body: JsonObject | StreamedBody | None = None,
        params: Mapping[str, object] | None = None,
        parts: Mapping[str, str] | None = None,
        options: Options | None = None,
    ) -> OutgoingRequest:
        """The request of an operation, with a body in our names or one that is streamed.

        `parts` fill the placeholders of its path. MissingOperationError if the service has none.
        """
        filled_path = self._service.path(name, **(parts or {}))
        url = build_url(self._settings.base_url, filled_path, params)
        content = self._encode_body(name, body) if isinstance(body, dict) else body
        method = OPERATIONS[name].method
        request = OutgoingRequest(
            method=method,
            path=filled_path,
            url=url,
            content=content,
            operation=name,
            takes_key=self._takes_key(name),
            asked=body,
        )
        return self._apply_options(request, options)

    def path(
        self,
        method: str,
        path: str,
        json: object = None,
        params: Mapping[str, object] | None = None,
        options: Options | None = None,
    ) -> OutgoingRequest:
        """The request for a path, with or without a query; its body is sent as it is."""
        url = build_url(self._settings.base_url, path, params)
        bare_path = path.partition("?")[0]
        content = None if json is None else encode(json)
        route = self._service.match(bare_path)[0].get(method.upper())
        if route:
            operation_name = route.operation
        elif method.upper() == "POST":
            operation_name = self._find_misspelt_order(bare_path)  # it would need a key
        else:
            operation_name = ""
        request = OutgoingRequest(
            method=method.upper(),
            path=bare_path,
            url=url,
            content=content,
            operation=operation_name,
            takes_key=self._takes_key(operation_name),
        )
        return self._apply_options(request, options)

    def add_key(self, request: OutgoingRequest, new_key: Callable[[], str]) -> OutgoingRequest:
        """The request with an Idempotency-Key if the service takes one with every POST."""
        is_keyless = request.takes_key and request.idempotency_key is None
        if is_keyless and self._service.idempotency.operations == "every_post":
            return replace(request, idempotency_key=new_key())
        return request

    def _find_misspelt_order(self, path: str) -> str:
        """The order operation whose path has another spelling, as in `/v1/transfers/`; "" for none.

        A service may carry out such a request, so it needs a key like any other order.
        """
        plain_path = _simplify_path(path)
        for operation_name in IDEMPOTENT_OPERATIONS:
            with suppress(MissingOperationError):
                order_path = _simplify_path(self._service.path(operation_name))
                if plain_path.endswith(order_path):  # also after the path of a base address
                    return operation_name
        return ""

    def _takes_key(self, operation: str) -> bool:
        """Whether an operation takes an Idempotency-Key; no operation ("") takes none."""
        return bool(operation) and OPERATIONS[operation].takes_key(self._service)

    def _apply_options(self, request: OutgoingRequest, options: Options | None) -> OutgoingRequest:
        """The request with its options; ReadOnlyError if a read-only lab must not send it."""
        if options:
            request = with_options(request, options)
        is_harmless = request.method == "GET" or request.is_control
        if self._settings.read_only and not is_harmless:
            from .failures import read_only_error  # rarely needed

            raise read_only_error(request, self._settings, self._redaction)
        return request

    def make_reading_request(self, request: OutgoingRequest, id: str) -> OutgoingRequest:
        """The request that reads the object that a request made."""
        return self.operation(OPERATIONS[request.operation].reading_name, parts={"id": id})
