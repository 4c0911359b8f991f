"""Individuals, their verification, and their financial accounts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime
from typing import Any, Unpack

from ...errors.api import UnprocessableError
from ...errors.arguments import explain_arguments
from ...errors.base import PaylabError, WaitTimeoutError
from ...errors.names import with_name_suggestions
from ...rules import accounts, individuals
from ...rules.detail_names import find_unknown_names
from ...spec import codes
from ...spec.models import (
    Address,
    Document,
    FinancialAccount,
    Individual,
    VerificationImages,
)
from ...spec.paging import Pager
from ...spec.status import INDIVIDUAL
from ..identifiers import check_identifier, read_field
from ..parameters import build_body, merge_extra, raise_or_warn, strict_keywords
from ..person_fields import describe_fields
from ..person_status import describe_status, find_next_step
from ..request import Options
from ..upload import Images, Upload
from . import operations
from .operations import POLL_SECONDS, WAIT_SECONDS, Poller, Until
from .resource_session import ResourceSession

# Statuses that end the wait; under_review is not decided yet.
SETTLED = ("active", "rejected", "action_required")


@with_name_suggestions
@explain_arguments
class Individuals:
    """End users and recipients."""

    def __init__(self, session: ResourceSession) -> None:
        """`session` sends the requests."""
        self._session = session

    @strict_keywords(Options)
    def create(  # noqa: PLR0913 - a field each
        self,
        *,
        product_types: Sequence[codes.Product | str] | None = None,
        given_name: str | None = None,
        family_name: str | None = None,
        country: codes.Country | str | None = None,
        email: str | None = None,
        phone: str | None = None,
        date_of_birth: date | str | None = None,
        address: Address | Mapping[str, Any] | None = None,
        document: Document | Mapping[str, Any] | None = None,
        idv_consent_recorded_at: datetime | str | None = None,
        financial_accounts: Sequence[Mapping[str, Any]] | None = None,
        extra: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> Individual:
        """Create an individual; `extra` sends fields that paylab does not know.

        >>> body = examples.individual("MX", consent_at=lab.clock())
        >>> lab.individuals.create(**body).status
        'action_required'
        """
        fields = build_body(
            "individuals.create",
            product_types=product_types,
            given_name=given_name,
            family_name=family_name,
            country=country,
            email=email,
            phone=phone,
            date_of_birth=date_of_birth,
            address=address,
            document=document,
            idv_consent_recorded_at=idv_consent_recorded_at,
            financial_accounts=financial_accounts,
        )
        service = self._session.service
        # Before `extra` is merged in: that may have fields which paylab does not know.
        operations.check_individual(fields, service)
        body = merge_extra(fields, extra)
        doubts = [
            *individuals.find_typos(body, service),
            *individuals.find_implausible(body, self._session.clock()),
        ]
        problems = individuals.check(body, service)
        raise_or_warn(problems, doubts, describe_fields(body, problems))
        response = self._session.call("individuals.create", body, **options)
        return response.read(Individual)

    @strict_keywords(Options)
    def get(self, id: Individual | str, **options: Unpack[Options]) -> Individual:
        """Read one individual.

        >>> lab.individuals.get(person.id).country
        'MX'
        """
        return self._session.read("individuals.get", id, Individual, options)

    @strict_keywords(Options)
    def list(  # noqa: PLR0913 - a filter each
        self,
        limit: int | None = None,
        cursor: str | None = None,
        *,
        status: codes.IndividualStatus | str | Collection[str] | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        product_type: codes.Product | str | None = None,
        **options: Unpack[Options],
    ) -> Pager[Individual]:
        """List all individuals, in pages of `limit`; `list()[:5]` are the first five.

        `status`, `since` and `until` (the times of creation from which and before which) and
        `product_type` are applied while the list is read.

        >>> lab.individuals.list(status="active").filter(country="PH")[0].status
        'active'
        """
        operations.check_limit(limit, self._session.service.list("individuals"))
        filters = {
            "status": status,
            "since": since,
            "until": until,
            "product_type": product_type,
        }
        return self._session.lists.pager("individuals", Individual, options, limit, cursor, filters)

    @strict_keywords(Options)
    def upload_images(
        self, id: Individual | str, images: Images, **options: Unpack[Options]
    ) -> VerificationImages:
        """Upload images by side: bytes, a path, an open binary file or a data URI each.

        Other sides stay. Images are read in blocks, twice: to hash the body and to send it.

        >>> lab.individuals.upload_images(draft, {"selfie": "selfie.jpg"}).images[0].type
        'selfie'
        """
        path_ids = {"id": check_identifier(id, kind="Individual")}
        upload = Upload(images, self._session.service)
        with self._explain_status(id):
            response = self._session.call(
                "individuals.upload_images", upload, parts=path_ids, **options
            )
        return response.read(VerificationImages)

    @strict_keywords(Options)
    def images(self, id: Individual | str, **options: Unpack[Options]) -> VerificationImages:
        """Read the metadata of the stored images.

        >>> lab.individuals.images(person).individual_id == person.id
        True
        """
        return self._session.read("individuals.images", id, VerificationImages, options)

    @strict_keywords(Options)
    def submit_token(  # noqa: PLR0913 - a field each
        self,
        id: Individual | str,
        token: str,
        applicant_id: str,
        partner_terms_accepted_at: datetime | str,
        provider: str | None = None,
        *,
        extra: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> Individual:
        """Submit a share token of the external identity-verification provider.

        `provider` defaults to the one in the service's settings. A response without a body is a
        success; the individual then has only its id.

        >>> lab.individuals.submit_token(
        ...     person, "share-token", "applicant-1", lab.clock()
        ... )  # doctest: +SKIP
        """
        individual_id = check_identifier(id, kind="Individual")
        provider = provider or self._session.service.verification.provider
        body = build_body(
            "individuals.submit_token",
            extra,
            provider=provider,
            token=token,
            applicant_id=applicant_id,
            partner_terms_accepted_at=partner_terms_accepted_at,
        )
        problems = individuals.check_token(body, service=self._session.service)
        raise_or_warn(problems)
        with self._explain_status(id):
            response = self._session.call(
                "individuals.submit_token",
                body,
                parts={"id": individual_id},
                any_answer=True,
                **options,
            )
        return response.read_or(Individual, {"id": individual_id})

    @contextmanager
    def _explain_status(self, id: Individual | str) -> Iterator[None]:
        """Add the individual's status and its reason to a 422."""
        try:
            yield
        except UnprocessableError as error:
            with suppress(PaylabError):
                error.hint = describe_status(self.get(id))
            raise

    @strict_keywords()
    def wait(
        self,
        id: Individual | str,
        until: codes.IndividualStatus | Until = SETTLED,
        timeout: float = WAIT_SECONDS,
        every: float = POLL_SECONDS,
    ) -> Individual:
        """Poll until verification is decided or needs action, or until `until` holds.

        Without `until`, a notice says what an individual needs whose status is not active.

        >>> lab.individuals.wait(person).status
        'active'
        """
        poller = Poller.for_resource(self._session, "individuals", timeout, every)
        try:
            individual = poller.poll(
                lambda: self.get(id), until, "the individual", final=INDIVIDUAL.final
            )
        except WaitTimeoutError as error:
            error.hint = find_next_step(error.last) or error.hint
            raise
        next_step = find_next_step(individual)
        if until == SETTLED and next_step:
            self._session.show_notice(f"{individual.id} is {individual.status}: {next_step}")
        return individual


@with_name_suggestions
@explain_arguments
class FinancialAccounts:
    """Payout destinations and crypto wallets of individuals."""

    def __init__(self, session: ResourceSession) -> None:
        """`session` sends the requests."""
        self._session = session

    @strict_keywords(Options)
    def create(
        self,
        individual_id: Individual | str,
        type: codes.AccountType | str,
        details: Mapping[str, object],
        *,
        extra: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> FinancialAccount:
        """Add an account to an individual; `extra` sends fields that paylab does not know.

        >>> lab.financial_accounts.create(person, "crypto_wallet", wallet.details).type
        'crypto_wallet'
        """
        country = read_field(individual_id, "country")
        individual_id = check_identifier(individual_id, "individual_id", "Individual")
        fields = build_body(
            "financial_accounts.create",
            individual_id=individual_id,
            type=type,
            details=details,
        )
        service = self._session.service
        # Before `extra` is merged in: that may have details which paylab does not know.
        operations.check_detail_names(fields.get("details"), type, service)
        body = merge_extra(fields, extra)
        doubts = find_unknown_names(country, type, details=body.get("details"), service=service)
        if country is None:
            doubts += accounts.find_warnings_without_country(body, service)
        else:
            doubts += accounts.find_warnings(country, type, body.get("details"), service=service)
        raise_or_warn(accounts.check(body, country, service), doubts)
        response = self._session.call("financial_accounts.create", body, **options)
        return response.read(FinancialAccount)

    @strict_keywords(Options)
    def update(
        self,
        id: FinancialAccount | str,
        details: Mapping[str, object],
        *,
        extra: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> FinancialAccount:
        """Replace the details of an account; a crypto_wallet cannot be changed.

        A response without a body is a success; the account then has only its id.

        >>> lab.financial_accounts.update(payee, payee.details).id == payee.id
        True
        """
        account_id = check_identifier(id, kind="FinancialAccount")
        fields = build_body("financial_accounts.update", details=details)
        operations.check_detail_names(
            fields.get("details"), kind=None, service=self._session.service
        )
        body = merge_extra(fields, extra)
        response = self._session.call(
            "financial_accounts.update", body, parts={"id": account_id}, any_answer=True, **options
        )
        return response.read_or(FinancialAccount, {"id": account_id})
