"""The special values of the simulator: the spec says there are some, and does not show them."""

from __future__ import annotations

from .row import Scenario

_FAMILY_NAME = "individual, family_name"
_SENDER = "deposit, sender_name"
_TRANSFER = "transfer, client_reference_id"
_TRANSFER_STATUSES = ("failed", "expired", "under_review", "cancelled")

SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        _FAMILY_NAME,
        "the words of a status detail code, e.g. Verification Image Blurry",
        "verification ends with that code: rejected when it is terminal, else action_required",
    ),
    Scenario(_FAMILY_NAME, "Under Review", "stays under_review until decided"),
    Scenario(_FAMILY_NAME, "anything else", "active"),
    Scenario(_SENDER, "", "held for review (pending)"),
    Scenario(_SENDER, "Scenario Failed", "conversion.failed"),
    *(
        Scenario(
            _TRANSFER,
            f"scenario:{status}",
            f"{status}; anything may follow after a second colon, to keep references unique",
        )
        for status in _TRANSFER_STATUSES
    ),
    Scenario("conversion account, client_reference_id", "scenario:slow", "provisioning takes 30 s"),
)
