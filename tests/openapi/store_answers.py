"""Store what the simulator answers to the examples: `python tests/openapi/store_answers.py`."""

from __future__ import annotations

import json
import sys
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from stage import ID, Stage

from paylab import openapi
from paylab.openapi import document
from paylab.spec.operations.records import OPERATIONS

FILE = Path(openapi.__file__).parent / "answer_examples.json"
EXAMPLES_MAX = 3
"""Answers of one operation that are stored."""
ROWS_MAX = 2
"""Rows of a page that are stored."""


def post(stage, operation, key, body, **headers):
    """Post an example with the ids of real objects in place of its own."""
    route = next(route for route in stage.service.routes if route.operation == operation)
    path = route.template
    if "{" in path:
        path = path.partition("{")[0] + stage.of_path(operation, key) + path.partition("}")[2]
    ids = stage.named(operation, key)
    text = ID.sub(lambda match: ids[match[0].partition("_")[0]], json.dumps(body))
    headers = {"content-type": "application/json", **headers}
    return stage.http.request(route.method, path, content=text, headers=headers)


def with_bodies(made):
    """The operations with a body: their names and their examples."""
    names = {OPERATIONS[name].call_name: name for name in OPERATIONS}
    for methods in made["paths"].values():
        for operation in methods.values():
            if "requestBody" in operation:
                content = operation["requestBody"]["content"]["application/json"]
                yield names[operation["operationId"]], content["examples"]


def answers_to_bodies(stage):
    """The answers to the first examples of each operation, by operation and example."""
    for operation, examples in with_bodies(document()):
        kept = {}
        for key, example in [*examples.items()][:EXAMPLES_MAX]:
            keyed = {}
            if OPERATIONS[operation].is_idempotent:
                keyed = {"idempotency-key": str(uuid.UUID(int=len(kept)))}
            answer = post(stage, operation, key, example["value"], **keyed)
            assert answer.is_success, (operation, key, answer.text)
            if OPERATIONS[operation].answer:
                kept[key] = answer.json()
        yield operation, kept


def answers_to_reads(stage, with_images):
    """The answers of what is read, by operation: two rows of a list, and its first object.

    `with_images` is the id of an individual who has uploaded images.
    """
    stage.simulator.advance(60)
    reads = [route for route in stage.service.routes if route.method == "GET"]
    reads.sort(key=lambda route: "{" in route.template)
    rows_by_resource = {}
    for route in reads:
        record = OPERATIONS[route.operation]
        if record.is_list:
            page = stage.http.get(route.template).json()
            rows = (page if isinstance(page, list) else page["data"])[:ROWS_MAX]
            rows_by_resource[record.resource] = rows
            yield record.name, {str(number): row for number, row in enumerate(rows, 1)}
        else:
            read_id = rows_by_resource[record.resource][0]["id"]
            if record.name == "individuals.images":
                read_id = with_images
            path = route.template.replace("{id}", read_id)
            yield record.name, {"example": stage.http.get(path).json()}


def refusals(stage):
    """Refusals by operation and status: of an empty body, and of an unknown id."""
    for route in stage.service.routes:
        path = route.template.replace("{id}", "unknown")
        body = {"json": {}} if path == route.template else valid_body(route)
        answer = stage.http.request(route.method, path, **body)
        if answer.is_client_error:
            yield f"{route.operation}.refusals", {str(answer.status_code): answer.json()}


def valid_body(route):
    """A body that an operation accepts."""
    examples = dict(with_bodies(document())).get(route.operation)
    return {"json": next(iter(examples.values()))["value"]} if examples else {}


def record():
    """Every stored answer, from one new simulator."""
    stage = Stage()
    answers = dict(answers_to_bodies(stage))
    with_images = answers["individuals.upload_images"]["front"]["individual_id"]
    return {
        **answers,
        **dict(answers_to_reads(stage, with_images)),
        **dict(refusals(stage)),
    }


def text_of(answers):
    """The stored form."""
    return f"{json.dumps(answers, indent=1, ensure_ascii=False)}\n"


if __name__ == "__main__":
    FILE.write_text(text_of(record()), encoding="utf-8")
