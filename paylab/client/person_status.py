"""The status of an individual in words: its reasons, and what to do next."""

from __future__ import annotations

from ..spec.models import Individual, StatusDetail
from ..spec.text import plain


def find_next_step(individual: Individual | None) -> str | None:
    """What an individual needs, and the call that sends it; None if nobody can do anything."""
    if individual is None or individual.status not in ("action_required", "rejected"):
        return None
    reasons_text = describe_reasons(individual) or "the service gives no reason"
    if individual.status == "rejected":
        return f"{reasons_text}; this status is final, and nothing can be sent again"
    id_text = repr(plain(str(individual.id), 60))
    if "verification_token_needed" in reasons_text:
        return f"{reasons_text}; next: lab.individuals.submit_token({id_text}, ...)"
    return (
        f"{reasons_text}; next: lab.individuals.upload_images({id_text}, images), or the form "
        f"lab.forms.images({id_text})"
    )


def explain_inactive(individual: Individual) -> str:
    """Why an individual cannot have a conversion account yet, and what to do; "" for an active one.

    By the specification, a conversion account requires that the individual is active.
    """
    status_text = plain(str(individual.status), 60)
    if status_text == "active":
        return ""
    next_step = find_next_step(individual) or _NEXT.get(status_text, "")
    need_text = f"The person is {status_text}, and a conversion account needs an active one"
    return f"{need_text}: {next_step}" if next_step else need_text


def describe_reasons(individual: Individual) -> str:
    """The codes and messages of an individual's status details; empty without any."""
    status_details = [
        detail for detail in individual.status_details or () if isinstance(detail, StatusDetail)
    ]
    return ", ".join(plain(f"{detail.code} ({detail.message})") for detail in status_details)


def describe_status(individual: Individual) -> str:
    """An individual's status with the reasons for it, and what to do next, as a sentence."""
    reasons_text = describe_reasons(individual)
    because_text = f", because of {reasons_text}" if reasons_text else ""
    status_text = plain(str(individual.status))
    return f"its status is {status_text}{because_text}: {_NEXT.get(status_text, _SEE)}"


_SEE = "images and tokens are accepted only in action_required"
_NEXT = {
    "action_required": "send what is requested, or try again later",
    "active": "it is verified, and nothing needs to be sent",
    "rejected": "this status is final, and nothing can be sent again",
    "pending": "wait for the outcome with lab.individuals.wait(id)",
    "under_review": "wait for the decision with lab.individuals.wait(id)",
}
