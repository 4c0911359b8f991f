"""The requests that a simulator has received, to look at and to assert on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from http import HTTPMethod
from typing import Any, overload

from ..errors.arguments import explain_arguments
from ..errors.base import UnknownNameError
from ..errors.names import find_nearest_name, find_nearest_names
from ..errors.text import printable, printable_lines
from ..redaction.hiding import HIDDEN
from ..spec.json_path import join_path
from ..spec.operations.records import OPERATIONS

LONGEST = 600
"""Maximum characters of a body in a text."""

SHOWN = 5
"""Maximum requests in the text of an AssertionError."""

_NOT_SENT = "was not sent"

Row = Mapping[str, Any]
"""A request as the journal has it in JSON."""


@dataclass(frozen=True, repr=False)
class JournalRequest:
    """A request that the simulator received, its answer, and the verdict of each layer."""

    row: Row

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.row:
            available = (
                f'verdicts["{name}"]' if name in self.row["verdicts"] else ", ".join(self.row)
            )
            raise AttributeError(f"a request has {available}; not {name}")
        return self.row[name]

    def __dir__(self) -> list[str]:
        return sorted({*self.row, "is_refused", "key", "row", "text", "verdict"})

    @property
    def is_refused(self) -> bool:
        """Whether a layer refused it, or a fault answered it with an error."""
        return int(self.row["status"]) >= 400

    @property
    def key(self) -> str | None:
        """Its Idempotency-Key."""
        header: str | None = self.row["headers"].get("idempotency-key")
        return header

    def text(self) -> str:
        """The request, its answer and the verdicts, on a few lines."""
        row = self.row
        query = "&".join(f"{name}={v}" for name, v in self.row["query"].items())
        target = f"{row['path']}?{query}" if query else row["path"]
        lines = [f"{row['number']}. {row['method']} {target} -> {row['status']}  ({row['at']})"]
        passed = [
            name
            for name, verdict in row["verdicts"].items()
            if isinstance(verdict, Mapping) and verdict.get("result") == "passed"
        ]
        if passed:
            lines.append(f"   passed: {', '.join(passed)}")
        lines += [f"   {name}: {verdict}" for name, verdict in self._told()]
        if row["body"] is not None:
            lines.append(f"   sent: {_short(row['body'])}")
        if self.is_refused and row["answer"] is not None:
            lines.append(f"   answer: {_short(row['answer'])}")
        return printable_lines("\n".join(lines))

    @property
    def verdict(self) -> str:
        """What a layer has to say of it in one line: a refusal, a replay, a fault, a remark.

        "passed" if there is nothing to say.
        """
        verdict_texts = (f"{name}: {text}" for name, text in self._told() if text not in _USUAL)
        return printable(", ".join(verdict_texts)) or "passed"

    def _told(self) -> Iterator[tuple[str, str]]:
        """Each layer that did more than to pass or skip the request, and what it found."""
        for name, verdict in self.row["verdicts"].items():
            if not isinstance(verdict, Mapping):
                if verdict not in (None, "none"):
                    yield name, str(verdict)
            elif name == "fault":
                fault_parts = {part: verdict[part] for part in verdict if part not in _OF_FAULTS}
                yield (
                    name,
                    ", ".join(f"{part} {_text(value)}" for part, value in fault_parts.items()),
                )
            else:
                texts = [str(verdict["message"])] if "message" in verdict else []
                texts += [f"mistake {verdict['mistake']}"] if verdict.get("mistake") else []
                is_refused = verdict["result"] == "refused"  # its message has the remarks
                remarks = () if is_refused else verdict.get("remarks", ())
                texts += [f"{remark['field']} {remark['message']}" for remark in remarks]
                if texts:
                    yield name, "; ".join(["refused", *texts] if is_refused else texts)

    def __repr__(self) -> str:
        return printable(f"<{self.row['method']} {self.row['path']} -> {self.row['status']}>")


@explain_arguments
class Requests(Sequence[JournalRequest]):
    """The requests of a world, oldest first; those to the control API are not among them.

    `read` reads the journal, or what was added to it after a number. At most 10,000 requests are
    stored: `dropped` counts older ones.
    """

    def __init__(self, read: Callable[..., Mapping[str, Any]]) -> None:
        self._read = read

    @property
    def dropped(self) -> int:
        """The number of older requests that are not stored any more."""
        return int(self._read()["dropped"])

    def after(self, number: int) -> Requests:
        """Those with a higher number, as when you follow them.

        >>> len(lab.simulator.requests.after(10**6))
        0
        """
        return Requests(partial(_later, self._read(number)))

    def _where(self, fits: Callable[[JournalRequest], bool]) -> Requests:
        journal = self._read()
        matching = [row for row in journal["requests"] if fits(JournalRequest(row))]
        return Requests(partial(_later, {**journal, "requests": matching}))

    def of(self, operation: str) -> Requests:
        """Those of an operation: "POST /v1/transfers", a method, a path or "transfers.create".

        In a path, `*` or `{id}` is any segment. UnknownNameError for another operation.

        >>> len(lab.simulator.requests.of("DELETE /v1/transfers"))
        0
        """
        if not (operation in OPERATIONS or "/" in operation or operation.upper() in [*HTTPMethod]):
            raise UnknownNameError(
                "operation", operation, find_nearest_names(operation, OPERATIONS)
            )
        return self._where(lambda request: _is_of(request.row, operation))

    @property
    def refused(self) -> Requests:
        """Those that were answered with an error."""
        return self._where(lambda request: request.is_refused)

    def by_key(self, key: str) -> Requests:
        """Those with an Idempotency-Key."""
        return self._where(lambda request: (request.key or "").lower() == key.lower())

    def only(self) -> JournalRequest:
        """The single request; AssertionError if there are more or none."""
        __tracebackhide__ = True
        all_requests = list(self)
        if len(all_requests) != 1:
            request_texts = "\n".join(request.text() for request in all_requests[-SHOWN:])
            raise AssertionError(
                f"there are {len(all_requests)} requests, not 1\n{request_texts}".rstrip()
            )
        return all_requests[0]

    def assert_sent(self, operation: str, *, times: int | None = None, **fields: Any) -> Requests:
        """Check that a request of an operation was sent, with these fields in its body or query.

        Amounts are compared as numbers. A value that is hidden (***) equals any. With `times`,
        exactly so many must fit. AssertionError with the nearest request and its differences.

        >>> lab.simulator.requests.assert_sent("quotes.create", source_amount="1.23", times=0)
        <0 requests; of(operation), refused, by_key(key), only(), text()>
        """
        __tracebackhide__ = True  # pytest shows the line of the test
        same_operation = self.of(operation)
        matching = same_operation._where(lambda request: not _differences(request.row, fields))
        count = len(matching)
        if count == times or (times is None and count):
            return matching
        raise AssertionError(_failure(operation, times, fields, count, same_operation or self))

    def text(self, last: int = 10) -> str:
        """The last requests with their verdicts, redacted.

        >>> lab.simulator.requests.of("DELETE /v1/transfers").text()
        'no requests'
        """
        all_requests = list(self)
        hidden_count = len(all_requests) - last
        first_line = [f"({hidden_count} earlier requests)"] if hidden_count > 0 else []
        return (
            "\n".join([*first_line, *(request.text() for request in all_requests[-last:])])
            or "no requests"
        )

    @overload
    def __getitem__(self, at: int) -> JournalRequest: ...
    @overload
    def __getitem__(self, at: slice) -> list[JournalRequest]: ...
    def __getitem__(self, at: int | slice) -> JournalRequest | list[JournalRequest]:
        return list(self)[at]

    def __len__(self) -> int:
        return len(self._read()["requests"])

    def __iter__(self) -> Iterator[JournalRequest]:
        return map(JournalRequest, self._read()["requests"])

    def __repr__(self) -> str:
        return f"<{len(self)} requests; of(operation), refused, by_key(key), only(), text()>"


_USUAL = ("new", "no key")
_OF_FAULTS = ("id", "times", "left", "probability", "seed", "seconds")
"""Details of a fault that are left out of a text."""


def _later(journal: Mapping[str, Any], number: int = 0) -> Mapping[str, Any]:
    """The requests of a journal with a higher number."""
    rows = [row for row in journal["requests"] if row["number"] > number]
    return {**journal, "requests": rows}


def _is_of(row: Row, operation: str) -> bool:
    if operation == row["operation"]:
        return True
    method, _, path = operation.strip().rpartition(" ")
    if path.isalpha():
        method = path
        path = ""
    if method and method.upper() != row["method"]:
        return False
    parts_wanted = path.split("/")
    parts_sent = row["path"].split("/")
    return not path or (
        len(parts_wanted) == len(parts_sent)
        and all(
            a in (g, "*") or a.startswith("{")
            for a, g in zip(parts_wanted, parts_sent, strict=True)
        )
    )


def _failure(
    operation: str, times: int | None, fields: Mapping[str, Any], count: int, near: Requests
) -> str:
    """Why an assertion failed: the count, the nearest request and its differences."""
    what_was_asserted = f"{operation} with {_short(fields)}" if fields else operation
    times_text = "at least once" if times is None else _times(times)
    lines = [f"{what_was_asserted} was sent {_times(count)}, not {times_text}"]
    if count > (times or 0):
        fitting = [request for request in near if not _differences(request.row, fields)]
        return "\n".join([*lines, *(request.text() for request in fitting[-SHOWN:])])
    rows = [request.row for request in near if not count or _differences(request.row, fields)]
    if not rows:
        return "\n".join([*lines, "no other request was sent" if count else "no request was sent"])
    # A field with another value is nearer than one that was not sent.
    nearest = min(
        reversed(rows),
        key=lambda row: [
            len(differences := _differences(row, fields)),
            _NOT_SENT in " ".join(differences),
        ],
    )
    lines += ["the nearest request:", JournalRequest(nearest).text()]
    return "\n".join([*lines, *(f"   {request}" for request in _differences(nearest, fields))])


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _differences(row: Row, fields: Mapping[str, Any]) -> list[str]:
    """The fields whose value is another one, or that were not sent."""
    body = row["body"] if isinstance(row["body"], Mapping) else {}
    return list(_unequal("", fields, {**row["query"], **body}))


def _unequal(at: str, wanted: Any, sent: Any) -> Iterator[str]:
    """The places where two values differ; an object may have more members than are wanted."""
    if isinstance(wanted, Mapping) and isinstance(sent, Mapping):
        for name, value in wanted.items():
            if name in sent:
                yield from _unequal(join_path(at, name), value, sent[name])
            else:
                similar = find_nearest_name(name, sent)
                suggestion = f", but {similar} was" if similar else ""
                yield f"{join_path(at, name)}: {value!r} {_NOT_SENT}{suggestion}"
    elif not _same(wanted, sent):
        yield f"{at}: {sent!r} was sent, not {wanted!r}"


def _same(wanted: Any, sent: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(sent, bool):
        return wanted is sent or sent == HIDDEN
    if sent in (wanted, HIDDEN):
        return True
    try:
        return Decimal(str(wanted)) == Decimal(str(sent))
    except InvalidOperation:
        return False


def _short(value: Any) -> str:
    text = _text(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _text(value: Any) -> str:
    """A value as JSON; text as it is."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
