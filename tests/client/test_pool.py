"""The connections below httpx: proxies, certificates, errors and reuse, compared with httpx's."""

from __future__ import annotations

import base64
import socket
import ssl
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import httpcore
import httpx
import pytest

from paylab import errors
from paylab.client import Client
from paylab.client.pool import PoolTransport, pool_transport, proxy_mounts
from paylab.client.settings import Settings

CERTIFICATE = Path(__file__).with_name("loopback.pem")
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUEST_METHOD")
PASSWORD = "hunter2"
BODY = b'{"id": "tr_1"}'


def uncapped(timeout, _):
    """A cap without a deadline."""
    return timeout


def of_paylab():
    """A client of httpx with the transports of paylab."""
    transport = pool_transport(uncapped, is_encrypted=True)
    mounts = proxy_mounts(uncapped)
    return httpx.Client(transport=transport, mounts=mounts, trust_env=False, timeout=10)


def of_httpx():
    """A client of httpx with its own transports."""
    return httpx.Client(timeout=10)


@pytest.fixture(params=[of_paylab, of_httpx])
def make_client(request):
    """What makes a client: with the transports of paylab, then with those of httpx."""
    return request.param


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """No proxies, one trusted certificate, which loads fast, and `.test` is this machine."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    resolve = socket.getaddrinfo

    def resolve_here(host, *args, **options):
        name = host.decode() if isinstance(host, bytes) else host
        return resolve("127.0.0.1" if name.endswith(".test") else host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve_here)


class Server(ThreadingHTTPServer):
    """Stores the request lines, the credentials and the connections that it got."""

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.asked = []
        self.credentials = []
        self.ports = []
        self.ended = threading.Semaphore(0)
        self.address = f"127.0.0.1:{self.server_port}"

    def handle_error(self, *_):
        """Do not print the failures of a connection."""


class Handler(BaseHTTPRequestHandler):
    """Keeps the connection, and tells when it ended."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet

    def do_GET(self):
        """Store the request, and answer."""
        self.server.asked.append(self.requestline)
        self.server.credentials.append(self.headers["Proxy-Authorization"])
        self.server.ports.append(self.client_address[1])
        self.server.answer(self)

    def do_CONNECT(self):
        """Like GET."""
        self.do_GET()

    def finish(self):
        """The connection ended."""
        super().finish()
        self.server.ended.release()

    def log_message(self, *_):
        """Do not print the requests."""


def send_whole(handler):
    """Send a small JSON object; refuse to be a tunnel."""
    handler.send_response(200 if handler.command == "GET" else 403)
    handler.send_header("Content-Length", str(len(BODY)))
    handler.end_headers()
    handler.wfile.write(BODY)


def send_half(handler):
    """Send a body that ends before its announced length."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(BODY)
    handler.close_connection = True


def send_nothing(handler):
    """Close the connection without an answer."""
    handler.close_connection = True


def send_noise(handler):
    """Send what is not HTTP."""
    handler.wfile.write(b"noise\r\n\r\n")
    handler.close_connection = True


def send_late(handler):
    """Send nothing until the client gave up."""
    handler.rfile.read(1)


@pytest.fixture
def serve():
    """Start a server that answers with a function, encrypted if it has a TLS context."""
    servers = []

    def start(answer=send_whole, context=None):
        server = Server(answer)
        if context is not None:
            server.socket = context.wrap_socket(
                server.socket, server_side=True, do_handshake_on_connect=False
            )
        threading.Thread(target=server.serve_forever, args=(0.005,), daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def encrypted():
    """A TLS context with the certificate of the tests."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
@pytest.mark.parametrize("scheme", ["http://", ""])
def test_a_proxy_of_http_gets_the_whole_url(serve, monkeypatch, make_client, name, scheme):
    """A proxy gets the whole URL of a request, also if its address has no scheme."""
    proxy = serve()
    monkeypatch.setenv(name, f"{scheme}{proxy.address}")
    with make_client() as client:
        assert client.get("http://pay.test/v1/x?y=1").content == BODY
    assert proxy.asked == ["GET http://pay.test/v1/x?y=1 HTTP/1.1"]


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
def test_a_proxy_of_https_is_asked_for_a_tunnel(serve, monkeypatch, make_client, name):
    """A proxy is asked for a tunnel; its refusal is a ProxyError."""
    proxy = serve()
    monkeypatch.setenv(name, f"http://{proxy.address}")
    with make_client() as client, pytest.raises(httpx.ProxyError, match="403 Forbidden"):
        client.get("https://pay.test/v1/x")
    assert proxy.asked == ["CONNECT pay.test:443 HTTP/1.1"]


@pytest.mark.parametrize(
    ("scheme", "other", "line"),
    [
        ("http", "HTTPS_PROXY", "GET http://pay.test/ HTTP/1.1"),
        ("https", "HTTP_PROXY", "CONNECT pay.test:443 HTTP/1.1"),
    ],
)
def test_the_proxy_of_a_scheme_comes_first(serve, monkeypatch, make_client, scheme, other, line):
    """The proxy of a scheme comes before that of all; that of the other scheme is not asked."""
    proxy = serve(send_nothing)
    wrong = serve(send_nothing)
    monkeypatch.setenv(f"{scheme}_proxy".upper(), f"http://{proxy.address}")
    monkeypatch.setenv("ALL_PROXY", f"http://{wrong.address}")
    monkeypatch.setenv(other, f"http://{wrong.address}")
    with make_client() as client, pytest.raises(httpx.RemoteProtocolError):
        client.get(f"{scheme}://pay.test/")
    assert proxy.asked == [line]
    assert wrong.asked == []


@pytest.mark.parametrize("url", ["http://pay.test/", "https://pay.test/"])
@pytest.mark.parametrize("password", [PASSWORD, "se%20cret", "contraseña", "%C3%B1"])
def test_the_password_of_a_proxy_is_sent_decoded(serve, monkeypatch, make_client, url, password):
    """User and password of the address are sent to the proxy, decoded, and beyond ASCII too."""
    proxy = serve(send_nothing)
    monkeypatch.setenv("ALL_PROXY", f"http://ana:{password}@{proxy.address}")
    with make_client() as client, pytest.raises(httpx.RemoteProtocolError) as caught:
        client.get(url)
    plain = {"se%20cret": "se cret", "%C3%B1": "ñ"}.get(password, password)
    sent = base64.b64encode(f"ana:{plain}".encode()).decode()
    assert proxy.credentials == [f"Basic {sent}"]
    assert plain not in str(caught.value)


@pytest.mark.parametrize(
    ("no_proxy", "host", "is_direct"),
    [
        ("pay.test", "pay.test", True),
        ("pay.test", "api.pay.test", True),
        ("pay.test", "ipay.test", False),
        ("pay.test", "pay.test.test", False),
        (".pay.test", "api.pay.test", True),
        (".pay.test", "pay.test", False),
        ("other.test, pay.test", "pay.test", True),
        ("pay.test:PORT", "pay.test", True),
        ("pay.test:1", "pay.test", False),
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1:PORT", "127.0.0.1", True),
        ("127.0.0.2", "127.0.0.1", False),
        ("localhost", "localhost", True),
        ("localhost", "api.localhost", False),
        ("http://pay.test", "pay.test", True),
        ("https://pay.test", "pay.test", False),
        ("::1", "pay.test", False),
        ("*", "pay.test", True),
        ("other.test,*", "pay.test", True),
        ("", "pay.test", False),
        (" , ", "pay.test", False),
    ],
)
@pytest.mark.parametrize("name", ["NO_PROXY", "no_proxy"])
def test_only_what_no_proxy_names_is_reached_directly(
    serve, monkeypatch, make_client, name, no_proxy, host, is_direct
):
    """A host, domain, address or port of NO_PROXY is reached directly, and nothing else."""
    proxy = serve()
    service = serve()
    port = service.server_port
    monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.address}")
    monkeypatch.setenv(name, no_proxy.replace("PORT", str(port)))
    with make_client() as client:
        client.get(f"http://{host}:{port}/")
    through_proxy = [f"GET http://{host}:{port}/ HTTP/1.1"]
    directly = ["GET / HTTP/1.1"]
    assert (proxy.asked, service.asked) == (([], directly) if is_direct else (through_proxy, []))


@pytest.mark.parametrize(
    ("no_proxy", "url", "is_direct"),
    [
        ("::1", "http://[::1]:8080/", True),
        ("[::1]", "http://[::1]:8080/", True),
        ("[::1]:8080", "http://[::1]:8080/", True),
        ("[::1]:8080", "http://[::1]:8081/", False),
        ("[::2]", "http://[::1]:8080/", False),
    ],
)
def test_an_address_of_ipv6_in_no_proxy_is_reached_directly(monkeypatch, no_proxy, url, is_direct):
    """An address of IPv6 has brackets or none; httpx takes no brackets."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", no_proxy)
    with of_paylab() as client:
        assert (client._transport_for_url(httpx.URL(url)) is client._transport) is is_direct


@pytest.mark.parametrize("no_proxy", ["pay.test:port", "[::1", "http://pay.test:x", "ñ.test"])
def test_an_odd_no_proxy_is_named(monkeypatch, no_proxy):
    """What NO_PROXY cannot have is named; without a proxy it does not matter."""
    monkeypatch.setenv("NO_PROXY", f"other.test,{no_proxy}")
    assert proxy_mounts(uncapped) == {}
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with pytest.raises(errors.ConfigError) as caught:
        proxy_mounts(uncapped)
    assert f"NO_PROXY has {no_proxy!r}" in str(caught.value)
    with pytest.raises(httpx.InvalidURL):
        of_httpx()


@pytest.mark.skipif(find_spec("socksio") is not None, reason="socksio is installed")
@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
def test_a_socks_proxy_needs_a_package(monkeypatch, scheme):
    """A SOCKS proxy needs a package, and the error says how to install it."""
    monkeypatch.setenv("ALL_PROXY", f"{scheme}://ana:{PASSWORD}@127.0.0.1:9")
    with pytest.raises(errors.ConfigError, match=r"pip install 'httpx\[socks\]'") as caught:
        proxy_mounts(uncapped)
    assert PASSWORD not in str(caught.value)
    with pytest.raises(ImportError, match="socksio"):
        of_httpx()


@pytest.mark.parametrize(
    "address",
    [
        f"ftp://ana:{PASSWORD}@proxy.test:80",
        f"socks4://ana:{PASSWORD}@proxy.test:80",
        f"http://ana:{PASSWORD}@proxy.test:port",
        f"http://ana:{PASSWORD}@proxy.test:99999",
        f"http://ana:{PASSWORD}#1@proxy.test:80",
        f"http://ana:{PASSWORD}@[::1:80",
        f"http://ana:{PASSWORD}\x07@proxy.test",
        f"ana:{PASSWORD}@proxy.test:port",
        f"http://ana:{PASSWORD}@",
        "http://:80",
        "socks5://",
        f"http://u:{PASSWORD}@proxy..test:8080",
        f"http://u:{PASSWORD}@{'a' * 64}.test:8080",
    ],
)
@pytest.mark.parametrize("name", ["HTTP_PROXY", "https_proxy", "ALL_PROXY"])
def test_the_address_of_a_proxy_is_wrong(monkeypatch, name, address):
    """The error says how an address is written, without the address and its password."""
    monkeypatch.setenv(name, address)
    with pytest.raises(errors.ConfigError, match=r"HTTP_PROXY.*http://HOST:PORT") as caught:
        proxy_mounts(uncapped)
    assert PASSWORD not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("address", ["ftp://proxy.test", "socks5://127.0.0.1:9"])
def test_no_proxy_for_all_needs_no_proxy(monkeypatch, make_client, address):
    """With NO_PROXY=* the address of a proxy may be anything."""
    monkeypatch.setenv("ALL_PROXY", address)
    monkeypatch.setenv("NO_PROXY", "*")
    make_client().close()


def test_a_client_asks_the_proxy(serve, monkeypatch):
    """A client of paylab reaches a service through the proxy; its error has no password."""
    proxy = serve()
    monkeypatch.setenv("HTTPS_PROXY", f"http://ana:{PASSWORD}@{proxy.address}")
    settings = Settings("https://pay.test", "key_live_1234", "s3cr3t/with+signs=", timeout=10)
    with (
        closing(Client(settings, sleep=lambda _: None)) as client,
        pytest.raises(errors.APIConnectionError) as caught,
    ):
        client.transfers.get("tr_1")
    assert set(proxy.asked) == {"CONNECT pay.test:443 HTTP/1.1"}
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (send_nothing, httpx.RemoteProtocolError),
        (send_noise, httpx.RemoteProtocolError),
        (send_half, httpx.RemoteProtocolError),
        (send_late, httpx.ReadTimeout),
    ],
)
def test_a_failure_in_an_answer_is_an_error_of_httpx(serve, make_client, answer, error):
    """A failure before or in the body of an answer is an error of httpx."""
    service = serve(answer)
    with make_client() as client, pytest.raises(error) as caught:
        client.get(f"http://{service.address}/", timeout=0.05 if answer is send_late else 10)
    assert type(caught.value) is error
    assert isinstance(caught.value.__cause__, getattr(httpcore, error.__name__))


def test_a_refused_connection_is_a_connecterror(make_client):
    """A refused connection is a ConnectError."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/"
        with make_client() as client, pytest.raises(httpx.ConnectError, match="refused"):
            client.get(url)


ERRORS = [
    *("TimeoutException", "ConnectTimeout", "ReadTimeout", "WriteTimeout", "PoolTimeout"),
    *("NetworkError", "ConnectError", "ReadError", "WriteError", "ProxyError"),
    *("ProtocolError", "LocalProtocolError", "RemoteProtocolError", "UnsupportedProtocol"),
]
OTHER_READ_ERROR = type("ReadError", (Exception,), {"__module__": "other"})


def failing_pool(error):
    """A transport whose pool raises an error."""

    def handle_request(_):
        raise error

    return PoolTransport(SimpleNamespace(handle_request=handle_request, close=lambda: None))


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_of_httpcore_is_that_of_httpx(name):
    """An error of httpcore is the error of httpx with the same name and text."""
    error = getattr(httpcore, name)("why")
    client = httpx.Client(transport=failing_pool(error))
    with client, pytest.raises(httpx.RequestError, match="why") as caught:
        client.get("http://pay.test/")
    assert type(caught.value) is getattr(httpx, name)
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (type("HalfReadError", (httpcore.ReadError,), {"__module__": "httpcore"}), httpx.ReadError),
        (OTHER_READ_ERROR, OTHER_READ_ERROR),
        (KeyError, KeyError),
    ],
)
def test_an_error_of_another_name_or_library(kind, expected):
    """An error that httpx does not have is that of its parent; others stay what they are."""
    with pytest.raises(expected) as caught:
        failing_pool(kind("why")).handle_request(httpx.Request("GET", "http://pay.test/"))
    assert type(caught.value) is expected


def test_a_service_whose_certificate_is_in_ssl_cert_file_is_reached(serve, make_client, encrypted):
    """A service whose certificate is in SSL_CERT_FILE is reached."""
    service = serve(context=encrypted)
    with make_client() as client:
        assert client.get(f"https://{service.address}/").content == BODY


def test_without_ssl_cert_file_the_same_certificate_is_refused(
    serve, monkeypatch, make_client, encrypted
):
    """Without SSL_CERT_FILE the same certificate is refused."""
    monkeypatch.delenv("SSL_CERT_FILE")
    service = serve(context=encrypted)
    with make_client() as client, pytest.raises(httpx.ConnectError, match="VERIFY_FAILED"):
        client.get(f"https://{service.address}/")
    assert service.asked == []


@pytest.mark.parametrize("proxy", ["", "http://127.0.0.1:9"])
@pytest.mark.parametrize(("content", "reason"), [(None, "No such file"), ("", "no certificate")])
def test_a_wrong_file_of_certificates_is_named(monkeypatch, tmp_path, proxy, content, reason):
    """The error names the variable, the file and the reason, with a proxy too."""
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(errors.ConfigError, match=f"SSL_CERT_FILE=.*ca.pem.*{reason}"):
        proxy_mounts(uncapped) if proxy else pool_transport(uncapped, is_encrypted=True)
    with pytest.raises(OSError, match=reason):
        of_httpx()
    pool_transport(uncapped, is_encrypted=False).close()


def test_a_connection_is_reused_and_closed(serve, make_client):
    """Requests share a connection, which ends with the client."""
    service = serve()
    with make_client() as client:
        for _ in range(3):
            client.get(f"http://{service.address}/")
        assert not service.ended.acquire(blocking=False)
    assert len(service.asked) == 3
    assert len(set(service.ports)) == 1
    assert service.ended.acquire(timeout=10)


def test_the_connection_to_a_proxy_is_reused_and_closed(serve, monkeypatch, make_client):
    """A connection to a proxy serves several hosts, and ends with the client."""
    proxy = serve()
    monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.address}")
    with make_client() as client:
        client.get("http://pay.test/")
        client.get("http://pay.test/")
        assert not proxy.ended.acquire(blocking=False)
    assert len(set(proxy.ports)) == 1
    assert proxy.ended.acquire(timeout=10)


def test_an_answer_that_is_not_read_ends_its_connection(serve, make_client):
    """The connection of an answer that was closed unread is closed and not used again."""
    service = serve()
    with make_client() as client:
        with client.stream("GET", f"http://{service.address}/"):
            assert not service.ended.acquire(blocking=False)
        assert service.ended.acquire(timeout=10)
        assert client.get(f"http://{service.address}/").content == BODY
    assert len(set(service.ports)) == 2
