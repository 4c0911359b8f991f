"""The control API as data: every operation, and curl lines for it that work when pasted."""

from __future__ import annotations

from typing import NamedTuple

from .fault_kinds import CUSTOM, DEFAULTS, KINDS

CONTROL = "/_simulator"
"""The path prefix of the control API; no service uses it."""


class Curl(NamedTuple):
    """A request with curl: what it does, its body and query, and the end of the line."""

    does: str
    body: str = ""
    query: str = ""
    end: str = ""


class Control(NamedTuple):
    """An operation of the control API. `lines` are examples, `id` is what `{id}` is in them."""

    name: str
    method: str
    path: str
    lines: tuple[Curl, ...]
    id: str = ""

    @property
    def template(self) -> str:
        """The path with its prefix."""
        return f"{CONTROL}{self.path}"


_FAULT = '{"kind": "custom", "operation": "transfers.create", "delay": 3, "times": 1}'
_DUPLICATE = '{"kind": "event_duplicate", "event_type": "transfer.completed"}'

CONTROLS = (
    Control("summary", "GET", "", (Curl("Clock, counts and seed"),)),
    Control(
        "seed",
        "POST",
        "/seed",
        (
            Curl(
                "Add finished transfers and conversions of the past, and individuals with accounts",
                '{"individuals": 2, "transfers": 30, "conversions": 5}',
            ),
        ),
    ),
    Control(
        "move_object",
        "POST",
        "/objects/{id}",
        (
            Curl(
                "Move an object: an illegal move answers 422 with the legal ones",
                '{"to": "pending"}',
            ),
            Curl("With a reason", '{"to": "rejected", "reason": "verification_age_mismatch"}'),
        ),
        id="$PERSON",
    ),
    Control(
        "clock",
        "POST",
        "/clock",
        (
            Curl("Freeze the clock", '{"frozen": true}'),
            Curl("Advance it: what is due happens and is delivered", '{"advance_seconds": 3600}'),
            Curl("Run it, 50 simulated seconds a second", '{"frozen": false, "speed": 50}'),
        ),
    ),
    Control(
        "pay_in",
        "POST",
        "/balances",
        (
            Curl(
                "Give the account a balance: transfers that it is too low for await funds",
                '{"amount": "0.00", "currency": "USD"}',
            ),
            Curl("Pay in: the oldest of them are funded", '{"amount": "250.00"}'),
        ),
    ),
    Control("balance", "GET", "/balances", (Curl("The balance of each currency"),)),
    Control("scenarios", "GET", "/scenarios", (Curl("The values that cause an outcome"),)),
    Control(
        "add_fault",
        "POST",
        "/faults",
        (
            Curl("Deliver an event twice", _DUPLICATE),
            Curl(
                "Answer a request late, or with your own status, headers, body",
                _FAULT,
                end=" | tee fault.json",
            ),
        ),
    ),
    Control("list_faults", "GET", "/faults", (Curl("The faults, and how often each will apply"),)),
    Control(
        "remove_fault",
        "DELETE",
        "/faults/{id}",
        (Curl("Remove one of them"),),
        id="$(grep -o 'fault_[0-9A-Z]*' fault.json)",
    ),
    Control("clear_faults", "DELETE", "/faults", (Curl("Remove all"),)),
    Control(
        "requests",
        "GET",
        "/requests",
        (
            Curl("The requests that were received, each with the verdict of every layer"),
            Curl("Those after number 10", query="?after=10"),
        ),
    ),
    Control("events", "GET", "/events", (Curl("Every event"),)),
    Control(
        "deliveries",
        "GET",
        "/deliveries",
        (
            Curl("Every attempt to deliver one"),
            Curl(
                "The next of a type after number 0, for which the request waits 0 to 20 seconds",
                query="?event_type=transfer.completed&after=0&wait=0",
            ),
        ),
    ),
    Control(
        "deliver",
        "POST",
        "/deliveries",
        (
            Curl("Hold all deliveries", '{"paused": true}'),
            Curl("Deliver what was held", '{"paused": false}'),
            Curl(
                "Deliver again: all events since each subscription was made, or the id of one",
                '{"redeliver": "all"}',
            ),
        ),
    ),
    Control(
        "openapi",
        "GET",
        "/openapi.json",
        (Curl("The interface as OpenAPI 3.1, with the settings of this service"),),
    ),
    Control(
        "read_snapshot",
        "GET",
        "/snapshot",
        (Curl("The whole state, without keys", end=" -o state.json"),),
    ),
    Control("write_snapshot", "PUT", "/snapshot", (Curl("Replace it", "@state.json"),)),
    Control("reset", "POST", "/reset", (Curl("Delete all objects and set the clock back", "{}"),)),
)
"""The operations of one world. Each has its function in `control_api`."""

WORLDS = (
    Control(
        "create_world",
        "POST",
        "/worlds",
        (
            Curl(
                "Another world behind the same port, with its own keys, token, clock and faults",
                '{"seed": 7, "strict": true, "frozen": false, "start": "2026-11-22T12:00Z"}',
                end=" | tee world.json",
            ),
        ),
    ),
    Control(
        "end_world",
        "DELETE",
        "/worlds/{id}",
        (Curl("End it"),),
        id="$(grep -o 'pk_simulator_[0-9a-f]*' world.json)",
    ),
)
"""The operations on the worlds of a server, in `worlds`."""

HEAD = """\
# paylab simulator --port 8080 --json prints the token.
BASE=http://127.0.0.1:8080
TOKEN=ct_simulator_...
# An individual that your code created.
PERSON=ind_...
AUTH="Authorization: Bearer $TOKEN"
JSON="Content-Type: application/json\""""


def curl_lines() -> list[str]:
    """A curl line for each example, below a comment; they use the variables of `HEAD`."""
    return [
        f"# {line.does}.\n{_curl(control, line)}"
        for control in (*CONTROLS, *WORLDS)
        for line in control.lines
    ]


def _curl(control: Control, line: Curl) -> str:
    method = "" if control.method == ("POST" if line.body else "GET") else f" -X {control.method}"
    body = f""" -H "$JSON" -d '{line.body}'""" if line.body else ""
    url = f"$BASE{control.template.replace('{id}', control.id)}{line.query}"
    return f'curl -s{method} -H "$AUTH"{body} "{url}"{line.end}'


def markdown() -> str:
    """The curl lines, and the kinds of fault with their details, as Markdown."""
    page = "\n\n".join(["```bash\n" + HEAD, *curl_lines()]) + "\n```"
    kinds = "\n".join(f"| `{kind}` | {does} |" for kind, does in KINDS.items())
    details = ", ".join(f"`{name}`" for name in (*DEFAULTS, *CUSTOM))
    table = f"| fault | what it does |\n|---|---|\n{kinds}"
    return f"{page}\n\n{table}\n\nThe details of a fault: {details}."
