"""The requests that a simulator has received, to look at and to assert on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from http import HTTPMethod
from typing import Any, overload

from ..errors.arguments import explain_arguments
from ..errors.cards import MisuseError
from ..errors.names import unknown_name_error, with_name_suggestions
from ..errors.text import printable, printable_lines
from ..spec import timestamps
from ..spec.operations.records import OPERATIONS
from ..spec.text import JsonMapping
from .request_differences import NOT_SENT, field_differences, short_json
from .verdict_text import USUAL_VERDICTS, find_notable_verdicts

REQUESTS_SHOWN = 5
"""Maximum requests in the text of an AssertionError."""

Row = JsonMapping
"""A request as the journal has it in JSON."""


@dataclass(frozen=True, repr=False)
class JournalRequest:
    """A request that the simulator received, its answer, and the verdict of each layer."""

    row: Row

    def __getattr__(self, name: str) -> Any:
        """A field of the journal's row as an attribute; AttributeError lists those that it has."""
        if name.startswith("_") or name not in self.row:
            names_text = ", ".join(self.row)
            if name in self.row["verdicts"]:
                names_text = f'verdicts["{name}"]'
            raise AttributeError(f"a request has {names_text}; not {name}")
        return self.row[name]

    @property
    def at(self) -> datetime:
        """When it was received, on the simulator's clock."""
        return timestamps.from_text(self.row["at"])

    def __dir__(self) -> list[str]:
        return sorted({*self.row, "is_refused", "key", "row", "text", "verdict"})

    @property
    def is_refused(self) -> bool:
        """Whether a layer refused it, or a fault answered it with an error."""
        return int(self.row["status"]) >= 400

    @property
    def key(self) -> str | None:
        """Its Idempotency-Key."""
        key_text: str | None = self.row["headers"].get("idempotency-key")
        return key_text

    def text(self) -> str:
        """The request, the verdicts, and an answer that says more, on a few lines."""
        row = self.row
        query_text = "&".join(
            f"{parameter_name}={parameter_text}"
            for parameter_name, parameter_text in row["query"].items()
        )
        url_path = f"{row['path']}?{query_text}" if query_text else row["path"]
        request_line = f"{row['number']}. {row['method']} {url_path} -> {row['status']}"
        text_lines = [f"{request_line}  ({row['at']})"]
        passed_layers = [
            layer_name
            for layer_name, verdict in row["verdicts"].items()
            if isinstance(verdict, Mapping) and verdict.get("result") == "passed"
        ]
        if passed_layers:
            text_lines.append(f"   passed: {', '.join(passed_layers)}")
        text_lines += [
            f"   {layer_name}: {verdict_text}"
            for layer_name, verdict_text in find_notable_verdicts(row)
        ]
        if row["body"] is not None:
            text_lines.append(f"   sent: {short_json(row['body'])}")
        answer = row["answer"]
        if self.is_refused and answer is not None:
            error_text = answer.get("error") if isinstance(answer, Mapping) else None
            answer_text = str(error_text or answer)
            # A verdict above often has the text of the error already.
            if not any(answer_text in text_line for text_line in text_lines):
                text_lines.append(f"   answer: {short_json(answer)}")
        return printable_lines("\n".join(text_lines))

    @property
    def verdict(self) -> str:
        """The verdicts in one line: a refusal, a replay, a fault, remarks.

        "passed" if there is nothing to report.
        """
        verdict_texts = [
            f"{layer_name}: {verdict_text}"
            for layer_name, verdict_text in find_notable_verdicts(self.row)
            if verdict_text not in USUAL_VERDICTS
        ]
        return printable(", ".join(verdict_texts)) or "passed"

    def __repr__(self) -> str:
        return printable(f"<{self.row['method']} {self.row['path']} -> {self.row['status']}>")


@with_name_suggestions
@explain_arguments
class Requests(Sequence[JournalRequest]):
    """The requests of a world, oldest first; those to the control API are not among them.

    `read` reads the journal, or its requests after a number. At most 10,000 requests are stored:
    `dropped` counts older ones, with `count_dropped`.
    """

    def __init__(
        self, read: Callable[..., Sequence[Row]], count_dropped: Callable[[], int] = int
    ) -> None:
        """Read the rows by `read`; `count_dropped` counts those that are no longer stored."""
        self._read = read
        self._count_dropped = count_dropped

    @property
    def dropped(self) -> int:
        """The number of older requests that are not stored any more."""
        return self._count_dropped()

    def after(self, number: int) -> Requests:
        """The requests with a higher number, as when you follow them.

        >>> len(lab.simulator.requests.after(10**6))
        0
        """
        return self._with_rows(self._read(number))

    def _with_rows(self, journal_rows: Sequence[Row]) -> Requests:
        """The requests of some rows."""
        return Requests(partial(_select_rows_after, journal_rows), self._count_dropped)

    def _keep_matching(self, is_matching: Callable[[JournalRequest], bool]) -> Requests:
        """The requests for which `is_matching` is true."""
        all_rows = self._read()
        return self._with_rows([row for row in all_rows if is_matching(JournalRequest(row))])

    def of(self, operation: str) -> Requests:
        """The requests of "POST /v1/transfers", a method, a path or "transfers.create".

        In a path, `*` or `{id}` is any segment. UnknownNameError for another operation.

        >>> len(lab.simulator.requests.of("DELETE /v1/transfers"))
        0
        """
        is_path_or_method = "/" in operation or operation.upper() in [*HTTPMethod]
        if operation not in OPERATIONS and not is_path_or_method:
            raise unknown_name_error("operation", operation, OPERATIONS)
        return self._keep_matching(lambda request: _is_of_operation(request.row, operation))

    @property
    def refused(self) -> Requests:
        """The requests that were answered with an error."""
        return self._keep_matching(lambda request: request.is_refused)

    def by_key(self, key: str) -> Requests:
        """The requests with this Idempotency-Key."""
        return self._keep_matching(lambda request: (request.key or "").lower() == key.lower())

    def only(self) -> JournalRequest:
        """The single request. AssertionError if there are more or none."""
        __tracebackhide__ = True
        all_requests = list(self)
        if len(all_requests) != 1:
            requests_text = "\n".join(request.text() for request in all_requests[-REQUESTS_SHOWN:])
            raise AssertionError(
                f"there are {len(all_requests)} requests, not 1\n{requests_text}".rstrip()
            )
        return all_requests[0]

    def assert_sent(
        self, operation: str, *, times: int | None = None, **fields: object
    ) -> Requests:
        """Check that a request of an operation was sent, with these fields in its body or query.

        Amounts are compared as numbers. A value that is hidden (***) equals any. With `times`,
        exactly that number must fit. AssertionError with the nearest request and its differences.

        >>> lab.simulator.requests.assert_sent("quotes.create", source_amount="1.23", times=0)
        <0 requests; of(operation), refused, by_key(key), only(), text()>
        """
        __tracebackhide__ = True  # pytest shows the line of the test
        operation_requests = self.of(operation)
        matching_requests = operation_requests._keep_matching(
            lambda request: not field_differences(request.row, fields)
        )
        matching_count = len(matching_requests)
        is_right_count = matching_count > 0 if times is None else matching_count == times
        if is_right_count:
            return matching_requests
        # If none of the operation was sent, the nearest one of any is shown.
        compared_requests = operation_requests or self
        raise AssertionError(
            _explain_failure(operation, times, fields, matching_count, compared_requests)
        )

    def text(self, last: int = 10) -> str:
        """The last requests with their verdicts, redacted.

        >>> lab.simulator.requests.of("DELETE /v1/transfers").text()
        'no requests'
        """
        all_requests = list(self)
        hidden_count = len(all_requests) - last
        request_texts: list[str] = []
        if hidden_count > 0:
            request_texts.append(f"({hidden_count} earlier requests)")
        request_texts += [request.text() for request in all_requests[-last:]]
        return "\n".join(request_texts) or "no requests"

    @overload
    def __getitem__(self, index: int) -> JournalRequest: ...
    @overload
    def __getitem__(self, index: slice) -> list[JournalRequest]: ...
    def __getitem__(self, index: int | slice) -> JournalRequest | list[JournalRequest]:
        if not isinstance(index, int | slice):
            raise MisuseError(
                f"requests have indexes, as in requests[-1], not {index!r:.60}: of(operation) "
                "keeps some"
            )
        return list(self)[index]

    def __len__(self) -> int:
        return len(self._read())

    def __iter__(self) -> Iterator[JournalRequest]:
        return map(JournalRequest, self._read())

    def __repr__(self) -> str:
        return f"<{len(self)} requests; of(operation), refused, by_key(key), only(), text()>"


def _select_rows_after(journal_rows: Sequence[Row], last_number: int = 0) -> Sequence[Row]:
    """The rows of requests that have a higher number."""
    return [journal_row for journal_row in journal_rows if journal_row["number"] > last_number]


def _is_of_operation(journal_row: Row, call_name: str) -> bool:
    """Whether a request is one of an operation, a method, a path, or a method and a path."""
    if call_name == journal_row["operation"]:
        return True
    method, _, path_template = call_name.strip().rpartition(" ")
    if path_template.isalpha():  # a method alone, since a path has a slash or a wildcard
        method = path_template
        path_template = ""
    if method and method.upper() != journal_row["method"]:
        return False
    return not path_template or _matches_path(journal_row["path"], path_template)


def _matches_path(path: str, template: str) -> bool:
    """Whether a path has the segments of a template, in which `*` and `{id}` are any segment."""
    segments = path.split("/")
    template_segments = template.split("/")
    if len(segments) != len(template_segments):
        return False
    segment_pairs = zip(segments, template_segments, strict=True)
    return all(
        template_segment in (segment, "*") or template_segment.startswith("{")
        for segment, template_segment in segment_pairs
    )


def _explain_failure(
    call_name: str,
    times: int | None,
    fields: Mapping[str, object],
    matching_count: int,
    requests: Requests,
) -> str:
    """Why an assertion failed: the count, the nearest request and its differences."""
    assertion_text = f"{call_name} with {short_json(fields)}" if fields else call_name
    expected_times_text = "at least once" if times is None else _write_count(times)
    failure_lines = [
        f"{assertion_text} was sent {_write_count(matching_count)}, not {expected_times_text}"
    ]
    matching_requests: list[JournalRequest] = []
    other_requests: list[JournalRequest] = []
    for request in requests:
        # If none matches, all are others: they may be requests of other operations.
        has_fields = not field_differences(request.row, fields)
        if matching_count and has_fields:
            matching_requests.append(request)
        else:
            other_requests.append(request)
    was_sent_too_often = matching_count > (times or 0)
    if was_sent_too_often:
        failure_lines += [request.text() for request in matching_requests[-REQUESTS_SHOWN:]]
    elif other_requests:
        failure_lines += _describe_nearest(other_requests, fields)
    elif matching_count:
        failure_lines.append("no other request was sent")
    else:
        failure_lines.append("no request was sent")
    return "\n".join(failure_lines)


def _describe_nearest(
    requests: Sequence[JournalRequest], fields: Mapping[str, object]
) -> list[str]:
    """The nearest request to the fields, without its verdicts, and its differences, as lines."""
    nearest_request = _find_nearest(requests, fields)
    request_line = nearest_request.text().partition("\n")[0]
    difference_texts = field_differences(nearest_request.row, fields)
    return ["the nearest request:", request_line, *(f"   {line}" for line in difference_texts)]


def _find_nearest(
    requests: Sequence[JournalRequest], fields: Mapping[str, object]
) -> JournalRequest:
    """The request with the fewest differences, and of several the latest."""

    def distance(request: JournalRequest) -> tuple[int, bool]:
        """How far a request is from the fields."""
        difference_texts = field_differences(request.row, fields)
        # A field with another value is nearer than one that was not sent.
        return len(difference_texts), NOT_SENT in " ".join(difference_texts)

    return min(reversed(requests), key=distance)


def _write_count(request_count: int) -> str:
    """How often requests were sent, in words."""
    return "once" if request_count == 1 else f"{request_count} times"
