"""Individuals, their verification, and their financial accounts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from ... import codes
from ...errors import PaylabError, UnprocessableError
from ...models import FinancialAccount, Individual, StatusDetail, VerificationImages
from ...paging import Pager
from ...rules import accounts, individuals
from ...status import INDIVIDUAL
from .. import wire
from ..http import Sender
from ..plain import plain
from ..upload import Images, Upload
from .listing import pager
from .waiting import EVERY, TIMEOUT, Patience, Until

# Where verification comes to rest; under_review is still being decided.
SETTLED = ("active", "rejected", "action_required")

FIELDS = (
    *("product_types", "given_name", "family_name", "country", "email", "phone", "date_of_birth"),
    *("address", "document", "idv_consent_recorded_at", "financial_accounts"),
)


class Individuals:
    """End users and recipients."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def create(self, **fields: Any) -> Individual:
        """Create an individual from the spec's fields.

        product_types, given_name, family_name, country, email, phone, date_of_birth, address,
        document, idv_consent_recorded_at, financial_accounts.
        """
        body = wire.fields(fields, FIELDS)
        wire.refuse(individuals.check(body))
        wire.caution(individuals.mistyped(body))
        return self._sender.send("POST", wire.path("individuals"), json=body).read(Individual)

    def get(self, id: str) -> Individual:  # noqa: A002 - the service's word
        """Read one individual."""
        return self._sender.send("GET", wire.path("individuals", id)).read(Individual)

    def list(self, limit: int | None = None, cursor: str | None = None) -> Pager[Individual]:
        """List individuals, newest first."""
        path = wire.path("individuals")
        return pager(self._sender, path, Individual, {"limit": limit}, cursor)

    def upload_images(self, id: str, images: Images) -> VerificationImages:  # noqa: A002
        """Upload images by side: bytes, a path, an open binary file or a data URI each.

        Other sides stay. Images are read in pieces, twice: to hash the body and to send it.
        """
        path = wire.path("individuals", id, "verification_images")
        with self._explaining(id):
            return self._sender.upload(path, Upload(images)).read(VerificationImages)

    def images(self, id: str) -> VerificationImages:  # noqa: A002
        """Read back what is known of the stored images."""
        path = wire.path("individuals", id, "verification_images")
        return self._sender.send("GET", path).read(VerificationImages)

    def submit_token(
        self,
        id: str,  # noqa: A002
        token: str,
        applicant_id: str,
        partner_terms_accepted_at: datetime | str,
        provider: str = codes.IDV_PROVIDER,
    ) -> Individual:
        """Submit a share token of the external identity-verification provider."""
        path = wire.path("individuals", id, "verification_token")
        given = {
            "provider": provider,
            "token": token,
            "applicant_id": applicant_id,
            "partner_terms_accepted_at": partner_terms_accepted_at,
        }
        body = wire.fields(given)
        wire.refuse(individuals.check_token(body))
        with self._explaining(id):
            return self._sender.send("POST", path, json=body).read(Individual)

    @contextmanager
    def _explaining(self, id: str) -> Iterator[None]:  # noqa: A002
        """Let a 422 say which status the individual has, and why."""
        try:
            yield
        except UnprocessableError as error:
            with suppress(PaylabError):
                error.hint = _standing(self.get(id))
            raise

    def wait(
        self,
        id: str,  # noqa: A002
        until: Until = SETTLED,
        timeout: float = TIMEOUT,
        every: float = EVERY,
    ) -> Individual:
        """Ask again until verification has come to rest, or until `until` holds."""
        patience = Patience(self._sender.sleep, timeout, every)
        return patience.poll(lambda: self.get(id), until, "the individual", INDIVIDUAL.final)


def _standing(individual: Individual) -> str:
    """An individual's status and what the service says of it, and what to do then."""
    details = [each for each in individual.status_details or () if isinstance(each, StatusDetail)]
    reasons = ", ".join(plain(f"{each.code} ({each.message})") for each in details)
    because = f", because of {reasons}" if reasons else ""
    status = plain(str(individual.status))
    return f"its status is {status}{because}: {_NEXT.get(status, _SEE)}"


_SEE = "what is sent counts only in action_required"
_NEXT = {
    "action_required": "send what is asked for, or try again later",
    "active": "it is verified, and nothing needs to be sent",
    "rejected": "this is final, and nothing can be sent again",
    "pending": "lab.individuals.wait(id) waits for the outcome of what was sent before",
    "under_review": "somebody is deciding; lab.individuals.wait(id) waits for it",
}


class FinancialAccounts:
    """Payout destinations and crypto wallets of individuals."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def create(self, individual_id: str, type: str, details: Any) -> FinancialAccount:  # noqa: A002
        """Add an account to an individual."""
        body = wire.fields({"individual_id": individual_id, "type": type, "details": details})
        wire.refuse(accounts.check(body))
        wire.caution(accounts.warn(None, type, body["details"]))
        path = wire.path("financial_accounts")
        return self._sender.send("POST", path, json=body).read(FinancialAccount)

    def update(self, id: str, details: Any) -> FinancialAccount:  # noqa: A002
        """Replace the details of an account; a crypto_wallet cannot be changed."""
        path = wire.path("financial_accounts", id)
        body = wire.fields({"details": details})
        return self._sender.send("POST", path, json=body).read(FinancialAccount)
