"""The lists of a service: their pages as sent, their objects, and one row of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors.api import NotFoundError
from ..spec import paging
from ..spec.page import RawPage
from ..spec.row_filter import SENT, RowFilter, check_product, read_row_filter
from ..spec.service.lists import Order
from ..spec.service.service import Service
from ..spec.service.statuses import STATUSES
from ..spec.translation import Translation
from .request import Options, OutgoingRequest
from .request_builder import RequestBuilder
from .response import R, Response, is_as_specified, put_in_envelope, resource_of

if TYPE_CHECKING:
    from .exchange import Attempt


def read_filters(
    service: Service, kind: str, filters: Mapping[str, object]
) -> tuple[dict[str, object], RowFilter]:
    """The filters that the service applies itself, and the filter of the other ones."""
    sent_filters = {filter_name: filters.get(filter_name) for filter_name in SENT.get(kind, ())}
    check_product(sent_filters.get("product_type"))
    applied_filters = {
        filter_name: filter_value
        for filter_name, filter_value in filters.items()
        if filter_name not in sent_filters
    }
    declared = STATUSES[kind](service.statuses) if kind in STATUSES else ()
    return sent_filters, read_row_filter(kind, applied_filters, declared)


class Lists:
    """Reads the lists of a service; `is_own` is whether it is known to do what its settings say.

    `deliver` sends a request, `read_response` reads its response, and `place` names the service.
    """

    def __init__(  # noqa: PLR0913 - how a page is asked for and read
        self,
        requests: RequestBuilder,
        deliver: Callable[[OutgoingRequest], Attempt],
        read_response: Callable[[Attempt], Response],
        translation: Translation,
        place: Callable[[], str],
        *,
        is_own: bool,
    ) -> None:
        self._requests = requests
        self._deliver = deliver
        self._read_response = read_response
        self._translation = translation
        self._service = translation.service
        self._place = place
        self._is_own = is_own

    def _request_page(
        self, list_name: str, params: Mapping[str, object], options: Options | None = None
    ) -> Attempt:
        request = self._requests.operation(f"{list_name}.list", params=params, options=options)
        return self._deliver(request)

    def order(self, name: str) -> Order:
        """The order of a list if it is declared or found, else "unknown"."""
        return (
            self._service.list(name).order if self._is_own else self._service.declared_order(name)
        )

    def pager(  # noqa: PLR0913 - what is listed, and how it is asked for
        self,
        name: str,
        kind: type[R],
        options: Options,
        limit: int | None = None,
        cursor: str | None = None,
        filters: Mapping[str, object] | None = None,
    ) -> paging.Pager[R]:
        """A list that is fetched while you iterate, with the rows that the filters keep.

        Those that the service applies are sent with every cursor.
        """
        form = self._service.list(name)
        sent_filters, row_filter = read_filters(self._service, name, filters or {})

        def fetch(at: str | None) -> RawPage:
            params = form.query(limit, at, sent_filters)
            return self._read_response(self._request_page(name, params, options)).page(form)

        translate = partial(self._translation.translate_answer, kind.__name__)

        def read(row: dict[str, Any]) -> R:
            return resource_of(kind, row, self._translation, self._place)

        statuses = STATUSES[name](self._service.statuses) if name in STATUSES else ()
        pager = paging.Pager(
            fetch, read, cursor, place=self._place, named=translate, kind=name, declared=statuses
        )
        return pager.keep_rows(row_filter, self.order(name)) if row_filter else pager

    def row(self, name: str, id: str, options: Options) -> Response:
        """One object of a list, as a response; NotFoundError if it is not there."""
        form = self._service.list(name)
        responses = list[Response]()

        def fetch(cursor: str | None) -> RawPage:
            params = form.query(form.max_limit, cursor, None)
            responses.append(self._read_response(self._request_page(name, params, options)))
            return responses[-1].page(form)

        matching_row = next((row for row in paging.Pager(fetch, dict) if row.get("id") == id), None)
        if matching_row is None:
            raise NotFoundError(404, f"the list of {name} has no row with the id {id}")
        return replace(responses[-1], body=matching_row)

    def page_as_sent(
        self, name: str, limit: int, cursor: str | None, filters: Mapping[str, object] | None = None
    ) -> bytes:
        """A page of a list in the envelope and with the names of the spec, its values as sent."""
        form = self._service.list(name)
        attempt = self._request_page(name, form.query(limit, cursor, filters))
        if is_as_specified(attempt.exchange.content, form, self._translation):
            return attempt.exchange.content
        return put_in_envelope(self._read_response(attempt).named_page(form))
