"""A form that makes a payment, and the inputs of every payment.

An equal order is paid once, and "Send another" pays again.
"""

from __future__ import annotations

from typing import Any

from ...spec.service.service import Service
from ...spec.text import JsonObject
from .field import SELECT, FormField
from .form import Form


class OrderForm(Form):
    """The base of forms whose button creates a payment.

    A form that was sent sends nothing more. `prepare_another()`, its button "Send another", makes
    the next one another payment, even with equal values: its name is the id of the last one
    (`new="tr_1"`), so that it is paid once however often you click.
    """

    USER_NAMES = (*Form.USER_NAMES, "prepare_another")

    last_payment_id = ""
    """The id of the last payment if the next one is another payment, otherwise empty."""
    again_text = "Send another"
    again_name = "prepare_another"
    repeated_title = "An equal order was made before: nothing new was created"
    another_note = (
        "Nothing is sent yet. The next payment is made in addition to {}, even if it is the same."
    )
    """What the form shows after `prepare_another`, with the id of the last payment."""

    @property
    def order_options(self) -> JsonObject:
        """The options of the call besides its fields."""
        return {"new": self.last_payment_id} if self.last_payment_id else {}

    def _send(self, values: JsonObject) -> Any:
        """Send the order; another payment after `prepare_another`."""
        return self._create(**values, **self.order_options)

    def prepare_another(self) -> None:
        """Keep the values for another payment; nothing is sent by this.

        >>> lab.forms.transfer(recipient).prepare_another()
        """
        result_id = str(getattr(self.result, "id", ""))
        if result_id:
            self.last_payment_id = result_id
        self._forget_result()
        self.handle_change()
        self.update_saved()
        if self.last_payment_id:
            self.controls.show_note(self.another_note.format(self.last_payment_id))
        self.redraw(self.controls.message if self.last_payment_id else self.heading)

    def restart(self) -> None:
        """Begin an empty form; an order that equals an earlier one is not paid again."""
        self.last_payment_id = ""
        super().restart()

    def finish(self, result: object) -> None:
        """Show the payment, and whether it was made before."""
        was_made_before = self._was_made_before(result)
        self.sent_title = self.repeated_title if was_made_before else type(self).sent_title
        super().finish(result)

    def _was_made_before(self, result: object) -> bool:
        """Whether the service had the payment already."""
        return bool(getattr(result, "replayed", False))


FUNDING_OPTIONS = [("From the prefunded balance", ""), ("By a deposit of stablecoin", "deposit")]
"""The default is not sent, so that a form and a call without `source_type` are the same order."""


def make_reference_field(service: Service | None, example: str = "") -> FormField:
    """Make the input of your reference; `example` is filled in if the service requires one."""
    transfer_settings = (service or Service()).transfers
    hint_text = f"At most {transfer_settings.max_reference} characters."
    reference_field = FormField("client_reference_id", "Your reference", hint=hint_text)
    reference_field.set_required(False)
    reference_field.set_value(example if reference_field.name in transfer_settings.required else "")
    return reference_field


def make_funding_field() -> FormField:
    """Make the input of what pays for a transfer: the prefunded balance, or a deposit."""
    return FormField("source_type", "Paid for", SELECT, options=FUNDING_OPTIONS)
