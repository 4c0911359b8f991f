"""Objects by their id, and the objects that each leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from ..client.client import Client
from ..client.identifiers import PREFIXES
from ..errors.api import NotFoundError
from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, MissingOperationError
from ..errors.refusals import complete
from ..errors.type_words import with_article
from ..spec.models import (
    Conversion,
    ConversionAccount,
    FinancialAccount,
    Individual,
    Transfer,
    WebhookSubscription,
)
from ..spec.resource import Resource

if TYPE_CHECKING:
    from ..views.forms.objects import ObjectPage
    from ..webhooks.event import Event

ID_PREFIX_BY_KIND = {
    kind: prefix for kind, prefix in PREFIXES.items() if kind not in ("deposit", "quote")
}
"""The kinds of objects that can be read by id, and how their ids usually begin."""
READABLE = (
    Individual,
    Transfer,
    Conversion,
    ConversionAccount,
    FinancialAccount,
    WebhookSubscription,
)
"""The models of these kinds."""
LINKS_MAX = 20
"""The largest number of objects in one list of links."""

Link = tuple[str, str]
"""A line of a list: the id of the object that it opens ("" for none), and its text."""
Links = Mapping[str, Callable[[], list[Link]]]
"""Functions that read lists of links, by the title of the list."""


@explain_arguments
class ObjectBrowser:
    """Reads objects by id, and the `events` of each; `describe_place` names the service."""

    def __init__(
        self,
        client: Client,
        describe_place: Callable[[], str],
        events: Callable[[str], Iterable[Event]],
    ) -> None:
        """Keep the function that reads each kind of object by its id."""
        self._client = client
        self._describe_place = describe_place
        self._events = events
        self._readers: Mapping[str, Callable[[str], Resource]] = {
            "individual": client.individuals.get,
            "transfer": client.transfers.get,
            "conversion": client.conversions.get,
            "conversion account": client.conversion_accounts.get,
            "financial account": self._find_account,
            "webhook subscription": client.webhook_subscriptions.get,
        }

    def open(self, object_id: Resource | str) -> ObjectPage:
        """A card of the object with this id. Each other id in it opens its object.

        >>> lab.open(transfer.id).resource == transfer
        True
        """
        from ..views.forms.objects import ObjectPage

        if isinstance(object_id, Resource) and not isinstance(object_id, READABLE):
            type_name = with_article(type(object_id).__name__)
            raise ArgumentError(
                f"the service cannot read {type_name} by its id: display it instead"
            )
        id_text = object_id if isinstance(object_id, str) else str(getattr(object_id, "id", ""))
        if not id_text.strip():
            raise ArgumentError("open takes the id of an object, such as conv_01…, or the object")
        page = ObjectPage(self.read, self._find_links)
        page.open(id_text.strip())
        page.show_service_name(self._describe_place())
        complete(page)
        return page

    def visit(self, object_id: str) -> ObjectPage:
        """The card of an object after a click on its id; an error is shown in the card."""
        from ..views.forms.objects import ObjectPage

        page = ObjectPage(self.read, self._find_links)
        page.visit(object_id)
        return page

    def read(self, object_id: str) -> Resource:
        """The object with an id; NotFoundError names the kinds that were looked through."""
        resource_kinds = [
            resource_kind
            for resource_kind, id_prefix in ID_PREFIX_BY_KIND.items()
            if object_id.startswith(id_prefix)
        ]
        resource_kinds = resource_kinds or [*ID_PREFIX_BY_KIND]
        for resource_kind in resource_kinds:
            with suppress(NotFoundError, MissingOperationError):
                return self._readers[resource_kind](object_id)
        message = f"no {' or '.join(resource_kinds)} has this id: {object_id[:60]!a}"
        raise NotFoundError(404, message)

    def _find_account(self, account_id: str) -> FinancialAccount:
        """Find a financial account among those of all individuals; NotFoundError if there is none.

        The service cannot read one by its id.
        """
        for person in self._client.individuals.list():
            for account in person.financial_accounts or []:
                if isinstance(account, FinancialAccount) and account.id == account_id:
                    return account
        raise NotFoundError(404, f"no individual has this account: {account_id[:60]!a}")

    def _find_links(self, resource: Resource) -> Links:
        """The lists of objects that a resource leads to; each is read when its title is opened."""
        client = self._client
        object_id = str(getattr(resource, "id", ""))
        links_by_title: dict[str, Callable[[], list[Link]]] = {}
        if isinstance(resource, Individual):
            links_by_title["Conversion accounts"] = lambda: _make_links(
                client.conversion_accounts.list(individual_id=object_id)
            )
            links_by_title["Conversions"] = lambda: _make_links(
                client.conversions.list(individual_id=object_id)
            )
            links_by_title["Transfers"] = lambda: _make_links(
                client.transfers.list(individual_id=object_id)
            )
        if isinstance(resource, ConversionAccount):
            links_by_title["Deposits and their conversions"] = lambda: _make_links(
                client.conversions.list(conversion_account_id=object_id)
            )
        if isinstance(resource, Individual | Conversion | Transfer):
            links_by_title["Events"] = lambda: _make_event_lines(self._events(object_id))
        return links_by_title


def _make_links(resources: Iterable[Resource]) -> list[Link]:
    """A link to each of the first objects, with its status and its deposit if it has one."""
    links = []
    for resource in islice(resources, LINKS_MAX):
        object_id = str(getattr(resource, "id", ""))
        status = str(getattr(resource, "status", None) or "")
        deposit = getattr(resource, "deposit", None)
        link_text_parts = [status]
        if deposit is not None:
            link_text_parts.append(f"deposit of {deposit.amount} {deposit.currency}")
        links.append((object_id, ", ".join(filter(None, link_text_parts))))
    return links


def _make_event_lines(events: Iterable[Event]) -> list[Link]:
    """A line without a link for each event, oldest first: its time, type and status.

    A time or a status that the event does not have is left out.
    """
    event_lines = []
    for event in events:
        time_text = f"{event.updated_at:%Y-%m-%d %H:%M:%S} UTC" if event.updated_at else ""
        event_facts = (time_text, event.type, event.status)
        event_lines.append(("", "  ".join(filter(None, event_facts))))
    return event_lines
