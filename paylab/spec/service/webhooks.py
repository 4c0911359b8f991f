"""Deliveries of webhooks."""

from __future__ import annotations

from typing import Annotated, Literal

from ...light_dataclass import light_dataclass
from .setting import Setting
from .value_types import (
    DeliveryHeaderName,
    IntegerLimit,
    IntegerListLimit,
    OptionalPlace,
    Place,
    Words,
    WordsLimit,
)


@light_dataclass(frozen=True)
class WebhookSettings:
    """What a delivery has, how it is signed and repeated."""

    event_types: Annotated[
        Words,
        WordsLimit(),
        Setting(
            "Which event types are there besides those of the interface description?",
            row="codes.new",
            origin="spec",
            others=(("transfer.cancelled",),),
        ),
    ] = ()
    signature_header: Annotated[
        DeliveryHeaderName,
        Setting(
            "Which header of a delivery holds its signature, if it is signed?",
            row="webhook.delivery",
            others=("X-Webhook-Signature", "X-Signature"),
        ),
    ] = "none"
    delays: Annotated[
        tuple[int, ...],
        IntegerListLimit(0, 604800),
        Setting(
            "After how many seconds is a failed delivery tried again, each time?",
            row="webhook.delivery",
            others=((1, 2), (10, 60, 600, 3600)),
        ),
    ] = (5, 30, 300)
    order: Annotated[
        Literal["independent", "in_order"],
        Setting(
            "Is a failed delivery tried again by itself, or do the later events of its resource "
            "wait for it (in_order)?",
            row="webhook.order",
            others=("in_order",),
        ),
    ] = "independent"
    timeout: Annotated[
        int,
        IntegerLimit(1, 300),
        Setting(
            "Within how many seconds must a receiver answer?",
            row="webhook.delivery",
            others=(5, 30),
        ),
    ] = 10
    id_field: Annotated[
        OptionalPlace,
        Setting(
            "Under which key of a delivery does the id of the event stand, if it has one?",
            row="webhook.identity",
            others=("id", "event_id"),
        ),
    ] = "none"
    type_field: Annotated[
        Place,
        Setting(
            "Under which key of a delivery does the event type stand (dots step into objects)?",
            row="webhook.wrapper",
            origin="spec",
            others=("type", "event.type"),
        ),
    ] = "event_type"
    payload_field: Annotated[
        Place,
        Setting(
            "Under which key of a delivery does the snapshot of the resource stand?",
            row="webhook.wrapper",
            origin="spec",
            others=("data", "event.data"),
        ),
    ] = "event_payload"
