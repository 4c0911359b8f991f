"""Payouts and the off-ramp by clicking, in JupyterLab as users run it, narrow and wide."""

from __future__ import annotations

import re

from playwright.sync_api import expect

BEGIN = "import paylab\n\nlab = paylab.connect()"
ACCOUNTS = [
    BEGIN,
    "paylab.corridors",
    'lab.forms.recipient("PH", example=True)',
    'person = lab.individuals.create(**paylab.examples.recipient("BR"))',
    "lab.forms.financial_account(person, person.financial_accounts[0])",
    'wallet = lab.financial_accounts.create(person.id, "crypto_wallet", paylab.examples.WALLET)',
    "lab.forms.financial_account(person, wallet)",
    'lab.forms.transfer(person, amount="5")',
]
OFFRAMP = [
    BEGIN,
    "from paylab import specimen\n"
    'fields = paylab.examples.individual("MX", consent_at=lab.clock(), product="off_ramp")\n'
    'bank = paylab.examples.recipient("MX")["financial_accounts"]\n'
    "person = lab.individuals.create(**fields, financial_accounts=bank)\n"
    'sides = {side: specimen(side, name="A", country="MX") for side in '
    '["document-front", "selfie"]}\n'
    "lab.individuals.upload_images(person.id, sides)\n"
    "person = lab.individuals.wait(person.id)",
    'lab.forms.quote(person, source_currency="USDC")',
]
CUT_OFF = """() => [...document.querySelectorAll('.paylab-form *')].filter(part =>
  part.offsetParent && !['INPUT', 'SELECT', 'OPTION', 'PRE'].includes(part.tagName)
  && getComputedStyle(part).overflow !== 'visible'
  && (part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1))
  .map(part => part.className + ': ' + part.textContent.slice(0, 60))"""


def whole(book):
    """A check that no text of a form is cut off."""

    def check(_width):
        assert book.page.evaluate(CUT_OFF) == []

    return check


def change(book, before, after):
    """Edit one cell: select its text and type another."""
    line = book.page.locator(".jp-CodeCell .cm-line", has_text=before).first
    line.click(click_count=3)
    book.page.keyboard.type(after)


def test_changing_one_cell_pays_in_another_country(notebook):
    """After one edited cell, Run All pays a recipient in that country."""
    book = notebook("40_payouts.ipynb", height=2000)
    change(book, 'COUNTRY = "MX"', 'COUNTRY = "BR"')
    book.run_all()
    assert book.errors.count() == 0
    book.says(re.compile("they receive .* BRL"))
    book.keep("payouts-BR")


def test_the_account_forms_say_what_a_wrong_value_should_be(notebook):
    """Account types per country, a mistyped code, a key of the wrong type, and a wallet."""
    book = notebook("accounts.ipynb", ACCOUNTS, width=1600, height=3200)
    book.run_all()
    assert book.errors.count() == 0
    book.label("Account").first.select_option(label="QR Ph code")
    book.label("Kind of PIX key").locator("visible=true").fill("cpf")
    book.says(re.compile("Enter a PIX key: 11 digits"))
    book.says(re.compile("A crypto wallet cannot be edited"))
    book.looks("accounts", whole(book))


def test_an_off_ramp_without_a_wallet_is_warned_about(notebook):
    """The form warns before the quote and with it; then the service refuses the transfer."""
    book = notebook("offramp.ipynb", OFFRAMP, width=1600, height=2000)
    book.run_all()
    assert book.errors.count() == 0
    book.says(re.compile("has no crypto_wallet on base"))
    book.button("Get a quote").click()
    book.says(re.compile("Will be refused"))
    book.button("Send this payout").click()
    book.says(re.compile("Refused: 422 the recipient has no crypto_wallet on base"))
    book.looks("offramp", whole(book))


SLOW = [
    "import time, paylab",
    "lab = paylab.connect()",
    'form = lab.forms.recipient("MX")',
    """
def answer_late(field):
    time.sleep(0.2)
    form.handle_change(field)

for field in form.fields.values():
    field.connect(answer_late, form.check, form.labels)
form""",
]


def test_a_kernel_that_answers_late_loses_no_keystroke(notebook):
    """Keys typed before the answers to earlier ones stay, also in an input that was hidden."""
    book = notebook("slow.ipynb", SLOW, height=2000)
    book.run_all()
    code = book.page.locator(".paylab-code pre")
    for digits in ("12345", "999999000000000002"):
        book.label("Account").select_option(label="Bank account")
        book.label("CLABE").fill("")
        book.label("CLABE").press_sequentially(digits, delay=10)
        book.page.keyboard.press("Tab")
        expect(code).to_contain_text(f'"clabe": "{digits}"', timeout=60_000)
        expect(book.label("CLABE")).to_have_value(digits)
        for country, shown in ("Brazil", "BR"), ("Mexico", "MX"):
            book.label("Country").select_option(label=f"{country} ({shown})")
            expect(code).to_contain_text(f'country="{shown}"', timeout=60_000)
