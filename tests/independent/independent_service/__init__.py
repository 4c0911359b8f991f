"""A second payments service for tests, written from the interface document alone.

It shares no code with paylab and imports only the standard library. A mistake that the client and
the simulator have in common therefore shows up when the client talks to this service. It covers
what the notebooks 00, 10, 20, 30, 40 and 45 need: individuals and their verification, financial
accounts, quotes, transfers, conversion accounts, conversions, sandbox deposits, webhook
subscriptions and events, request signing, idempotency and pages. Statuses change with the wall
clock: every step takes `delay` seconds (0.05). A `Server` runs due steps in a background thread;
in process, the next request or a call of `service.advance()` runs them.

`tests/conftest.py` adds the parent folder to the path, so that a test can import this package.

In process, `handle` returns the answer to a request; for httpx, wrap it in a `MockTransport`:

    from independent_service import Service

    service = Service(["quotes-at-quote", "wallet-fields"])
    status, headers, body = service.handle("GET", "/v1/transfers?limit=3", headers, b"")

    def answer(request):
        target = request.url.raw_path.decode()
        pairs = request.headers.multi_items()
        status, headers, body = service.handle(request.method, target, pairs, request.read())
        return httpx.Response(status, headers=headers, content=body)

    httpx.Client(transport=httpx.MockTransport(answer), base_url="http://independent.test")

On a loopback port, for notebooks and commands in other processes:

    from independent_service import Server, Service

    with Server(Service(["blank-query-line"])) as server:
        subprocess.run(command, env=os.environ | server.environment)

In a terminal, from `tests/independent`: `python -m independent_service --deviation production`;
`--list` prints the names of the deviations.

The keys are `service.api_key` and `service.secret_key`; `sign` signs a request without a client.
`DEVIATIONS` maps each name to a description (`says`) and to the settings of `settings.py` that it
changes (`changes`). Deviations can be combined unless they set the same setting to different
values; `Service(settings={"lists.max_limit": 7})` changes a single setting. `service.calls` lists
the requests with their operation, status and time, `service.outbox.deliveries` lists the events
that were sent, and `service.seed_transfers(130)` fills the list of transfers.
"""

from .deviations import DEVIATIONS, Deviation
from .server import Server
from .service import Call, Service
from .settings import DEFAULTS, OPERATIONS
from .signature import canonical_request, sign, signature

__all__ = [
    "DEFAULTS",
    "DEVIATIONS",
    "OPERATIONS",
    "Call",
    "Deviation",
    "Server",
    "Service",
    "canonical_request",
    "sign",
    "signature",
]
