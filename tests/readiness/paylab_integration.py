"""An integration with paylab's own client."""

from __future__ import annotations

import httpx

import paylab
from paylab.errors import APIStatusError, PaylabError
from paylab.views.specimens import specimen
from paylab.webhooks import read_event

SIDES = ("document-front", "document-back", "selfie")


class PaylabIntegration:
    """What the notebooks do."""

    def __init__(self, stage):
        self.lab = paylab.connect(simulator=stage.simulator)
        self.stage = stage

    def onboard(self, given_name, family_name):
        """An individual who is verified with images."""
        lab = self.lab
        fields = paylab.examples.individual("MX", consent_at=lab.clock())
        fields |= {"given_name": given_name, "family_name": family_name}
        fields["product_types"] = ["on_ramp", "off_ramp", "global_payouts"]
        person = lab.individuals.create(**fields)
        lab.individuals.upload_images(person.id, {side: specimen(side) for side in SIDES})
        person = lab.individuals.wait(person.id)
        if person.status == "action_required":
            lab.individuals.upload_images(person.id, {side: specimen(side) for side in SIDES})
            lab.individuals.wait(person.id)
        return person.id

    def add_bank(self, person):
        """The bank account."""
        account = paylab.examples.account("MX")
        return self.lab.financial_accounts.create(person, **account).id

    def add_wallet(self, person):
        """The crypto wallet."""
        wallet = paylab.examples.WALLET
        return self.lab.financial_accounts.create(person, "crypto_wallet", wallet).id

    def pay(self, reference, account, amount, currency="usd"):
        """A payment."""
        terms = {"source_network": "base"} if currency == "usdc" else {}
        return self.lab.transfers.create(
            financial_account_id=account,
            source_amount=amount,
            source_currency=currency,
            destination_currency="mxn",
            payout_method="spei",
            client_reference_id=reference,
            **terms,
        ).id

    def follow(self, transfer_id):
        """Wait for the end of a payment."""
        return self.lab.transfers.wait(transfer_id)

    def recover(self, reference, account, amount):
        """Look for a payment in the list."""
        return self.lab.transfers.find(client_reference_id=reference)

    def pay_quoted(self, reference, account, amount, pause):
        """Pay at a quoted rate; a quote that has expired is replaced."""
        quotes = self.lab.quotes
        terms = {
            "financial_account_id": account,
            "payout_method": "spei",
            "source_currency": "usd",
            "destination_currency": "mxn",
            "source_amount": amount,
        }
        quote = quotes.create(**terms)
        pause()
        for _ in range(2):
            try:
                return self.lab.transfers.create(quote_id=quote, client_reference_id=reference).id
            except APIStatusError:
                quote = quotes.create(**terms)
        return None

    def open_account(self, person, wallet, reference):
        """A conversion account."""
        accounts = self.lab.conversion_accounts
        account = accounts.create(person, wallet, "mxn", client_reference_id=reference)
        return accounts.wait(account.id).id

    def deposit(self, account, amount, currency, sender_name):
        """A sandbox deposit."""
        self.lab.sandbox.deposit(account, amount, currency, sender_name=sender_name)

    def conversions(self):
        """Every conversion."""
        return self.lab.conversions.list().to_list()

    def transfers(self):
        """Every transfer."""
        rows = []
        for page in self.lab.transfers.list(limit=50).pages():
            rows += page.data
            self.stage.before(httpx.Request("GET", "http://service?cursor=next"))
        return rows

    def subscribe(self, url):
        """Subscribe to the events of transfers."""
        names = ("created", "funded", "completed", "failed")
        self.lab.webhook_subscriptions.create(url, [f"transfer.{name}" for name in names])

    def handle(self, event):
        """Take any event, and read its object."""
        try:
            self.lab.transfers.get(read_event(event).id)
        except PaylabError:
            return 500
        return 200
