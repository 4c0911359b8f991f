"""What other programs make of the document: linters, generators, a mock and a proxy."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import time
from contextlib import contextmanager
from datetime import UTC, datetime

import httpx
import pytest
import tools
from stage import Signer

from paylab.openapi import document
from paylab.simulator.control_document import control_document
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service

pytestmark = pytest.mark.other_tools
UNSIGNED = {"authorization": "HMAC-SHA256 Credential=key", "x-api-key": "key"}
STRICT = ("--noEmit", "--strict", "--target", "es2022", "--module", "es2022")
START_SECONDS = 60


@pytest.fixture
def folder(tmp_path):
    """A folder with the document, and that of the controls."""
    (tmp_path / "openapi.json").write_text(json.dumps(document()))
    (tmp_path / "controls.json").write_text(json.dumps(control_document()))
    return tmp_path


@pytest.fixture(scope="module")
def node():
    """The folder of the commands of Node."""
    return tools.node_folder()


def test_the_linter_of_redocly_finds_nothing(node, folder):
    """Neither errors nor warnings, with its recommended rules."""
    command = [node / "redocly", "lint", "--format=json", "openapi.json", "controls.json"]
    output = tools.run(command, folder)
    report = json.loads(output[output.index("{\n") :].partition("\n}")[0] + "\n}")
    assert report["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}


def test_the_linter_of_spectral_finds_nothing(node, folder):
    """Neither errors nor warnings nor hints, with its rules for OpenAPI."""
    (folder / "rules.yaml").write_text('extends: ["spectral:oas"]\n')
    command = [node / "spectral", "lint", "--fail-severity=hint", "-r", "rules.yaml"]
    assert "No results" in tools.run([*command, "openapi.json", "controls.json"], folder)


def test_types_of_openapi_typescript_compile(node, folder):
    """A status of an answer is text, a rail of a request is one of the words."""
    tools.run([node / "openapi-typescript", "openapi.json", "-o", "types.ts"], folder)
    (folder / "use.ts").write_text(
        'import type { components } from "./types";\n'
        'type Schemas = components["schemas"];\n'
        'export const status: Schemas["Transfer"]["status"] = "a_later_word";\n'
        'export const rail: Schemas["PayoutMethod"] = "spei";\n'
        "// @ts-expect-error no rail has this name\n"
        'export const other: Schemas["PayoutMethod"] = "pigeon";\n'
    )
    tools.run([node / "tsc", *STRICT, "--moduleResolution", "bundler", "use.ts"], folder)


def test_a_client_of_openapi_generator_compiles(folder):
    """Every operation is there, and the compiler of Go finds no fault."""
    command = [*tools.generator(), "generate", "-i", "openapi.json", "-g", "go", "-o", "out"]
    tools.run([*command, "--additional-properties=enumClassPrefix=true"], folder)
    text = "".join(path.read_text() for path in (folder / "out").glob("api_*.go"))
    names = re.findall(r'"operationId": "(\w+)"', (folder / "openapi.json").read_text())
    assert len(names) > 20
    assert [name for name in names if name.lower() not in text.lower()] == []
    tools.build_go(folder / "out")


@contextmanager
def prism(node, folder, command, *arguments):
    """A client of a Prism that runs; it answers violations with an error."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ("--errors", "--host", "127.0.0.1", "--port", str(port), "openapi.json")
    log = (folder / "prism.log").open("wb")
    process = subprocess.Popen(
        [node / "prism", command, *options, *arguments],
        cwd=folder,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        wait_for(port, process)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            yield client
    finally:
        process.terminate()
        process.wait(10)
        log.close()


def wait_for(port, process):
    """Wait until a process accepts connections."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)


def requests_of(made):
    """Each operation with an example of its body, or without a body."""
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            url = path.replace("{id}", "some_id")
            examples = [{"value": None}]
            if "requestBody" in operation:
                content = operation["requestBody"]["content"]["application/json"]
                examples = [*content["examples"].values()]
            for example in examples:
                yield method, url, example["value"]


def test_prism_as_a_mock_answers_each_example(node, folder):
    """Each example is valid for it, and each answer is that of the simulator."""
    with prism(node, folder, "mock") as client:
        for method, url, body in requests_of(document()):
            answer = client.request(method, url, json=body, headers=UNSIGNED)
            assert answer.is_success, (method, url, answer.text)
        assert client.get("/v1/transfers", headers=UNSIGNED).json()["data"][0]["status"]
        assert client.get("/v1/transfers").status_code == 401


def test_prism_as_a_proxy_finds_no_violation_of_the_simulator(node, folder):
    """A signed request passes, its answer is valid, and an invalid body is refused on the way."""
    bodies = document()["paths"]["/v1/individuals"]["post"]["requestBody"]["content"]
    person = bodies["application/json"]["examples"]["MX_on_ramp"]["value"]
    simulator = Simulator(frozen=False)
    with Server(simulator) as server:
        signer = Signer(server.api_key, server.secret_key, lambda: datetime.now(UTC), Service())
        host = {"host": server.base_url.removeprefix("http://")}
        with prism(node, folder, "proxy", server.base_url) as client:
            made = client.post("/v1/individuals", json=person, headers=host, auth=signer)
            assert made.status_code == 201, made.text
            read = client.get(f"/v1/individuals/{made.json()['id']}", headers=host, auth=signer)
            assert read.json()["status"] == "action_required"
            pages = client.get("/v1/transfers?limit=5", headers=host, auth=signer)
            assert pages.json() == {"data": [], "has_next_page": False, "cursor": None}
            wrong = client.post("/v1/individuals", json={}, headers=host, auth=signer)
            assert wrong.status_code == 422
        received = [entry.request.path for entry in simulator.world.journal.requests()]
        assert received.count("/v1/individuals") == 1
