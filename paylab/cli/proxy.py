"""Journal what your integration sends to a service: a proxy on this machine in front of it.

The signature covers the host. Your client signs the address of the proxy with the keys of the
service, which are in PAYLAB_API_KEY and PAYLAB_SECRET_KEY here too; the proxy verifies that and
signs the request again, with the same date and nonce. With --pass-through it sends requests as
they are, for a client that connects here but signs the host of the service. Requests and answers
are compared with the OpenAPI document. Nothing is sent twice, no redirect is followed, and no key
is stored. `paylab requests` and `paylab ready` read the journal.
"""

from __future__ import annotations

import argparse
import json
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from ..errors.base import ConfigError
from ..lab.place import place_of_url
from .log_lines import log_without_blocking
from .program import run_program
from .request_lines import show_request, yield_new_requests
from .service import service_for
from .terminal import announce, count, in_range, port, say, stop_event, warn_user

if TYPE_CHECKING:
    from threading import Event

    from ..proxy.proxy import Proxy
    from ..simulator.requests import JournalRequest

EXAMPLE = "paylab proxy --to https://sandbox.example.com --har calls.har"
ADDRESS_NAMES = ("base_url", "control_token", "to")
"""What `--json` prints."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--to", metavar="URL", help="address of the service (default: settings)")
    parser.add_argument("--port", type=port, default=0, help="port to listen on (0: a free one)")
    parser.add_argument(
        "--pass-through", action="store_true", help="send requests as they are, signature included"
    )
    parser.add_argument("--read-only", action="store_true", help="refuse all requests but GETs")
    parser.add_argument(
        "--har", metavar="FILE", help="write the exchanges to this file, also while it runs"
    )
    parser.add_argument(
        "--raw", action="store_true", help="with --har: bodies as they came, with personal data"
    )
    parser.add_argument(
        "--timeout",
        type=in_range(0.1, 3_600.0),
        default=60.0,
        help="seconds to wait for the service",
    )
    parser.add_argument("--service", metavar="FILE", help="the differences of the service")
    parser.add_argument("--profile", metavar="NAME", help="a profile with address and keys")
    parser.add_argument("--json", action="store_true", help="print JSON lines")
    parser.add_argument(
        "program", nargs="*", metavar="-- PROGRAM", help="run this program on the proxy"
    )


def run(options: argparse.Namespace) -> int:
    """Serve, and run the program, or show each request until a signal."""
    if options.raw and not options.har:
        raise ConfigError("--raw says what --har writes: add --har FILE")
    log_without_blocking()
    stopped_event = stop_event()
    with make_proxy(options) as proxy:
        announce(place_of_url(proxy.to))
        try:
            with _har_while_running(proxy, options):
                return _serve(proxy, options, stopped_event)
        finally:
            if options.har:
                _write_har(proxy, options)


def _serve(proxy: Proxy, options: argparse.Namespace, stopped: Event) -> int:
    """Run the program, or show each request until a signal; the status of the command."""
    if options.program:
        return run_program(options.program, _variables(proxy, options), stopped)
    _announce(proxy, as_json=options.json)
    _show_requests(proxy, stopped, as_json=options.json)
    return 0


def _har_while_running(proxy: Proxy, options: argparse.Namespace) -> AbstractContextManager[object]:
    """Make the writer of the HAR file while the proxy runs: a killed proxy leaves the file."""
    if not options.har:
        return nullcontext()
    return proxy.har_while_running(options.har, raw=options.raw)


def make_proxy(options: argparse.Namespace) -> Proxy:
    """Make the proxy of the options, with the keys and the service of the settings.

    With --pass-through and --to, no settings are needed.
    """
    from ..client.base_url import check_base_url, check_encrypted
    from ..client.settings import resolve
    from ..proxy.proxy import Proxy

    key_pair = None
    service_url = options.to
    if service_url is not None:
        check_encrypted(check_base_url(service_url))  # before keys are asked for
    is_read_only = options.read_only
    service = service_for(options.service)
    needs_settings = not options.pass_through or service_url is None
    if needs_settings or options.profile:
        settings = resolve(base_url=service_url, profile=options.profile, service=options.service)
        if settings is None:
            raise ConfigError("name the service: --to https://sandbox.example.com")
        key_pair = settings.api_key, settings.secret_key
        service_url = settings.base_url
        is_read_only = is_read_only or settings.read_only
        service = settings.service
    return Proxy(
        service_url,
        keys=key_pair,
        service=service,
        port=options.port,
        read_only=is_read_only,
        pass_through=options.pass_through,
        timeout=options.timeout,
    )


def _announce(proxy: Proxy, *, as_json: bool) -> None:
    """Print the address, and what another terminal has to know."""
    if as_json:
        print(
            json.dumps({fact_name: getattr(proxy, fact_name) for fact_name in ADDRESS_NAMES}),
            flush=True,
        )
        return
    say(f"The proxy listens on {proxy.base_url} and sends to {proxy.to}. Stop it with Ctrl-C.")
    say(f"export PAYLAB_BASE_URL={proxy.base_url}")
    say(f"export PAYLAB_CONTROL_TOKEN={proxy.control_token}")


def _show_requests(proxy: Proxy, stopped: Event, *, as_json: bool) -> None:
    """Show each request with its verdicts until the event is set."""
    last_shown: list[JournalRequest] = []
    while proxy.is_alive():
        is_last = stopped.is_set()
        for request in yield_new_requests(proxy.requests, last_shown, stopped):
            show_request(request, as_json=as_json, refused=False)
        if is_last:
            return


def _variables(proxy: Proxy, options: argparse.Namespace) -> dict[str, str]:
    """The environment of a program that runs on the proxy."""
    value_by_variable = {
        "PAYLAB_BASE_URL": proxy.base_url,
        "PAYLAB_CONTROL_TOKEN": proxy.control_token,
        **proxy.keys_by_variable(),
    }
    if options.service:
        value_by_variable["PAYLAB_SERVICE"] = options.service
    return value_by_variable


def _write_har(proxy: Proxy, options: argparse.Namespace) -> None:
    """Write the exchanges, and say whether personal data is in them."""
    path = proxy.har(options.har, raw=options.raw)
    bodies_text = "bodies as they came, with personal data" if options.raw else "redacted bodies"
    warn_user(f"paylab: {path} has {count(len(proxy.requests), 'request')}, {bodies_text}")
