"""What the resources use of a session: their operations and lists, the time, and notices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, Unpack

if TYPE_CHECKING:
    from ...spec.paging import Pager
    from ...spec.service.lists import Order
    from ...spec.service.service import Service
    from ...spec.text import JsonObject
    from ..request import Options, StreamedBody
    from ..response import R, Response


class ResourceLists(Protocol):
    """The part of `Lists` that resources use."""

    def order(self, name: str) -> Order:
        """The order of a list."""

    def pager(  # noqa: PLR0913 - what is listed, and how it is asked for
        self,
        name: str,
        model: type[R],
        options: Options,
        limit: int | None = None,
        cursor: str | None = None,
        filters: Mapping[str, object] | None = None,
    ) -> Pager[R]:
        """A list that is fetched while you iterate, with the rows that the filters keep."""


class ResourceSession(Protocol):
    """The part of `Session` that resources use."""

    clock: Callable[[], datetime]
    sleep: Callable[[float], None]
    wait_shown: Callable[[], AbstractContextManager[Callable[[str], None]]]
    show_notice: Callable[[str], None]

    @property
    def service(self) -> Service:
        """The settings of the service."""

    @property
    def lists(self) -> ResourceLists:
        """The lists of the service."""

    def call(
        self,
        operation: str,
        body: JsonObject | StreamedBody | None = None,
        *,
        params: Mapping[str, object] | None = None,
        parts: Mapping[str, str] | None = None,
        any_answer: bool = False,
        **options: Unpack[Options],
    ) -> Response:
        """Carry out an operation of the service, with a body in our names."""

    def read(self, operation: str, id: object, model: type[R], options: Options) -> R:
        """An object of the service by its id, or by an object that has one."""
