"""Walks through the third service in process, on a simulated clock, and use of their files."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
from third_service.deviations import DEVIATIONS
from third_service.hooks import FILL
from third_service.service import Service as Third
from third_service.wire import Call

from paylab.client import Client
from paylab.client.settings import Settings
from paylab.errors import PaylabError
from paylab.lab.lab import Lab
from paylab.probe.constants import add_blanks, find_blanks
from paylab.probe.probe import probe_service

NOW = datetime(2026, 11, 20, tzinfo=UTC)
SILENT = {
    *("errors-number", "errors-empty", "errors-by-field", "errors-html"),
    "deposit-sender-account",
}
"""Services whose first refusal does not show that they are a sandbox: the user has to say it."""


class Running:
    """The third service with deviations, in process and on a simulated clock."""

    def __init__(self, *names):
        self.passed = 0.0
        self.service = Third([DEVIATIONS[name] for name in names], self.now)
        self.arrived = 0

    def now(self):
        """The time of the service and of its clients."""
        return NOW + timedelta(seconds=self.passed)

    def sleep(self, seconds):
        """Move the clock, and what the service does by itself."""
        self.passed += seconds
        self.service.run_due()

    def answer(self, request):
        """The answer of the service."""
        self.arrived += 1
        path, _, query = request.url.raw_path.decode().partition("?")
        headers = {name.lower(): value.strip() for name, value in request.headers.items()}
        call = Call(request.method, path, query, headers, request.read())
        answer = self.service.respond(call)
        text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        content = b"" if answer.body is None else text.encode()
        there = self.now() + timedelta(seconds=self.service.settings.clock_ahead)
        sent = {"Date": format_datetime(there, usegmt=True), "Content-Type": answer.content_type}
        return httpx.Response(answer.status, headers=sent | answer.headers, content=content)

    def client(self, service=None, kind=Client):
        """A client of the service, with the settings of a file."""
        keys = self.service.api_key, self.service.secret_key
        base = f"http://127.0.0.1:8080{self.service.settings.base_path}"
        settings = Settings(base, *keys, **({"service": service} if service else {}))
        transport = httpx.MockTransport(self.answer)
        return kind(settings, transport=transport, clock=self.now, sleep=self.sleep)

    def lab(self, service):
        """A lab of the service, with the settings of a file."""
        return self.client(service, Lab)


def walk(*names, service=None):
    """The report of a walk through a service with these deviations, and the service."""
    running = Running(*names)
    with running.client(service) as client:
        report = probe_service(client, write=True, sandbox=bool(SILENT & {*names}))
    assert report.sent == running.arrived
    return report, running


def is_usable(*names, service):
    """Whether a walk with the file comes to its end, and lists have every row."""
    running = Running(*names)
    with running.client(service) as client:
        report = probe_service(client, write=True, sandbox=bool(SILENT & {*names}))
        if report.hopeless or not all(ends(report)):
            return False
        running.sleep(3)
        try:
            listed = {each: len(list(getattr(client, f"{each}s").list(limit=2))) for each in LISTED}
        except PaylabError:
            return False
    return listed == {each: len(running.service.rows[each]) for each in LISTED}


LISTED = ("individual", "transfer")


def ends(report):
    """Whether each on-ramp, all payouts and an order by its terms came to the end."""
    names = ("MX", "PH", "Payouts", "Repeated order")
    parts = [line for line in report.reached if line.startswith(names)]
    words = ("stops", "not reached", "without a quote", "without paying")
    return [len(parts) == 4, *(not any(word in line for word in words) for line in parts)]


def leaves(body, at=""):
    """The dotted places of a body."""
    for name, value in body.items():
        yield from leaves(value, f"{at}{name}.") if isinstance(value, dict) else [f"{at}{name}"]


def filled(names, report):
    """The settings of a file in which the marked values are written."""
    values = {}
    for name in names:
        for operation, body in DEVIATIONS[name].values.items():
            values[operation] = {**values.get(operation, {}), **body}
    places = {(operation, at) for operation, body in values.items() for at in leaves(body)}
    marked = add_blanks(report.service, report.blanks)
    assert find_blanks(marked.get("extra", {})) == {*report.blanks}
    if not places <= {*report.blanks}:
        return report.service
    return report.service.with_values({"extra": values})


def follow(*names):
    """The first report, and whether the service is usable with its file, filled in if it asks."""
    report, _ = walk(*names)
    fillable = [name for name in names if DEVIATIONS[name].client == FILL]
    if report.blanks and fillable:
        report, _ = walk(*names, service=filled(fillable, report))
    return report, bool(not report.hopeless and is_usable(*names, service=report.service))
