"""Forms on narrow and wide pages, light and dark: nothing is cut off, everything is labelled."""

from __future__ import annotations

CELLS = [
    "import paylab\n\nlab = paylab.connect()",
    'lab.forms.onboarding("MX", example=True)',
    "from decimal import Decimal\nfrom paylab.views.forms.conversion_account import DepositForm\n"
    'DepositForm(print, "mxn", Decimal(50))',
    "from paylab.views.forms.status import StatusLine\n"
    "bad = '<img src=x onerror=window.hacked=1>'\n"
    'detail = {"code": "verification_image_blurry", "message": bad}\n'
    'person = {"status": "rejected", "given_name": bad, "status_details": [detail]}\n'
    "StatusLine(lambda: paylab.models.Individual.model_validate(person))",
]
# Text wider than the box it stands in, where the box hides what does not fit.
CUT_OFF = """() => [...document.querySelectorAll('.paylab-form *')].filter(part =>
  part.offsetParent && !['INPUT', 'SELECT', 'OPTION', 'PRE'].includes(part.tagName)
  && getComputedStyle(part).overflow !== 'visible'
  && (part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1))
  .map(part => part.className + ': ' + part.textContent.slice(0, 60))"""
TOO_WIDE = """() => [...document.querySelectorAll('.paylab-form')].filter(form =>
  form.scrollWidth > form.clientWidth + 1
  || form.getBoundingClientRect().right > window.innerWidth).length"""
UNNAMED = """() => [...document.querySelectorAll('.paylab-form input, .paylab-form select')]
  .filter(input => input.offsetParent && ![...input.labels].some(one => one.textContent.trim()))
  .map(input => input.outerHTML)"""


def test_readable(notebook):
    """At 400 and at 1600 pixels, in both themes."""
    book = notebook("looks.ipynb", CELLS, width=1600, height=2600)
    book.run_all()
    assert book.errors.count() == 0
    book.button("Create this person").click()
    book.says("✗ is required")
    for _ in book.looks("forms"):
        assert book.page.evaluate(CUT_OFF) == []
        assert book.page.evaluate(TOO_WIDE) == 0
        assert book.page.evaluate(UNNAMED) == []
    assert not book.page.evaluate("window.hacked")


def test_by_keyboard_alone(notebook):
    """Tab goes through the inputs in their order, Space and Enter do the rest."""
    book = notebook("keys.ipynb", CELLS[:2], height=1600)
    book.run_all()
    book.label("Given name").focus()
    seen = []
    for _ in range(9):
        book.page.keyboard.press("Tab")
        seen.append(book.page.evaluate("document.activeElement.labels?.[0]?.textContent"))
    assert seen[:4] == ["Family name", "E-mail (optional)", "Phone", "Date of birth"]
    assert len(set(seen)) == len(seen)
