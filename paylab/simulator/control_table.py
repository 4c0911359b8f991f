"""The control API in curl lines that work when pasted, and a table of the faults."""

from __future__ import annotations

from textwrap import wrap
from typing import NamedTuple

from ..spec.route import Route
from .fault_kinds import FAULT_DETAILS, FAULT_KINDS
from .routing import CONTROLS, WORLDS

LENGTH_MAX = 54
"""Characters of a line that a page of 700 pixels does not break."""


class Curl(NamedTuple):
    """A request with curl: its control, what it does, its body and query, and the end of the line.

    `id` is what `{id}` is in the path.
    """

    control: str
    does: str
    body: str = ""
    query: str = ""
    end: str = ""
    id: str = ""


_DELAY = """{"kind": "custom", "delay": 3,
  "operation": "transfers.create", "times": 1}"""
_DUPLICATE = """{"kind": "event_duplicate",
  "event_type": "transfer.completed"}"""
_WORLD = """{"seed": 7, "strict": true,
  "frozen": false, "start": "2026-11-22T12:00Z"}"""
_REJECT = """{"to": "rejected",
  "reason": "verification_age_mismatch"}"""
_ARCHIVED = """{"event_type": "individual.archived",
  "payload": {"id": "ind_1", "status": "archived"}}"""
_BLURRY = """{"outcomes": ["verification_image_blurry",
  "passes"], "given_name": "Ana"}"""
_SEED = """{"individuals": 2, "transfers": 30,
  "conversions": 5}"""

LINES = (
    Curl("summary", "Clock, counts and seed"),
    Curl(
        "seed",
        "Add finished transfers and conversions of the past, and individuals; returns the ids",
        _SEED,
    ),
    Curl("history", "The status of an object, and those that it has had", id="$PERSON"),
    Curl(
        "add_person",
        "Add an individual; without `verified` it has the status of a new one",
        '{"country": "PH", "verified": true}',
    ),
    Curl(
        "add_person",
        "Add one whose first verification asks for better images, and whose second passes",
        _BLURRY,
    ),
    Curl(
        "add_account",
        "Add an account, of a new active individual; its events are not delivered",
        '{"country": "BR", "events": false}',
    ),
    Curl(
        "move_object",
        "Move an object: an illegal move answers 422 with the legal ones",
        '{"to": "pending"}',
        id="$PERSON",
    ),
    Curl("move_object", "Move it with a reason", _REJECT, id="$PERSON"),
    Curl(
        "move_object",
        "Move it to any status, also one that the service does not have",
        '{"to": "on_hold", "force": true}',
        id="$PERSON",
    ),
    Curl("clock", "Freeze the clock", '{"frozen": true}'),
    Curl(
        "clock", "Advance the clock: what is due happens and is delivered", '{"advance": "23h 59m"}'
    ),
    Curl("clock", "Run the clock, 50 simulated seconds a second", '{"frozen": false, "speed": 50}'),
    Curl(
        "pay_in",
        "Give the account a balance: transfers above it await funds",
        '{"amount": "0.00", "currency": "USD"}',
    ),
    Curl(
        "pay_in", "Pay in: the oldest transfers that await funds are funded", '{"amount": "250.00"}'
    ),
    Curl("balance", "The balance of each currency"),
    Curl("funds", "The balances with what is reserved for payouts, and what payouts await"),
    Curl("coin_returns", "The stablecoins of failed off-ramps, which went back to wallets"),
    Curl("scenarios", "The values that cause an outcome"),
    Curl("add_fault", "Deliver an event twice", _DUPLICATE),
    Curl(
        "add_fault",
        "Answer a request late, or with your own status, headers, body",
        _DELAY,
        end=" | tee fault.json",
    ),
    Curl("list_faults", "The faults, and how often each will apply"),
    Curl("remove_fault", "Remove one of the faults", id="$(grep -o 'fault_[0-9A-Z]*' fault.json)"),
    Curl("clear_faults", "Remove all faults"),
    Curl("requests", "The requests that were received, each with the verdict of every layer"),
    Curl("requests", "The requests after number 10", query="?after=10"),
    Curl("journal", "Requests, deliveries, events and controls in one sequence", query="?after=0"),
    Curl(
        "name_test",
        "Name the test of what follows, and the refusal that it expects",
        '{"name": "a conflict", "expects": "409"}',
    ),
    Curl("events", "Every event"),
    Curl(
        "send_event",
        "Send any event, also of a type that is not known: every subscription gets it",
        _ARCHIVED,
    ),
    Curl("deliveries", "Every attempt to deliver an event"),
    Curl(
        "deliveries",
        "The next attempt of a type after number 0; the request waits for it 0 to 20 seconds",
        query="?event_type=transfer.completed&after=0&wait=0",
    ),
    Curl("deliver", "Hold all deliveries", '{"paused": true}'),
    Curl("deliver", "Deliver what was held", '{"paused": false}'),
    Curl(
        "deliver",
        "Deliver again: all events since each subscription was made, or the id of one",
        '{"redeliver": "all"}',
    ),
    Curl("openapi", "The interface as OpenAPI 3.1, with the settings of this service"),
    Curl("read_snapshot", "The whole state, without keys", end=" -o state.json"),
    Curl("write_snapshot", "Replace the whole state", "@state.json"),
    Curl("reset", "Delete all objects and set the clock back", "{}"),
    Curl(
        "create_world",
        "Another world behind the same port, with its own keys, token, clock and faults",
        _WORLD,
        end=" | tee world.json",
    ),
    Curl("end_world", "End that world", id="$(grep -o 'pk_simulator_[0-9a-f]*' world.json)"),
)
"""One line or more for each control."""

HEAD = """\
# paylab simulator --port 8080 --json prints the token.
BASE=http://127.0.0.1:8080
TOKEN=ct_simulator_...
# An individual that your code created.
PERSON=ind_...
AUTH="Authorization: Bearer $TOKEN"
JSON="Content-Type: application/json\""""


def curl_lines() -> list[str]:
    """A command with curl for each of `LINES`, below a comment; it uses the variables of `HEAD`."""
    route_by_operation = {route.operation: route for route in (*CONTROLS, *WORLDS)}
    commands = []
    for curl_line in LINES:
        comment_lines = wrap(
            f"{curl_line.does}.", LENGTH_MAX, initial_indent="# ", subsequent_indent="# "
        )
        route = route_by_operation[f"control.{curl_line.control}"]
        commands.append("\n".join([*comment_lines, _write_curl_command(route, curl_line)]))
    return commands


def _write_curl_command(route: Route, curl_line: Curl) -> str:
    """The command of a line, in several lines if it is long.

    curl sends GET, or POST if there is a body.
    """
    default_method = "POST" if curl_line.body else "GET"
    method_option = "" if route.method == default_method else f" -X {route.method}"
    url_text = f"$BASE{route.template.replace('{id}', curl_line.id)}{curl_line.query}"
    command_parts = [f'curl -s{method_option} -H "$AUTH"', f'"{url_text}"{curl_line.end}']
    if curl_line.body:
        command_parts[0] += ' -H "$JSON"'
        command_parts.insert(1, f"-d '{curl_line.body}'")
    one_line_command = " ".join(command_parts)
    return (
        one_line_command if len(one_line_command) <= LENGTH_MAX else " \\\n  ".join(command_parts)
    )


def markdown() -> str:
    """The curl lines, and the kinds of fault with their details, as Markdown."""
    commands_text = "\n\n".join(["```bash\n" + HEAD, *curl_lines()]) + "\n```"
    fault_rows_text = "\n".join(
        f"| `{fault_kind}` | {effect_text} |" for fault_kind, effect_text in FAULT_KINDS.items()
    )
    fault_table_text = f"| fault | what it does |\n|---|---|\n{fault_rows_text}"
    details_text = ", ".join(f"`{detail_name}`" for detail_name in FAULT_DETAILS)
    return f"{commands_text}\n\n{fault_table_text}\n\nA fault takes these details: {details_text}."
