"""Forms and cards, narrow and wide, light and dark: nothing is cut off, all inputs have labels."""

from __future__ import annotations

CELLS = [
    "import paylab\n\nlab = paylab.connect()",
    'lab.forms.onboarding("MX", example=True)',
    "from decimal import Decimal\nfrom paylab.views.forms.conversion_account import DepositForm\n"
    'DepositForm(print, "mxn", Decimal(50))',
    "from paylab.views.forms.status import IndividualView\n"
    "bad = '<img src=x onerror=window.hacked=1>'\n"
    'detail = {"code": "verification_image_blurry", "message": bad}\n'
    'person = {"status": "rejected", "given_name": bad, "status_details": [detail]}\n'
    "IndividualView(lambda: paylab.models.Individual.model_validate(person))",
    "lab.individuals.list()[0]",
    "people = lab.individuals.list()\n_ = people.to_list(30)\npeople",
    "display(lab, lab.simulator, lab.reconcile(), lab.drift)",
    'lab.deposit_card({"type": "crypto_wallet", "currency": "usdc", "details": '
    '{"address": "0x000000000000000000000000000000000000dEaD", "network": "base"}})',
]
# Text wider than the box it stands in, where the box hides what does not fit.
CUT_OFF = """() => [...document.querySelectorAll('.paylab-form *')].filter(part =>
  part.offsetParent && !['INPUT', 'SELECT', 'OPTION', 'PRE'].includes(part.tagName)
  && getComputedStyle(part).overflow !== 'visible'
  && !part.classList.contains('paylab-unseen')
  && (part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1))
  .map(part => part.className + ': ' + part.textContent.slice(0, 60))"""
TOO_WIDE = """() => [...document.querySelectorAll('.paylab-form')].filter(form =>
  form.scrollWidth > form.clientWidth + 1
  || form.getBoundingClientRect().right > window.innerWidth).length"""


def test_a_form_with_errors_is_readable_in_each_theme_and_width(notebook):
    """With errors shown, in both widths and themes, nothing is cut off and axe finds nothing."""
    book = notebook("looks.ipynb", CELLS, width=1600, height=5200)
    book.run_all()
    assert book.errors.count() == 0
    book.button("Create this person").click()
    book.says("✗ Required")

    def fits(width):
        assert book.page.evaluate(CUT_OFF) == []
        assert book.page.evaluate(TOO_WIDE) == 0
        assert book.sideways(width) == []

    book.looks("forms", fits)
    assert not book.page.evaluate("window.hacked")


def test_a_lesson_that_was_not_run_looks_as_saved(notebook):
    """The copies are trusted: their saved outputs keep their style before the first run."""
    book = notebook("30_transfers_to_csv.ipynb", as_copied=True)
    card = book.page.locator(".jp-OutputArea-output .paylab-card").first
    card.wait_for()
    assert card.evaluate("one => getComputedStyle(one).display") == "flex"
    book.keep("trusted")
