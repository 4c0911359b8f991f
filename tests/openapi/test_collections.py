"""Collections of Postman and Bruno: no key in them, and requests that the service accepts."""

from __future__ import annotations

import json

import pytest

import paylab
from paylab.cli.main import main
from paylab.openapi.bruno import make_bruno_collection
from paylab.openapi.postman import make_postman_collection
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from tests.openapi.tools import NODE_RUNNERS, node_folder, run

DIALECT = {
    "signing.key_encoding": "hex",
    "signing.hash_encoding": "base64",
    "signing.signature": "base64",
    "signing.date_form": "seconds",
    "signing.nonce_form": "uuid",
    "signing.empty_query": "blank",
}
OPERATIONS = 21


def test_a_collection_has_every_operation_and_no_key():
    """Each operation is a request whose ids and keys are variables without a value."""
    postman = make_postman_collection(paylab.Service())
    requests = [item for folder in postman["item"] for item in folder["item"]]
    bruno = make_bruno_collection(paylab.Service())
    assert len(requests) == OPERATIONS
    assert len([name for name in bruno if "/" in name and "folder.bru" not in name]) == 22
    assert {variable["value"] for variable in postman["variable"]} == {""}
    assert "ind_" not in json.dumps(postman["item"])
    assert "vars:secret [\n  api_key,\n  secret_key\n]" in bruno["environments/paylab.bru"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--collection", "bruno"], "name it with --to FOLDER"),
        (["--collection", "bruno", "--to", "."], "is not an empty folder"),
        (["--collection", "postman", "--service-schema"], "choose one of"),
    ],
)
def test_a_collection_that_cannot_be_written_is_refused(arguments, words, capsys):
    """The error says what to do, and nothing is written."""
    assert main(["openapi", *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.fixture(params=[{}, DIALECT], ids=["spec", "dialect"])
def server(request):
    """A served simulator, signed for by the spec or otherwise."""
    service = paylab.Service(request.param)
    with Server(Simulator(frozen=False, transfers=5, service=service)) as server:
        yield server


def write_service(server, folder):
    """The options of the command for the service of a simulator."""
    (folder / "service.toml").write_text(server.simulator.world.service.to_toml())
    return ["--service", str(folder / "service.toml")]


def answered(server):
    """The requests that the simulator received, all of them well signed."""
    keys = server.api_key, server.secret_key
    lab = paylab.connect(server.base_url, *keys, service=server.simulator.world.service)
    requests = [row for row in lab.simulator.requests if row.path.startswith("/v1")]
    refused = [row for row in requests if row.verdicts["signature"]["result"] != "passed"]
    assert refused == []
    return {(row.method, row.operation, row.status) for row in requests}


EXPECTED = {
    ("POST", "individuals.create", 201),
    ("GET", "individuals.list", 200),
    ("GET", "individuals.get", 200),
    ("POST", "individuals.upload_images", 200),
    ("POST", "financial_accounts.create", 201),
    ("GET", "transfers.list", 200),
    ("POST", "webhook_subscriptions.create", 201),
    ("GET", "webhook_subscriptions.get", 200),
    ("DELETE", "webhook_subscriptions.delete", 204),
}
"""What a run of all requests in their order does, whatever the service refuses otherwise."""


@pytest.mark.other_tools
@pytest.mark.parametrize("kind", ["postman", "bruno"])
def test_a_program_runs_the_collection(server, kind, tmp_path):
    """newman and Bruno's command line sign each request well, and ids lead from one to the next."""
    to = tmp_path / "collection"
    options = [*write_service(server, tmp_path), "--to", str(to)]
    assert main(["openapi", "--collection", kind, *options]) == 0
    values = {"base_url": server.base_url, "api_key": server.api_key}
    values["secret_key"] = server.secret_key
    pairs = [f"{name}={value}" for name, value in values.items()]
    variables = [part for pair in pairs for part in ("--env-var", pair)]
    programs = node_folder(NODE_RUNNERS)
    if kind == "postman":
        run([programs / "newman", "run", to, *variables], tmp_path)
    else:
        run([programs / "bru", "run", "-r", "--env", "paylab", *variables], to)
    assert answered(server) >= EXPECTED
