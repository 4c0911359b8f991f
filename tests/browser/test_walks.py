"""Both on-ramps in JupyterLab, by clicking and typing and by Run All."""

from __future__ import annotations

import itertools
import re

import zxingcpp
from PIL import Image
from playwright.sync_api import expect

CURP = "XEXX010101HNEXXXA4"
CONSENT = "The person agrees to identity verification"
COMPLETED = "li[aria-current='step']:has-text('completed')"
CONVERSION = "code[title^=conv_]"  # shortened, whole in the first line of its title
LOST = "model not found"
OUTLINES = """() => getComputedStyle(document.activeElement).outline"""


def csv_of(server):
    """The lines of the CSV file that a walk wrote."""
    return (server.folder / "out" / "mx_conversions.csv").read_text().splitlines()


def upload_images(book):
    """Upload the specimens of a form, whose pictures move the button down when they come."""
    book.outputs.locator("img").nth(1).wait_for()
    book.button("Upload the images").click()
    book.says("The images are uploaded")


def test_a_walk_by_forms_ends_with_the_csv_file(notebook, server):
    """A walk by forms up to the CSV file; a wrong CURP is shown and corrected."""
    book = notebook("10_mx_onramp.ipynb")
    book.run_through("lab.forms.onboarding(")
    book.label("CURP").fill("XEXX010101ZNEXXXA4")
    book.button("Create this person").click()
    book.says(re.compile("Enter a CURP: 4 capitals"))
    book.says("✗ Required")  # consent
    book.keep("mx-1-refused")
    book.label("CURP").fill(CURP.lower())
    book.label(CONSENT).check()
    book.says(re.compile("Consent recorded at"))
    book.button("Create this person").dblclick()
    book.says("The person is created")
    book.run_through("lab.forms.images(")
    upload_images(book)
    book.run_through("lab.forms.wallet(")
    book.label("Address").fill("0x000000000000000000000000000000000000dead".replace("d", "D", 1))
    book.press("Tab")
    book.says(re.compile("EIP-55"))
    book.label("Address").fill("0x000000000000000000000000000000000000dEaD")
    book.button("Register this wallet").click()
    book.says("The wallet is registered")
    book.run_through("lab.forms.conversion_account(")
    book.button("Open the account").click()
    book.says("The account is open")
    book.run_through("lab.forms.deposit(")
    book.says("At most 50 MXN.")
    book.label("Another name").check()
    book.label("Name of the sender").fill("<img src=x onerror=window.hacked=1>")
    book.button("Simulate this payment (sandbox)").click()
    book.says("The deposit was accepted")
    book.run_through("lab.status(deposit)")
    book.outputs.locator(COMPLETED).wait_for()
    book.keep("mx-2-completed")
    book.run_through("read_csv(")
    tooltip = book.outputs.locator(CONVERSION).first.get_attribute("title")
    conversion, _ = tooltip.splitlines()  # the second line is the code that opens it
    [row] = [row for row in csv_of(server) if conversion in row]
    assert "completed" in row
    assert not book.page.evaluate("window.hacked")
    saved = book.save()
    assert CURP not in saved
    assert "sk_simulator" not in saved
    assert "application/vnd.jupyter.widget-state+json" not in saved
    book.reopen()
    book.says(re.compile("The person is created|ind_"))
    book.outputs.get_by_text("Deposit", exact=True).first.wait_for(state="attached")
    assert not book.page.get_by_text(LOST).locator("visible=true").count()
    book.keep("mx-3-reopened")


def test_mexico_can_be_walked_by_keyboard(notebook, server):
    """Tab and Enter reach every step; the focus moves to the error or to the next step."""
    cells = ["import paylab\n\nlab = paylab.connect()", 'walk = lab.onramp("MX")\nwalk']
    cells += ["print(walk.results['account'].deposit_instructions.details['clabe'])"]
    book = notebook("mexico.ipynb", cells, width=1400, height=1900)
    book.page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
    book.run_through("lab.onramp(")
    fill_with_an_example(book)
    tab_to(book, "Given name")
    for name in ("Family name", "E-mail", "Phone", "Date of birth"):
        book.press("Tab")
        assert book.focused == name
        assert "2px" in book.page.evaluate(OUTLINES)
    leave_out_and_correct(book, book.label("Phone"))
    tab_to(book, CONSENT)
    book.press("Space")
    book.outputs.get_by_text("Nothing was sent").wait_for(state="detached")
    tab_to(book, "Create this person")
    book.press("Enter")
    stepped(book, "2. Verification images")
    assert book.outputs.get_by_text("••••A4").count()
    tab_to(book, "Fill with specimens")
    book.press("Space")
    tab_to(book, "Upload the images")
    book.press("Enter")
    stepped(book, "4. Wallet")
    show(book, "dark", 700)
    tab_to(book, "Address")
    book.page.keyboard.insert_text("0x000000000000000000000000000000000000dEaD")
    book.press("Enter")
    stepped(book, "5. Conversion account")
    tab_to(book, "Open the account")
    book.press("Enter")
    stepped(book, "6. Deposit")
    tab_to(book, "Copy", key="Shift+Tab")
    book.press("Enter")
    book.page.wait_for_function("document.activeElement.style.color === 'rgb(46, 139, 87)'")
    copied = book.page.evaluate("navigator.clipboard.readText()")
    tab_to(book, "Simulate this payment (sandbox)")
    book.press("Enter")
    book.outputs.locator(COMPLETED).wait_for()
    book.keep("mx-4-completed-dark")
    assert book.violations() == []
    book.run_next()
    assert len(copied) == 18
    assert book.says(copied)


def fill_with_an_example(book):
    """Press the button, and wait until the example is there: typing must not come before it."""
    book.button("Fill with an example").focus()
    book.press("Enter")
    expect(book.label("Phone")).not_to_have_value("")


def leave_out_and_correct(book, phone):
    """Submit without a required phone, then type it into the field that has the focus."""
    phone.fill("")
    assert phone.get_attribute("aria-invalid") is None  # not while somebody types
    book.press("Enter")
    book.says(re.compile("Nothing was sent. Correct the .* in red."))
    book.page.wait_for_function("document.activeElement.labels?.[0]?.textContent === 'Phone'")
    assert phone.get_attribute("aria-invalid") == "true"
    assert phone.get_attribute("required") is not None
    note = book.page.locator(f"#{phone.get_attribute('aria-describedby').split()[-1]}")
    assert note.inner_text() == "✗ Required"
    book.page.keyboard.insert_text("+52 55 5555 5555")
    note.get_by_text("With the country code").wait_for()


def show(book, theme, width):
    """Change the theme and the width of the page; the focus must not move."""
    height = book.page.viewport_size["height"]
    here = book.page.evaluate_handle("document.activeElement")
    book.page.set_viewport_size({"width": 1600, "height": height})
    book.theme(theme)
    book.page.set_viewport_size({"width": width, "height": height})
    here.as_element().focus()


def test_an_example_needs_three_clicks(notebook):
    """Consent, one button to the QR code, one for the deposit: the conversion completes.

    Narrow and dark: the QR code on the screen can be scanned, and is that of the account.
    """
    cells = [
        "import paylab\n\nlab = paylab.connect()",
        'walk = lab.onramp("PH", example=True)\nwalk',
    ]
    cells += ["print(walk.results['account'].deposit_instructions.details['qrph_payload'])"]
    book = notebook("example.ipynb", cells, width=1600, height=2200)
    show(book, "dark", 700)
    book.run_through("lab.onramp(")
    book.says(re.compile("available after person"))
    assert book.label("TIN").input_value()
    book.label(CONSENT).check()
    book.says(re.compile("Consent recorded at"))
    book.keep("example-1-person-dark")
    book.button("Run the example up to the QR code").click()
    book.outputs.locator("img[alt='QR code']").wait_for()
    assert book.violations() == []
    for width in (700, 390):
        show(book, "dark", width)
        assert_in_order(
            book, "img[alt='QR code']", "text=Simulate this payment", "text=Scan to pay"
        )
    show(book, "dark", 700)
    seen = zxingcpp.read_barcodes(Image.open(book.shot("example-2-qr-dark")))
    show(book, "light", 1400)
    book.button("Simulate this payment (sandbox)").click()
    book.outputs.locator(COMPLETED).wait_for()
    book.keep("example-3-completed")
    assert book.violations() == []
    book.run_next()
    assert len(seen) == 1
    assert book.says(seen[0].text)


def assert_in_order(book, *selectors):
    """The parts of the page stand one below the other, and none is wider than the form."""
    form = book.page.locator(".paylab-form").first.bounding_box()
    boxes = [book.outputs.locator(selector).first.bounding_box() for selector in selectors]
    for upper, lower in itertools.pairwise(boxes):
        assert upper["y"] + upper["height"] <= lower["y"]
    table = book.outputs.locator(".paylab-pair table").first.bounding_box()
    for box in (*boxes, table):
        assert box["x"] + box["width"] <= form["x"] + form["width"]


def tab_to(book, name, most=25, key="Tab"):
    """Press Tab until an element with this name has the focus."""
    for _ in range(most):
        book.press(key)
        if book.focused == name:
            return
    raise AssertionError(f"{name} is not within {most} tabs")


def stepped(book, title):
    """Wait until the heading of a step has the focus."""
    book.page.locator("h3:focus", has_text=title).wait_for()


def test_run_all_without_a_click_completes_the_same_walk(notebook, server):
    """Run All without a click completes the same walk; each form stays as a form, read-only."""
    book = notebook("10_mx_onramp.ipynb", height=2400)
    book.run_all()
    assert not book.errors.count()
    book.says(re.compile("completed, paid out: 2.699228 USDC"))
    book.outputs.locator(COMPLETED).wait_for()
    assert any("completed" in row for row in csv_of(server))
    book.says("Sent by code: submit().")
    expect(book.label("Given name")).to_be_disabled()
    assert book.label("CURP").input_value() == "••••••••••••••••A4"
    book.looks("10_mx_onramp-run-all")


def test_an_amount_can_be_typed_into_the_deposit_step(notebook):
    """The first click selects the prefilled amount, and each key that follows reaches the input."""
    code = ["import paylab", "lab = paylab.connect()", 'lab.onramp("PH", example=True)']
    book = notebook("typing.ipynb", code)
    book.run_all()
    book.label(CONSENT).check()
    book.says(re.compile("Consent recorded at"))
    book.button(re.compile("Run")).first.click()
    amount = book.label("Amount in PHP")
    amount.click()
    book.page.keyboard.type("45.50", delay=150)
    expect(amount).to_be_focused()
    expect(amount).to_have_value("45.50")
