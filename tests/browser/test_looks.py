"""Forms on narrow and wide pages, light and dark: nothing is cut off, everything is labelled."""

from __future__ import annotations

CONSENT = "The person agrees to identity verification"
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
  && !part.classList.contains('paylab-unseen')
  && (part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1))
  .map(part => part.className + ': ' + part.textContent.slice(0, 60))"""
TOO_WIDE = """() => [...document.querySelectorAll('.paylab-form')].filter(form =>
  form.scrollWidth > form.clientWidth + 1
  || form.getBoundingClientRect().right > window.innerWidth).length"""
OUTLINES = """() => getComputedStyle(document.activeElement).outline"""


def test_readable(notebook):
    """Wide and narrow, in both themes, with errors shown: nothing is cut off, axe finds nothing."""
    book = notebook("looks.ipynb", CELLS, width=1600, height=2600)
    book.run_all()
    assert book.errors.count() == 0
    book.button("Create this person").click()
    book.says("✗ Required")
    for _ in book.looks("forms"):
        assert book.page.evaluate(CUT_OFF) == []
        assert book.page.evaluate(TOO_WIDE) == 0
        assert book.violations() == []
    assert not book.page.evaluate("window.hacked")


def test_by_keyboard_alone(notebook):
    """Tab goes through the inputs, Enter sends, and the focus goes to what is wrong."""
    book = notebook("keys.ipynb", CELLS[:2], height=1600)
    book.run_all()
    phone, consent = book.label("Phone"), book.label(CONSENT)
    book.label("Given name").focus()
    seen = []
    for _ in range(8):
        book.press("Tab")
        seen.append(book.focused)
        assert "2px" in book.page.evaluate(OUTLINES)
    assert seen[:4] == ["Family name", "E-mail", "Phone", "Date of birth"]
    assert len(set(seen)) == len(seen)
    phone.fill("")
    assert phone.get_attribute("aria-invalid") is None  # not while somebody types
    book.press("Enter")
    book.says("Nothing was sent. Correct what is marked.")
    book.page.wait_for_function("document.activeElement.labels?.[0]?.textContent === 'Phone'")
    assert phone.get_attribute("aria-invalid") == "true"
    assert phone.get_attribute("required") is not None
    note = book.page.locator(f"#{phone.get_attribute('aria-describedby').split()[-1]}")
    assert note.inner_text() == "✗ Required"
    phone.fill("+52 55 5555 5555")
    note.get_by_text("With the country code").wait_for()
    consent.focus()
    book.press("Space")
    book.outputs.get_by_text("Nothing was sent").wait_for(state="detached")
    book.label("Given name").focus()
    book.press("Enter")
    book.says("The person is created")
    book.page.locator("[role=status]:focus", has_text="is created").wait_for()
    assert book.outputs.get_by_text("••••A4").count()
