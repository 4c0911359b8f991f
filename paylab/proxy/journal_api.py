"""The journal of the proxy over HTTP, at the paths of the simulator's.

GET  /_simulator            -> what the proxy is
GET  /_simulator/requests   -> the requests; ?after=NUMBER
GET  /_simulator/journal    -> all records; ?after=NUMBER, ?raw=1
POST /_simulator/test       -> {"name", "expects"} of the test of all that follows
GET  /_simulator/openapi.json
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hmac import compare_digest

from ..errors.base import Problem
from ..journal.journal import Journal
from ..journal.rows import journal_rows, request_rows
from ..redaction.hiding import Secret
from ..simulator.journal_api import read_after
from ..simulator.messages import RefusedError, Reply, Request, raise_if_problems
from ..simulator.refusals import refusal_reply
from ..simulator.routing import CONTROL
from ..spec.route import Route, RouteTable
from ..spec.text import JsonObject

_BEARER = "bearer "
_ROUTES = RouteTable(
    [
        Route("summary", "GET", CONTROL),
        Route("requests", "GET", f"{CONTROL}/requests"),
        Route("journal", "GET", f"{CONTROL}/journal"),
        Route("test", "POST", f"{CONTROL}/test"),
        Route("openapi", "GET", f"{CONTROL}/openapi.json"),
    ]
)


class JournalAPI:
    """Answers requests to the journal that have the control token, or a signature.

    `secrets` are never shown. `is_signed` is whether a request is signed with the keys.
    `make_document` makes the OpenAPI document, and `facts` are what the proxy says of itself.
    """

    def __init__(  # noqa: PLR0913 - what it shows, and who may see it
        self,
        journal: Journal,
        control_token: str,
        secrets: Iterable[str],
        is_signed: Callable[[Request], bool],
        make_document: Callable[[], JsonObject],
        facts: JsonObject,
    ) -> None:
        """Keep what may be shown, what must be hidden, and a handler for each route."""
        self._journal = journal
        self._control_token = Secret(control_token)
        self._hidden = [Secret(secret) for secret in (*secrets, control_token)]
        self._is_signed = is_signed
        self._make_document = make_document
        self._facts = facts
        self._handlers: Mapping[str, Callable[[Request], Reply]] = {
            "summary": self._read_summary,
            "requests": self._read_requests,
            "journal": self._read_journal,
            "test": self._name_test,
            "openapi": self._read_document,
        }

    def respond(self, request: Request, path: str) -> Reply:
        """Answer a request to the journal at a path without that of the service's address."""
        try:
            self._authenticate(request)
            routes, _ = _ROUTES.match(path)
            if request.method not in routes:
                raise RefusedError(404, "the proxy has no such control: it has only a journal")
            return self._handlers[routes[request.method].operation](request)
        except RefusedError as refused:
            return refusal_reply(refused)

    def _authenticate(self, request: Request) -> None:
        """Refuse a request with neither the control token nor a signature with the keys."""
        authorization_text = request.headers.get("authorization", "")
        # A request with a wrong token is refused, whatever its signature.
        if authorization_text[: len(_BEARER)].lower() == _BEARER:
            sent_token = authorization_text[len(_BEARER) :].strip()
            if compare_digest(sent_token.encode(), self._control_token.reveal().encode()):
                return
        elif self._is_signed(request):
            return
        raise RefusedError(401, "send Authorization: Bearer with the control token of the proxy")

    def _read_summary(self, _: Request) -> Reply:
        """The answer with what the proxy is, and how many requests it received and dropped."""
        count_by_name = {"received": len(self._journal), "dropped": self._journal.dropped}
        return Reply.json(200, {"proxy": self._facts, "requests": count_by_name})

    def _read_requests(self, request: Request) -> Reply:
        """The answer with the requests after the number in the query."""
        return Reply.json(200, self.requests(read_after(request.query_items())))

    def requests(self, after: int = 0) -> list[JsonObject]:
        """The requests with a number above `after`."""
        return request_rows(self._journal, self._secrets, after)

    def count_dropped(self) -> int:
        """The number of older requests that are not stored any more."""
        return self._journal.dropped

    def _read_journal(self, request: Request) -> Reply:
        """The answer with all records after the number in the query, raw if it has raw=1."""
        value_by_parameter = request.query_items()
        raw_text = value_by_parameter.get("raw", "0")
        if raw_text not in ("0", "1"):
            raise RefusedError(400, "raw: must be 0 or 1")
        return Reply.json(200, self.records(read_after(value_by_parameter), raw=raw_text == "1"))

    def records(self, after: int = 0, *, raw: bool = False) -> list[JsonObject]:
        """All records with a sequence number above `after`, with `raw` bodies as they came."""
        return journal_rows(self._journal, self._secrets, after, raw=raw)

    def _name_test(self, request: Request) -> Reply:
        """Name the test of the requests that follow, and answer with the summary."""
        body = request.json()
        problems = [
            Problem(member_name, "must be text", "control")
            for member_name in ("name", "expects")
            if not isinstance(body.get(member_name, ""), str)
        ]
        if "name" not in body:
            problems.append(Problem("name", "is missing; an empty one ends the test", "control"))
        raise_if_problems(problems)
        self._journal.name_test(body["name"], body.get("expects", ""))
        return self._read_summary(request)

    def _read_document(self, _: Request) -> Reply:
        """The answer with the OpenAPI document."""
        return Reply.json(200, self._make_document())

    @property
    def _secrets(self) -> list[str]:
        """The texts that are not shown: the keys of the service and the control token."""
        return [secret.reveal() for secret in self._hidden]
