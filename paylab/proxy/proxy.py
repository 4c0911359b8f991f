"""The proxy: it listens on loopback, and answers with the answers of a service."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..client.base_url import PROXY_PRODUCT, add_via, check_base_url, check_encrypted
from ..client.exchange import Transport
from ..client.settings import Settings
from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError
from ..errors.names import with_name_suggestions
from ..journal.har import write_har
from ..openapi.document import document
from ..openapi.validation import Contract
from ..redaction.hiding import Secret
from ..runtime import listen, make_executor
from ..serving import ServingThread
from ..simulator.app import Protocol, SimulatorApp
from ..simulator.messages import Reply, Request
from ..simulator.requests import Requests
from ..simulator.routing import CONTROL
from ..spec.service.service import Service
from ..spec.text import JsonObject
from .har_writer import HarWriter
from .journal_api import JournalAPI
from .recorder import Recorder
from .upstream import Upstream

if TYPE_CHECKING:
    import socket

HOST = "127.0.0.1"
WORKERS = 32
"""Requests that wait for the service at the same time; further ones wait in turn."""

TIMEOUT_SECONDS = 60.0


@lru_cache(maxsize=4)
def _make_contract(service: Service) -> Contract:
    """Make the comparison with the document of a service. Making it takes long."""
    return Contract(service, document(service))


@with_name_suggestions
@explain_arguments
class Proxy:
    """A proxy on loopback in front of a service; a context manager starts and stops it.

    `to` is the address of the service, and `keys` are its API key and secret. A client signs the
    address of the proxy as `base_url` has it; the proxy verifies that, and signs the request again
    for the service. With `pass_through` requests are sent as they are, for clients that can sign
    the host of the service; they need no keys. `read_only` refuses all but GET, HEAD and OPTIONS.

    >>> from paylab.proxy import Proxy
    >>> Proxy("http://sandbox.example.com")
    Traceback (most recent call last):
    ...
    paylab.errors.base.ConfigError: the base URL must begin with https:// for ...
    """

    def __init__(  # noqa: PLR0913 - each has a default but the address
        self,
        to: str,
        *,
        keys: tuple[str, str] | tuple[Secret, Secret] | None = None,
        service: Service | None = None,
        port: int = 0,
        read_only: bool = False,
        pass_through: bool = False,
        timeout: float = TIMEOUT_SECONDS,
        transport: Transport | None = None,
    ) -> None:
        """Open the port. Nothing is answered before `start`."""
        self.to = check_base_url(to)
        check_encrypted(self.to)
        if keys is None and not pass_through:
            raise ConfigError(
                "the proxy signs requests again and needs the keys of the service: set "
                "PAYLAB_API_KEY and PAYLAB_SECRET_KEY, or use pass-through"
            )
        self.service = service or Service()
        secret_keys = (Secret.of(keys[0]), Secret.of(keys[1])) if keys else None
        api_key, secret_key = secret_keys or (Secret("none"), Secret("none"))
        settings = Settings(self.to, api_key, secret_key, timeout=timeout)
        self._upstream = Upstream(settings, transport)
        self._base_path = urlsplit(self.to).path
        self._contract = _make_contract(self.service)
        self._recorder = Recorder(
            self.service,
            self._upstream,
            self._contract,
            base_path=self._base_path,
            keys=secret_keys,
            read_only=read_only,
            pass_through=pass_through,
        )
        self.control_token = f"ct_proxy_{token_hex(16)}"
        self._journal_api = self._make_journal_api(read_only=read_only, pass_through=pass_through)
        self._socket: socket.socket = listen(HOST, port)
        self.port: int = self._socket.getsockname()[1]
        self._executor = make_executor(WORKERS, PROXY_PRODUCT)
        # A signature that is passed through is for the service, and so is the Host header.
        service_host = urlsplit(self.to).hostname or ""
        app = self._make_app([service_host] if pass_through else [])
        self._serving = ServingThread(app, self._socket, PROXY_PRODUCT, connection=Protocol)

    def _make_journal_api(self, *, read_only: bool, pass_through: bool) -> JournalAPI:
        """Make what answers requests to the journal of the recorder."""
        facts: JsonObject = {"to": self.to, "read_only": read_only, "pass_through": pass_through}
        return JournalAPI(
            self._recorder.journal,
            control_token=self.control_token,
            secrets=self._recorder.secrets,
            is_signed=self._recorder.is_signed,
            make_document=partial(document, self.service, "/"),
            facts=facts,
        )

    def _make_app(self, allowed_hosts: list[str]) -> SimulatorApp:
        """Make the app for requests to the proxy's own address, or to one of the allowed hosts."""
        return SimulatorApp(
            self._respond,
            self._abort,
            service=self.service,
            allowed=allowed_hosts,
            executor=self._executor,
            product=PROXY_PRODUCT,
        )

    @property
    def base_url(self) -> str:
        """The address of the proxy, with the path of the service's address."""
        return f"http://{HOST}:{self.port}{self._base_path}"

    @property
    def requests(self) -> Requests:
        """The requests that passed, with their verdicts, to look at and to assert on."""
        return Requests(self._journal_api.requests, self._journal_api.count_dropped)

    def har(self, path: str | Path, *, raw: bool = False) -> Path:
        """Write the exchanges to a HAR file, redacted unless `raw`; only its owner can read it."""
        return write_har(self._journal_api.records(raw=raw), self.to, Path(path))

    def har_while_running(self, path: str | Path, *, raw: bool = False) -> HarWriter:
        """Make a context manager that writes the HAR file again soon after each request."""
        return HarWriter(partial(self.har, path, raw=raw), self._recorder.journal.count_requests)

    def keys_by_variable(self) -> dict[str, str]:
        """The keys as environment variables of a program that runs on the proxy."""
        variable_names = ("PAYLAB_API_KEY", "PAYLAB_SECRET_KEY")
        return dict(zip(variable_names, self._recorder.secrets, strict=False))

    def start(self) -> Proxy:
        """Start to listen. It returns once connections are accepted."""
        self._contract.prepare()
        try:
            self._serving.start()
        except TimeoutError:
            self.stop()
            raise ConfigError("the proxy did not start: it took too long") from None
        return self

    def stop(self) -> None:
        """Stop listening, and close the connections to the service. The journal stays."""
        self._serving.stop()
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._upstream.close()

    def is_alive(self) -> bool:
        """Whether it is still listening."""
        return self._serving.is_alive()

    def _respond(self, request: Request) -> Reply:
        """Answer a request, from the journal or by the service; the header Via names the proxy."""
        path = request.path.removeprefix(self._base_path)
        is_control = path == CONTROL or path.startswith(f"{CONTROL}/")
        if is_control:
            reply = self._journal_api.respond(request, path)
        else:
            reply = self._recorder.respond(request)
        return replace(reply, headers=add_via(reply.headers, self._upstream.host))

    def _abort(self, client_address: object) -> None:
        """Close the connection of a client without an answer."""
        self._serving.abort(client_address)

    def __repr__(self) -> str:
        """The address, the service and the number of requests."""
        return f"<Proxy {self.base_url} to {self.to}, {len(self._recorder.journal)} requests>"

    def __enter__(self) -> Proxy:
        """Start to listen, unless it does already."""
        if not self._serving.is_alive():
            self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop listening."""
        self.stop()
