"""The lists of a service: their pages as sent, their objects, and one row of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ..errors.api import NotFoundError
from ..spec import paging
from ..spec.page import RawPage
from ..spec.row_filter import SENT, RowFilter, check_product, read_row_filter
from ..spec.service.lists import Order
from ..spec.service.service import Service
from ..spec.service.statuses import STATUSES
from ..spec.text import JsonObject
from ..spec.translation import Translation
from .identifiers import describe_other_kind
from .request import Options, OutgoingRequest
from .request_builder import RequestBuilder
from .response import R, Response, build_resource, is_in_spec_envelope, put_in_envelope

if TYPE_CHECKING:
    from .exchange import Attempt


def read_filters(
    service: Service, list_name: str, filters: Mapping[str, object]
) -> tuple[dict[str, object], RowFilter]:
    """The filters of a list that the service applies, and a row filter of the others.

    `list_name` is such as `transfers`; in that list, `product_type` is sent to the service.
    """
    sent_filters = {
        filter_name: filters.get(filter_name) for filter_name in SENT.get(list_name, ())
    }
    check_product(sent_filters.get("product_type"))
    local_filters = {
        filter_name: filter_value
        for filter_name, filter_value in filters.items()
        if filter_name not in sent_filters
    }
    declared_statuses = STATUSES[list_name](service.statuses) if list_name in STATUSES else ()
    return sent_filters, read_row_filter(list_name, local_filters, declared_statuses)


class Lists:
    """Reads the lists of a service.

    `deliver` sends a request, `read_response` reads its response, and `place` names the service.
    `is_own` is whether it is our own simulator, whose lists certainly have the order of its
    settings; of another service only a declared order is trusted.
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
        """Read lists in the names of `translation`."""
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
        """Ask for one page of a list."""
        request = self._requests.operation(f"{list_name}.list", params=params, options=options)
        return self._deliver(request)

    def order(self, name: str) -> Order:
        """The order of a list, such as "newest_first"; "unknown" if nothing declares it."""
        if self._is_own:
            return self._service.list(name).order
        return self._service.declared_order(name)

    def pager(  # noqa: PLR0913 - what is listed, and how it is asked for
        self,
        name: str,
        model: type[R],
        options: Options,
        limit: int | None = None,
        cursor: str | None = None,
        filters: Mapping[str, object] | None = None,
    ) -> paging.Pager[R]:
        """A list that is fetched while you iterate, with the rows that the filters keep.

        The filters that the service applies itself are sent with every cursor.
        """
        list_form = self._service.list(name)
        sent_filters, row_filter = read_filters(self._service, name, filters or {})

        def fetch_page(page_cursor: str | None) -> RawPage:
            """The page at a cursor; the first page for None."""
            params = list_form.query(limit, page_cursor, sent_filters)
            page_request = self._request_page(name, params, options)
            return self._read_response(page_request).page(list_form)

        def read_row(row: JsonObject) -> R:
            """The object of a row."""
            return build_resource(model, row, self._translation.translate_answer, self._place)

        pager = paging.Pager(
            fetch_page,
            read_row,
            cursor,
            describe_place=self._place,
            to_our_names=partial(self._translation.translate_answer, model.__name__),
            list_name=name,
            declared_statuses=STATUSES[name](self._service.statuses) if name in STATUSES else (),
            page_size=limit,
        )
        return pager.keep_rows(row_filter, self.order(name)) if row_filter else pager

    def find_row(self, name: str, id: str, options: Options) -> Response:
        """The response of the page with an object, with the object as its body.

        NotFoundError if the list does not have it.
        """
        list_form = self._service.list(name)
        page_responses = list[Response]()

        def fetch_page(cursor: str | None) -> RawPage:
            """The page at a cursor; its response is added to `page_responses`."""
            params = list_form.query(list_form.max_limit, cursor, None)
            page_responses.append(self._read_response(self._request_page(name, params, options)))
            return page_responses[-1].page(list_form)

        rows = paging.Pager(fetch_page, dict)
        matching_row = next((row for row in rows if row.get("id") == id), None)
        if matching_row is None:
            message = f"the list of {name} has no row with the id {id}"
            object_name = name.removesuffix("s")
            raise NotFoundError(404, message, hint=describe_other_kind(id, object_name) or None)
        return replace(page_responses[-1], body=matching_row)

    def page_as_sent(
        self, name: str, limit: int, cursor: str | None, filters: Mapping[str, object] | None = None
    ) -> bytes:
        """A page of a list in the envelope and with the names of the spec, its values as sent."""
        list_form = self._service.list(name)
        attempt = self._request_page(name, list_form.query(limit, cursor, filters))
        content = attempt.exchange.content
        renames_rows = self._translation.renames_rows_of(name)
        if not renames_rows and is_in_spec_envelope(content, list_form):
            return content
        return put_in_envelope(self._read_response(attempt).translate_page(list_form))
