"""Objects that random requests name; half of the requests name those that fit them."""

from __future__ import annotations

from functools import cache

from stage import Stage

from paylab.corridors.on_ramps import COUNTRIES, need_on_ramp
from paylab.spec.operations.records import OPERATIONS

COUNTRY_OF = {
    "clabe": "MX",
    "pix_key": "BR",
    "iban": "DE",
    "upi_id": "IN",
    "sort_code": "GB",
    "issuer": "PH",
    "qrph_payload": "PH",
    "bank_code": "CO",
    "account_type": "AR",
}
"""The country of an account by a field of its details, where only one country has it."""
ROUTES = {"MX": ("spei", "MXN"), "PH": ("instapay", "PHP"), "BR": ("pix", "BRL")}


class Pool:
    """The objects of a stage by resource, some in a state in which they are refused."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.person = cache(stage.person)
        self.account = cache(lambda country: stage.account(country, self.person(country)))
        self.wallet = cache(lambda country: stage.wallet(self.person(country)))
        self.conversion_account = cache(stage.conversion_account)
        countries = ("MX", "PH", "BR", "DE")
        self.ids = {
            "individuals": [*map(self.person, countries), stage.person(active=False)],
            "financial_accounts": [*map(self.account, countries), self.wallet("MX")],
            "conversion_accounts": [*map(self.conversion_account, COUNTRIES)],
            "transfers": [stage.transfer()],
            "webhook_subscriptions": [stage.subscription()],
        }

    def any(self, resource: str, turn: int) -> str:
        """The id of an object of a resource."""
        listed = self.ids.get(resource) or [self.stage.quote()]
        return listed[turn % len(listed)]

    def of_path(self, operation: str, turn: int) -> str:
        """The id for the path of an operation; every third one does not fit."""
        if operation == "webhook_subscriptions.delete":
            return self.stage.subscription()
        if turn % 3 and operation == "individuals.upload_images":
            return self.stage.person(active=False)
        if turn % 3 and operation == "individuals.submit_token":
            return self.stage.person("US", active=False)
        resource = operation.partition(".")[0]
        return self.any("conversion_accounts" if resource == "sandbox" else resource, turn)

    def fitting(self, operation: str, body: dict, turn: int) -> dict:
        """The fields of a valid body that name objects which fit the rest of it."""
        country = ("MX", "PH", "BR")[turn % 3]
        if operation in ("quotes.create", "transfers.create"):
            method, currency = ROUTES[country]
            terms = {"payout_method": method, "destination_currency": currency}
            account = {"id": self.account(country)}
            named = {"financial_account": account, "financial_account_id": account["id"]}
            quoted = {"quote_id": self.stage.quote()} if "quote_id" in body else terms
            return {**quoted, **{name: each for name, each in named.items() if name in body}}
        if operation == "conversion_accounts.create":
            country = need_on_ramp(currency=body["source_currency"]).country
            owner, wallet = self.person(country), {"id": self.wallet(country)}
            return {"individual_id": owner, "payout_account": wallet}
        if operation == "sandbox.deposit":
            country = need_on_ramp(currency=body["currency"]).country
            return {"conversion_account_id": self.conversion_account(country)}
        if operation == "financial_accounts.create":
            return {"individual_id": self.person(_country(body["details"]))}
        if operation == "individuals.submit_token":  # most random texts are no token
            samples = {field.name: field.example for field in OPERATIONS[operation].fields}
            return {**samples, "provider": self.stage.service.verification.provider}
        return {}

    def updated(self, details: dict) -> str:
        """The id of an account whose details can be replaced by these."""
        return self.account(_country(details))


def _country(details: dict) -> str:
    named = (country for field, country in COUNTRY_OF.items() if field in details)
    return next(named, "MX")
