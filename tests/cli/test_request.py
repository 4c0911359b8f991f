"""`paylab get`, `post` and `list`: signed requests from the terminal."""

from __future__ import annotations

import json

import independent_service
import pytest

from paylab import connect, examples
from paylab.cli.main import main
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

SUBSCRIPTION = {"url": "https://example.com/hook", "event_types": ["transfer.completed"]}
RAIL = "payout_method", "source_currency", "destination_currency"
NAMES = "PAYLAB_BASE_URL", "PAYLAB_API_KEY", "PAYLAB_SECRET_KEY"


@pytest.fixture
def service(monkeypatch):
    """A simulator on a port, with three transfers, that is configured in the environment."""
    with Server(Simulator(transfers=3)) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        for name, value in zip(NAMES, (server.base_url, *keys), strict=True):
            monkeypatch.setenv(name, value)
        yield server.simulator


@pytest.mark.parametrize("path", ["/v1/transfers?limit=2", "transfers?limit=2"])
def test_get_prints_indented_json(service, capsys, path):
    """`get` prints the answer as indented JSON on stdout, and the service on stderr."""
    assert main(["get", path]) == 0
    said = capsys.readouterr()
    assert len(json.loads(said.out)["data"]) == 2
    assert "\n  " in said.out
    assert said.err.startswith("paylab: SIMULATOR (shared, 127.0.0.1:")


def test_verbose_shows_the_layers_without_secrets(service, capsys):
    """-v prints the canonical request, the payload and the answer's status, but no keys."""
    assert main(["get", "transfers", "-v"]) == 0
    said = capsys.readouterr()
    for title in ("# Canonical request\nGET\n/v1/transfers", "# Payload", "# Answer: 200"):
        assert title in said.err
    assert service.api_key not in said.out + said.err
    assert service.secret_key not in said.out + said.err


def test_list_walks_every_page(service, capsys):
    """`list` prints a JSON line for each item of all pages, up to --limit."""
    assert main(["list", "transfers?limit=2"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert main(["list", "transfers", "--limit", "1"]) == 0
    [line] = capsys.readouterr().out.splitlines()
    assert json.loads(line)["id"].startswith("tr_")


def test_an_empty_list_is_said(service, capsys):
    assert main(["list", "webhook_subscriptions"]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert "the list is empty" in told.err


@pytest.mark.parametrize("how", ["text", "file"])
def test_post_sends_a_body(service, capsys, tmp_path, how):
    """`post` sends a body that is given as text or in a file."""
    file = tmp_path / "body.json"
    file.write_text(json.dumps(SUBSCRIPTION))
    body = f"@{file}" if how == "file" else json.dumps(SUBSCRIPTION)
    assert main(["post", "webhook_subscriptions", "--json", body]) == 0
    assert json.loads(capsys.readouterr().out)["url"] == SUBSCRIPTION["url"]


def test_an_order_has_the_key_of_its_body(service, capsys):
    """If the answer to an order is lost, the same command repeats it without a second transfer."""
    lab = connect()
    row = lab.transfers.list().first()
    order = {"financial_account": {"id": row.financial_account_id}, "source_amount": "10"}
    order |= {name: getattr(row, name) for name in RAIL}
    lab.simulator.faults.add("drop_after", method="POST", path="/v1/transfers")
    post = ["post", "transfers", "--json", json.dumps(order)]
    assert main(post) == 1
    assert "it cannot pay twice until" in capsys.readouterr().err
    assert main(post) == 0
    made = json.loads(capsys.readouterr().out)["id"]
    assert [row.id for row in lab.transfers.list()][:-3] == [made]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["get", "transfers/none"], 1, "404"),
        (["post", "transfers", "--json", "{"], 2, "--json is not JSON"),
        (["post", "transfers", "--json", "@nowhere.json"], 2, "nowhere.json"),
    ],
)
def test_what_goes_wrong_is_said(service, capsys, arguments, status, words):
    """An error is printed on stderr, with the right status and nothing on stdout."""
    assert main(arguments) == status
    said = capsys.readouterr()
    assert words in said.err
    assert not said.out


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("status=failed", "a service may ignore it: paylab list transfers --status ... filters"),
        ("individual_id=ind_1", "paylab list transfers --individual-id ... filters"),
        ("lmit=2", "lmit: is no query parameter: is limit meant? A service may ignore it"),
        ("foo=1&limit=2", "foo: is no query parameter (limit, cursor, product_type are)."),
        ("limit=2&product_type=global_payouts", ""),
    ],
)
@pytest.mark.parametrize("command", ["get", "list"])
def test_a_parameter_that_a_service_may_ignore_is_said(service, capsys, command, query, words):
    """All rows in place of the failed ones are not taken for an answer."""
    assert main([command, f"transfers?{query}"]) == 0
    warned_text = capsys.readouterr().err
    assert words in warned_text.replace("A service", "a service") or words in warned_text
    assert bool(words) == ("no query parameter" in warned_text)


def test_a_body_in_another_encoding_is_refused(service, capsys, tmp_path):
    """A body that is not UTF-8 ends with status 2 and one sentence."""
    file = tmp_path / "latin1.json"
    file.write_bytes('{"url": "ñ"}'.encode("latin-1"))
    assert main(["post", "webhook_subscriptions", "--json", f"@{file}"]) == 2
    assert capsys.readouterr().err == "paylab: --json is not text in UTF-8\n"


def test_names_of_a_list_are_printed_and_document_numbers_are_not(service, capsys):
    """`list` prints the name of an individual as it is written, without the document number."""
    lab = connect()
    fields = examples.individual("MX", consent_at=lab.clock()) | {"given_name": "Jörg"}
    lab.individuals.create(**fields)
    assert main(["list", "individuals"]) == 0
    out = capsys.readouterr().out
    assert '"given_name": "Jörg"' in out
    assert fields["document"]["number"] not in out


def test_a_post_elsewhere_needs_consent(monkeypatch, capsys):
    """Without a terminal, a POST to a service that is no simulator is sent only with --yes."""
    with independent_service.Server() as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        post = ["post", "webhook_subscriptions", "--json", json.dumps(SUBSCRIPTION)]
        assert main(post) == 2
        told = f"MAY MOVE REAL MONEY ({server.base_url.removeprefix('http://')}): to send POST"
        assert told in capsys.readouterr().err
        assert "POST" not in {call.method for call in server.service.calls}
        assert main([*post, "--yes"]) == 0
    assert [call.status for call in server.service.calls if call.method == "POST"] == [201]


def test_a_walkthrough_elsewhere_needs_consent(monkeypatch, capsys):
    """A host that is neither a simulator nor a sandbox gets no example person without --yes."""
    with independent_service.Server() as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        assert main(["walkthrough", "mx"]) == 2
        assert "use a terminal, or add --yes" in capsys.readouterr().err
        assert "POST" not in {call.method for call in server.service.calls}


def test_long_names_and_many_parameters_give_few_short_warnings(service, capsys):
    """At most five parameters are named, and a name is cut."""
    names = ["x" * 1000, *(f"a{number}" for number in range(50))]
    assert main(["get", "transfers?" + "&".join(f"{name}=1" for name in names)]) == 0
    warned_lines = [line for line in capsys.readouterr().err.splitlines() if "no query" in line]
    assert len(warned_lines) == 5
    assert max(map(len, warned_lines)) < 200
