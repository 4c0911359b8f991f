"""Webhook subscriptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from ...errors.arguments import explain_arguments
from ...errors.names import suggesting
from ...rules import webhooks as rules
from ...spec.models import WebhookSubscription
from ...spec.paging import Pager
from ..parameters import body_of, check_identifier, judge, takes
from ..request import Options
from ..sender import Sender


@explain_arguments
@suggesting
class WebhookSubscriptions:
    """The URLs that receive the organization's events."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @takes(Options)
    def create(
        self,
        url: str,
        event_types: Iterable[str],
        *,
        extra: Mapping[str, Any] | None = None,
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
        listed = not isinstance(event_types, str) and isinstance(event_types, Iterable)
        event_types = list(event_types) if listed else event_types
        body = body_of("webhook_subscriptions.create", locals(), extra)
        judge(rules.check(body, self._sender.service))
        answer = self._sender.call("webhook_subscriptions.create", body, **options)
        return answer.read(WebhookSubscription)

    @takes(Options)
    def list(self, **options: Unpack[Options]) -> Pager[WebhookSubscription]:
        """List all subscriptions.

        >>> [each.url for each in lab.webhook_subscriptions.list()]
        ['https://hooks.example.com/first']
        """
        return self._sender.pager("webhook_subscriptions", WebhookSubscription, options)

    @takes(Options)
    def get(self, id: WebhookSubscription | str, **options: Unpack[Options]) -> WebhookSubscription:
        """Read one subscription.

        >>> lab.webhook_subscriptions.get(subscription).url
        'https://hooks.example.com/first'
        """
        return self._sender.read("webhook_subscriptions.get", id, WebhookSubscription, options)

    @takes(Options)
    def delete(self, id: WebhookSubscription | str, **options: Unpack[Options]) -> None:
        """End a subscription.

        >>> lab.webhook_subscriptions.delete(subscription)
        """
        parts = {"id": check_identifier(id)}
        remove = "webhook_subscriptions.delete"
        self._sender.call(remove, parts=parts, any_body=True, **options).done()
