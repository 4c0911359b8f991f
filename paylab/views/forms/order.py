"""A form that makes a payment: an equal order is paid once, and "Send another" pays again."""

from __future__ import annotations

from typing import Any

from .form import Form


class OrderForm(Form):
    """The base of forms whose button creates a payment.

    A form that was sent sends nothing more. `restart()`, its button "Send another", makes the next
    one another payment, even with equal values: its name is the id of the last one
    (`new="tr_1"`), so that it is paid once however often you click.
    """

    after = ""
    """The id of the last payment, if another one is meant."""
    again_text = "Send another"
    made_before = "An equal order was made before: nothing new was created"

    @property
    def more(self) -> dict[str, Any]:
        """The options of the call besides its fields."""
        return {"new": self.after} if self.after else {}

    def _send(self, values: dict[str, Any]) -> Any:
        """Send the order; another payment after `restart`."""
        return self._create(**values, **self.more)

    def restart(self) -> None:
        """Reset the form so that it sends another payment."""
        self.after = str(getattr(self.result, "id", "")) or self.after
        super().restart()

    def _clear(self) -> None:
        """Keep the values: the next payment mostly differs in one of them."""

    def finish(self, result: Any) -> None:
        """Show the payment, and whether it was made before."""
        is_old = getattr(result, "replayed", False)
        self.sent_title = self.made_before if is_old else type(self).sent_title
        super().finish(result)
