"""Rules, forms and simulator are tested with the same table of limits."""

from __future__ import annotations

from functools import cache

import limit_table as table
import pytest

import paylab
from paylab import corridors
from paylab.client.request import check_key
from paylab.client.resources import operations
from paylab.corridors import examples
from paylab.corridors.on_ramps import need_on_ramp
from paylab.errors import APIStatusError, RuleError
from paylab.rules import accounts, deposits, images, individuals, transfers
from paylab.spec import codes
from paylab.spec.service import Service as Assumed
from paylab.views.forms.account import AccountForm
from paylab.views.forms.conversion_account import DepositForm
from paylab.views.forms.field import CHOICE_INPUTS
from paylab.views.forms.onboarding import RecipientForm
from paylab.views.forms.transfer import QuoteForm, TransferForm
from paylab.views.specimens import specimen

AMOUNT = {"payout_method": "spei", "destination_currency": "MXN", "source_currency": "USD"}
TERMS = {"applicant_id": "a", "partner_terms_accepted_at": "2026-01-15T12:00:00Z"}


def entry(limit, value):
    """The account of a case: the country's example with changed fields."""
    found = examples.account(limit.country)
    change = {limit.field: value}
    if limit.kind == "pix":
        change = {"pix_key": value, "pix_key_type": limit.field}
    return {"type": found["type"], "details": found["details"] | change}


def person(limit, value):
    """The individual of a case."""
    found = examples.recipient(limit.country)
    if limit.kind == "document":
        return found | {"document": {"type": limit.field, "number": value}}
    if limit.kind == "kind":
        return found | {"document": {"type": value}}
    return found | {limit.field: value}


def amounts(limit, value):
    """The quote or transfer of a case, without its account."""
    stable = {"source_currency": "USDC", "source_network": "base"} if limit.kind == "usdc" else {}
    given = {} if limit.kind == "transfer" else {limit.field: value}
    reference = {"client_reference_id": value, "source_amount": "10"}
    return AMOUNT | stable | given | (reference if limit.kind == "transfer" else {})


def refused(check, *given):
    """The problems of the RuleError that a check raises; an empty list if it passes."""
    try:
        check(*given)
    except RuleError as error:
        return error.problems
    return []


def deposited(limit, value):
    """The problems that the rules find in the amount of a deposit."""
    currency = need_on_ramp(country=limit.country).currency
    body = {"conversion_account_id": "ca", "amount": value, "currency": currency}
    return deposits.check(body, currency)


TOKEN = {"provider": "idv_provider", "token": "t", **TERMS}
REFERENCE = {"financial_account": {"id": "fa_1"}}
RULES = {
    "account": lambda limit, value: accounts.check_entry(entry(limit, value), limit.country),
    "pix": lambda limit, value: accounts.check_entry(entry(limit, value), limit.country),
    "document": lambda limit, value: individuals.check(person(limit, value)),
    "individual": lambda limit, value: individuals.check(person(limit, value)),
    "kind": lambda limit, value: individuals.check(person(limit, value)),
    "terms": lambda limit, value: individuals.check_token(TOKEN | {limit.field: value}),
    "deposit": deposited,
    "quote": lambda limit, value: transfers.check_quote(REFERENCE | amounts(limit, value)),
    "usdc": lambda limit, value: transfers.check_quote(REFERENCE | amounts(limit, value)),
    "transfer": lambda limit, value: transfers.check(REFERENCE | amounts(limit, value)),
    "token": lambda _, value: individuals.check_token(
        {"provider": "idv_provider", "token": value, **TERMS}
    ),
    "images": lambda _, value: images.check({"images": value}),
    "page": lambda _, value: refused(operations.check_limit, value, Assumed().list("transfers")),
    "key": lambda _, value: refused(check_key, value),
}


def misjudged(limit, accepts):
    """The values of a limit that are accepted wrongly or refused wrongly, shortened."""
    values = [(value, True) for value in limit.good] + [(value, False) for value in limit.bad]
    return [table.shown(value) for value, good in values if accepts(limit, value) is not good]


@pytest.mark.parametrize("limit", table.LIMITS, ids=str)
def test_the_rules_find_a_problem_in_each_invalid_value_and_in_no_valid_one(limit):
    """The rules find a problem in each invalid value and in no valid one."""
    assert misjudged(limit, lambda *case: RULES[limit.kind](*case) == []) == []


def put(field, value):
    """Set the value of a field; return False if it is not one of the choices."""
    if field.input in CHOICE_INPUTS and value not in [choice for _, choice in field.options]:
        return False
    field.value = value
    return True


def account_form(limit, value):
    """Whether the form of an account accepts a value."""
    form = AccountForm(None, limit.country, example=examples.account(limit.country))
    if limit.kind == "pix":
        put(form.account_fields.details["pix_key_type"], limit.field)
    name = "pix_key" if limit.kind == "pix" else limit.field
    return put(form.account_fields.details[name], value) and not form.check().problems


def recipient_form(limit, value):
    """Whether the form of a recipient accepts a value."""
    form = RecipientForm(None, limit.country, example=True)
    if limit.kind == "document":
        put(form.fields["document.type"], limit.field)
    name = "document.number" if limit.kind == "document" else limit.field
    if limit.kind == "kind":
        form.fields["document.number"].value = ""  # clear the example's number
    return put(form.fields[name], value) and not form.check().problems


def deposit_form(limit, value):
    """Whether the form of a deposit accepts a value."""
    currency = need_on_ramp(country=limit.country).currency
    form = DepositForm(None, currency, need_on_ramp(currency=currency).cap)
    return put(form.fields["amount"], value) and not form.check().problems


def amount_form(limit, value):
    """Whether the form of a quote or transfer accepts a value."""
    route = {"financial_account": "fa_1", "payout_method": "spei", "destination_currency": "MXN"}
    form = (TransferForm if limit.kind == "transfer" else QuoteForm)(None, [("SPEI", route)])
    if limit.kind == "transfer":
        return put(form.fields[limit.field], value) and not form.check().problems
    put(form.fields["source_currency"], "USDC" if limit.kind == "usdc" else "USD")
    form.fields["amount_kind"].value = limit.field
    return put(form.fields["amount"], value) and not form.check().problems


FORMS = {
    **dict.fromkeys(("account", "pix"), account_form),
    **dict.fromkeys(("document", "individual", "kind"), recipient_form),
    **dict.fromkeys(("quote", "usdc", "transfer"), amount_form),
    "deposit": deposit_form,
}


@pytest.mark.parametrize("limit", [each for each in table.LIMITS if each.kind in FORMS], ids=str)
def test_a_form_finds_a_problem_in_each_invalid_value_and_in_no_valid_one(limit):
    """A form finds a problem in each invalid value and in no valid one."""
    assert misjudged(limit, FORMS[limit.kind]) == []


class Service:
    """A simulator and the requests that test a case on it."""

    def __init__(self):
        self.lab = paylab.connect()
        self.payee = cache(self.payee)
        self.payable_in = cache(self.payable_in)

    def payee(self, country):
        """A recipient in a country."""
        return self.lab.individuals.create(**examples.recipient(country))

    def unverified(self, country):
        """A new on-ramp individual that still has to be verified."""
        source = country if country in examples.PEOPLE else "MX"
        found = examples.individual(source, consent_at=self.lab.clock())
        found |= {"country": country, "address": {"country": country}}
        if source != country:
            found["document"] = {"type": "passport"}
        return self.lab.individuals.create(**found)

    def payable_in(self, country):
        """An active conversion account."""
        who = self.unverified(country)
        sides = ("document-front", "document-back", "selfie")
        pictures = {side: specimen(side, name="A B", country=country) for side in sides}
        self.lab.individuals.upload_images(who.id, pictures)
        self.lab.individuals.wait(who.id)
        wallet = self.lab.financial_accounts.create(who.id, "crypto_wallet", examples.WALLET)
        currency = need_on_ramp(country=country).currency
        account = self.lab.conversion_accounts.create(who.id, wallet.id, currency)
        return self.lab.conversion_accounts.wait(account.id)

    def ask(self, limit, value):
        """Method, path and arguments of the request of a case, without the client's checks."""
        return getattr(self, f"_{limit.kind}")(limit, value)

    def _account(self, limit, value):
        owner = {"individual_id": self.payee(limit.country).id}
        return "POST", "/v1/financial_accounts", {"json": owner | entry(limit, value)}

    _pix = _account

    def _document(self, limit, value):
        return "POST", "/v1/individuals", {"json": person(limit, value)}

    _individual = _kind = _document

    def _deposit(self, limit, value):
        account = self.payable_in(limit.country).id
        body = {
            "conversion_account_id": account,
            "currency": need_on_ramp(country=limit.country).currency,
        }
        return "POST", "/v1/sandbox/deposits", {"json": body | {"amount": value}}

    def _quote(self, limit, value):
        account = {"financial_account": {"id": self.payee("MX").financial_accounts[0].id}}
        return "POST", "/v1/quotes", {"json": account | amounts(limit, value)}

    _usdc = _quote

    def _transfer(self, limit, value):
        _, _, given = self._quote(limit, value)
        return "POST", "/v1/transfers", given

    def _token(self, limit, value):
        path = f"/v1/individuals/{self.unverified(limit.country).id}/verification_token"
        body = {"provider": "idv_provider", "token": value, **TERMS}
        return "POST", path, {"json": body}

    def _terms(self, limit, value):
        path = f"/v1/individuals/{self.unverified(limit.country).id}/verification_token"
        return "POST", path, {"json": TOKEN | {limit.field: value}}

    def _images(self, limit, value):
        path = f"/v1/individuals/{self.unverified(limit.country).id}/verification_images"
        return "POST", path, {"json": {"images": value}}

    def _page(self, limit, value):
        return "GET", f"/v1/{limit.country}", {"params": {"limit": value}}

    def _key(self, limit, value):
        if limit.country == "conversion_accounts":
            account = self.payable_in("MX")
            body = {"individual_id": account.individual_id, "source_currency": "mxn"}
            body["payout_account"] = {"id": account.payout_account.id}
            return "POST", "/v1/conversion_accounts", {"json": body, "idempotency_key": value}
        method, path, given = self._transfer(limit, "r")
        given["json"] |= {"source_amount": "10", "client_reference_id": "r"}
        given["json"].pop("idempotency_key", None)
        return method, path, {**given, "idempotency_key": value}


@pytest.fixture(scope="module")
def service():
    """One simulator for the whole table."""
    return Service()


@pytest.mark.parametrize("limit", table.LIMITS, ids=str)
def test_the_simulator_accepts_each_valid_value_and_answers_400_to_each_invalid_one(service, limit):
    """The simulator accepts each valid value and answers 400 to each invalid one."""

    def accepts(limit, value):
        method, path, given = service.ask(limit, value)
        try:
            service.lab.request(method, path, **given)
        except APIStatusError as error:
            return {400: False}.get(error.status)
        return True

    assert misjudged(limit, accepts) == []


@pytest.mark.parametrize(("seconds", "replayed"), [(24 * 3600 - 1, True), (24 * 3600, False)])
@pytest.mark.parametrize("kind", ["transfers", "conversion_accounts"])
def test_results_are_kept_for_24_hours(kind, seconds, replayed):
    """For 24 hours a key returns the stored result; after that it creates another resource."""
    fresh = Service()
    limit = table.Limit("key", kind, "idempotency_key", (), ())
    method, path, given = fresh.ask(limit, table.KEY)
    first = fresh.lab.request(method, path, **given)
    fresh.lab.simulator.clock.advance(seconds)
    assert (fresh.lab.request(method, path, **given)["id"] == first["id"]) is replayed


def test_the_default_page_has_20():
    """A page of a longer list has 20 rows by default."""
    assert len(paylab.connect().request("GET", "/v1/transfers")["data"]) == 20


def test_every_kind_of_account_has_a_limit_in_the_table():
    """Every corridor except Colombia has an account in the table; one stands for all of SEPA."""
    tested = {limit.country for limit in table.LIMITS if limit.kind in ("account", "pix")}
    alone = {one.country for one in corridors.ALL if one.country not in codes.SEPA}
    assert alone - {"CO"} <= tested
    assert tested & set(codes.SEPA)
