"""Webhook subscriptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Unpack

from ...errors.arguments import explain_arguments
from ...errors.names import with_name_suggestions
from ...rules import webhooks as rules
from ...spec import codes
from ...spec.models import WebhookSubscription
from ...spec.paging import Pager
from ..identifiers import check_identifier
from ..parameters import build_body, raise_or_warn, strict_keywords
from ..request import Options
from .resource_session import ResourceSession


@with_name_suggestions
@explain_arguments
class WebhookSubscriptions:
    """The URLs that receive the organization's events."""

    def __init__(self, session: ResourceSession) -> None:
        """`session` sends the requests."""
        self._session = session

    @strict_keywords(Options)
    def create(
        self,
        url: str,
        event_types: Iterable[codes.EventType | str],
        *,
        extra: Mapping[str, object] | None = None,
        **options: Unpack[Options],
    ) -> WebhookSubscription:
        """Subscribe a URL to event types.

        >>> made = lab.webhook_subscriptions.create(
        ...     "https://hooks.example.com/in", ["transfer.completed"]
        ... )
        >>> made.is_active
        True
        """
        # A text is not a list of letters; the rules report values that are not lists.
        is_list = not isinstance(event_types, str) and isinstance(event_types, Iterable)
        event_types = list(event_types) if is_list else event_types
        body = build_body(
            "webhook_subscriptions.create",
            extra,
            url=url,
            event_types=event_types,
        )
        raise_or_warn(rules.check(body, self._session.service))
        response = self._session.call("webhook_subscriptions.create", body, **options)
        return response.read(WebhookSubscription)

    @strict_keywords(Options)
    def list(self, **options: Unpack[Options]) -> Pager[WebhookSubscription]:
        """List all subscriptions.

        >>> [each.url for each in lab.webhook_subscriptions.list()]
        ['https://hooks.example.com/first']
        """
        return self._session.lists.pager("webhook_subscriptions", WebhookSubscription, options)

    @strict_keywords(Options)
    def get(self, id: WebhookSubscription | str, **options: Unpack[Options]) -> WebhookSubscription:
        """Read one subscription.

        >>> lab.webhook_subscriptions.get(subscription).url
        'https://hooks.example.com/first'
        """
        return self._session.read("webhook_subscriptions.get", id, WebhookSubscription, options)

    @strict_keywords(Options)
    def delete(self, id: WebhookSubscription | str, **options: Unpack[Options]) -> None:
        """End a subscription.

        >>> lab.webhook_subscriptions.delete(subscription)
        """
        path_ids = {"id": check_identifier(id, kind="WebhookSubscription")}
        response = self._session.call(
            "webhook_subscriptions.delete", parts=path_ids, any_answer=True, **options
        )
        response.refuse_error_body()
