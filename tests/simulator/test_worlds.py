"""Several worlds behind one port, told apart by API key and control token; without a socket."""

from __future__ import annotations

import json

import pytest

from paylab.simulator import Request, Simulator
from paylab.simulator.app import SERVER_LIMITS, ServerLimits
from paylab.simulator.server import Server

WORLDS = "/_simulator/worlds"


class Worlds:
    """The worlds of a server that does not listen."""

    def __init__(self, limits):
        self.server = Server(Simulator(seed=1), limits=limits)
        self.token = self.server.control_token

    def ask(self, method, path, body=None, token=None, api_key=None):
        """The status and the decoded answer of a request with a control token."""
        headers = {"content-type": "application/json"}
        headers |= {"authorization": f"Bearer {token}"} if token else {}
        headers |= {"x-api-key": api_key} if api_key else {}
        sent = b"" if body is None else json.dumps(body).encode()
        reply = self.server.worlds.answer(Request(method, path, "", headers, sent))
        return reply.status, json.loads(reply.body) if reply.body else None

    def new(self, **options):
        """The keys of a new world."""
        status, facts = self.ask("POST", WORLDS, options, self.token)
        assert status == 201
        return facts

    def seed(self, token, api_key=None):
        """The seed of the world that a token controls."""
        return self.ask("GET", "/_simulator", None, token, api_key)[1].get("seed")


@pytest.fixture
def worlds(request):
    """The worlds of a new server, with the limits of the test if it gives some."""
    found = Worlds(getattr(request, "param", SERVER_LIMITS))
    yield found
    found.server.stop()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"seed": "7"}, "seed: must be a whole number"),
        ({"seed": True}, "seed: must be a whole number"),
        ({"strict": 1}, "strict: must be true or false"),
        ({"frozen": "yes"}, "frozen: must be true or false"),
        ({"start": 5}, "start: must be text"),
        ({"service": []}, "service: must be an object"),
        ({"speed": 5}, "speed: is not known"),
        ({"service": {"paths.nothing": "/x"}}, "service: "),
        ({"start": "soon"}, "start: must be a time with its zone"),
        ({"start": "2026-11-22T12:00"}, "start: must be a time with its zone"),
        ({"start": "0001-12-31T00:00Z"}, "start: must be a time with its zone"),
        ({"start": "9000-01-01T00:00Z"}, "start: must be a time with its zone"),
    ],
)
def test_a_world_that_is_refused(worlds, body, words):
    """A wrong option of a new world returns 400 and its name."""
    status, answer = worlds.ask("POST", WORLDS, body, worlds.token)
    assert (status, answer["error"][: len(words)]) == (400, words)


@pytest.mark.parametrize("start", ["0002-01-01T00:00:00.000Z", "8999-12-31T23:59:00.000Z"])
def test_a_world_has_its_own_options(worlds, start):
    """A new world has its own seed, service and clock, which runs unless it is frozen."""
    service = {"lists.max_limit": 50}
    facts = worlds.new(seed=5, frozen=True, start=start, service=service, strict=True)
    _, found = worlds.ask("GET", "/_simulator", None, facts["control_token"])
    assert found["clock"] == {"now": start, "frozen": True, "speed": 1.0}
    assert found["seed"] == 5
    _, dump = worlds.ask("GET", "/_simulator/snapshot", None, facts["control_token"])
    assert dump["service"] == service
    _, usual = worlds.ask("GET", "/_simulator", None, worlds.new()["control_token"])
    assert usual["clock"]["frozen"] is False


def test_a_token_controls_its_own_world(worlds):
    """A token controls its world; the first one controls each world that X-API-Key names."""
    one, other = worlds.new(seed=11), worlds.new(seed=12)
    token, key = one["control_token"], other["api_key"]
    assert worlds.seed(worlds.token) == 1
    assert worlds.seed(worlds.token, "unknown") == 1
    assert worlds.seed(worlds.token, key) == 12
    assert worlds.seed(token) == 11
    assert worlds.seed(token, key) == 11
    assert worlds.ask("GET", "/_simulator", None, token.upper())[0] == 401
    assert worlds.ask("GET", "/_simulator", None, None, key)[0] == 401
    spaced = {"authorization": f"bearer  {token} "}
    answer = worlds.server.worlds.answer(Request("GET", "/_simulator", "", spaced, b""))
    assert json.loads(answer.body)["seed"] == 11


def test_who_ends_which_world(worlds):
    """A world is ended by its own token and the first one; afterwards its keys are refused."""
    one, other = worlds.new(), worlds.new()
    place = f"{WORLDS}/{one['api_key']}"
    first = f"{WORLDS}/{worlds.server.api_key}"
    asked = [
        ("DELETE", place, None, 401),
        ("DELETE", place, other["control_token"], 403),
        ("DELETE", first, worlds.token, 404),
        ("DELETE", f"{WORLDS}/unknown", worlds.token, 404),
        ("PUT", place, worlds.token, 405),
        ("GET", WORLDS, worlds.token, 405),
        ("DELETE", place, one["control_token"], 204),
        ("DELETE", place, worlds.token, 404),
        ("DELETE", f"{WORLDS}/{other['api_key']}", worlds.token, 204),
        ("GET", "/_simulator", one["control_token"], 401),
    ]
    for method, path, token, status in asked:
        assert worlds.ask(method, path, None, token)[0] == status, (method, path)
    for token in (None, worlds.token):
        status, answer = worlds.ask("GET", "/_simulator", None, token, one["api_key"])
        assert (status, "has ended" in answer["error"]) == (401, True)


def test_an_unknown_key_is_seen_by_the_latest_world(worlds):
    """A request with an unknown key is refused, and in the journal of the latest world."""
    facts = worlds.new()
    assert worlds.ask("GET", "/v1/transfers", api_key="unknown")[0] == 401
    _, journal = worlds.ask("GET", "/_simulator/requests", None, facts["control_token"])
    assert [row["status"] for row in journal] == [401]
    _, journal = worlds.ask("GET", "/_simulator/requests", None, worlds.token)
    assert journal == []


@pytest.mark.parametrize("worlds", [ServerLimits(worlds=2)], indirect=True)
def test_too_many_worlds_return_429(worlds):
    """Too many worlds return 429; when one ends, another one can be created."""
    facts = worlds.new()
    assert worlds.ask("POST", WORLDS, None, worlds.token)[0] == 429
    worlds.ask("DELETE", f"{WORLDS}/{facts['api_key']}", None, worlds.token)
    assert worlds.ask("POST", WORLDS, None, worlds.token)[0] == 201
