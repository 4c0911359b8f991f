"""An id that the service has just given may not be found everywhere at once."""

import json
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from paylab.client import Client
from paylab.client.settings import Settings
from paylab.errors import APIResponseError, NotFoundError

NOW = datetime(2026, 11, 24, tzinfo=UTC)
PERSON = {"id": "ind_1", "status": "pending", "financial_accounts": [{"id": "fa_1"}]}
QUOTE = {"payout_method": "spei", "source_amount": "1", "destination_currency": "mxn"}


class Late:
    """A service that shows an object some seconds after it was created, on a simulated clock."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.passed = 0.0
        self.requests = []
        self.words = "not found"

    def __call__(self, request):
        """Create, delete, or answer 404 while it is too early."""
        self.requests.append((request.method, request.url.path))
        path = request.url.path
        if request.method == "DELETE":
            return httpx.Response(204)
        if request.method == "POST" and path in ("/v1/individuals", "/v1/webhook_subscriptions"):
            return httpx.Response(201, json=PERSON)
        if self.passed < self.seconds:
            return httpx.Response(404, json={"error": self.words})
        return httpx.Response(200, json={**PERSON, "asked": request.read().decode()})

    def sleep(self, seconds):
        """Move the clock."""
        self.passed += seconds

    def client(self, **options):
        """A client on the clock of the service."""
        parts = {"clock": lambda: NOW + timedelta(seconds=self.passed), "sleep": self.sleep}
        transport = httpx.MockTransport(self)
        settings = Settings("https://a.example.com", "key", "secret")
        return Client(settings, transport=transport, **parts, **options)


def create(client):
    """Create a person."""
    return client.individuals.create(
        product_types=["global_payouts"],
        given_name="Ana",
        family_name="Ejemplo",
        country="MX",
        address={"country": "MX"},
    )


@pytest.mark.parametrize(
    "read",
    [
        lambda client: client.individuals.get("ind_1"),
        lambda client: client.quotes.create("fa_1", **QUOTE),
    ],
)
@pytest.mark.parametrize(("seconds", "is_found"), [(0, True), (1, True), (2.9, True), (4, False)])
def test_a_404_for_a_fresh_id_is_repeated_for_three_seconds(read, seconds, is_found):
    """A GET and a POST that name the id are sent again; then the 404 is raised."""
    service = Late(seconds)
    with service.client() as client:
        create(client)
        if is_found:
            assert read(client).id == "ind_1"
        else:
            with pytest.raises(NotFoundError):
                read(client)
        assert service.passed <= 3
        sent = len(service.requests)
        if not is_found:  # the id is no longer fresh
            with pytest.raises(NotFoundError):
                read(client)
            assert len(service.requests) == sent + 1


def another(client, _service):
    """Ask for an id that nobody has given."""
    create(client)
    return "ind_2"


def old(client, service):
    """Ask for an id of seconds ago."""
    create(client)
    service.sleep(7)
    return "ind_1"


def deleted(client, _service):
    """Ask for an id that was deleted."""
    create(client)
    client.webhook_subscriptions.delete("ind_1")
    return "ind_1"


@pytest.mark.parametrize("prepare", [another, old, deleted])
def test_other_404s_are_not_repeated(prepare):
    """Another id, an old one, and that of a deleted object are asked for once."""
    service = Late(99)
    with service.client() as client:
        id_ = prepare(client, service)
        before = len(service.requests)
        with pytest.raises(NotFoundError):
            client.individuals.get(id_)
        assert len(service.requests) == before + 1


@pytest.mark.parametrize("words", ["no route for this", "Cannot POST /v1/x", "No such path"])
def test_a_404_about_the_path_is_not_repeated(words):
    """Words about a path or a route say that another attempt will not help."""
    service = Late(99)
    service.words = words
    with service.client() as client:
        create(client)
        with pytest.raises(NotFoundError):
            client.individuals.get("ind_1")
    assert len(service.requests) == 2


def test_a_client_without_retries_repeats_nothing():
    """max_retries=0 holds for a fresh id, too."""
    service = Late(99)
    with service.client(max_retries=0) as client:
        create(client)
        with pytest.raises(NotFoundError):
            client.individuals.get("ind_1")
    assert len(service.requests) == 2


def answered(body):
    """A client whose every request is answered so."""
    transport = httpx.MockTransport(lambda _: httpx.Response(200, text=json.dumps(body)))
    settings = Settings("https://a.example.com", "key", "secret")
    return Client(settings, transport=transport, sleep=lambda _: None)


@pytest.mark.parametrize(
    ("body", "id_"),
    [
        (PERSON, "ind_1"),
        ({"result": PERSON}, "ind_1"),
        ({"response": {"data": PERSON}, "request": {"id": "req_1"}}, "ind_1"),
        ({"success": True, "payload": PERSON, "errors": []}, "ind_1"),
        ({"individual": PERSON, "other": {**PERSON, "id": "ind_2"}}, None),
        ({"message": "accepted", "user": {"id": "u_1"}}, None),
        ([PERSON], None),
    ],
)
def test_the_single_nested_object_with_an_id_is_the_answer(body, id_):
    """An envelope of any name is read; two objects, and one that may be another, are errors."""
    with answered(body) as client:
        if id_:
            assert client.individuals.get("x").id == id_
        else:
            with pytest.raises(APIResponseError):
                client.individuals.get("x")


def test_a_wait_for_an_object_without_a_status_ends_at_once():
    """An absent status is an error after one request, not a wait."""
    with answered({"id": "ind_1", "state": "active"}) as client:
        with pytest.raises(APIResponseError, match="no status of the individual"):
            client.individuals.wait("ind_1")
        assert len(client.calls) == 1
