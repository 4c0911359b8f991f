"""Both on-ramps by clicking and typing, and by Run All, in JupyterLab as users run it."""

from __future__ import annotations

import re

import zxingcpp
from PIL import Image

CURP = "XEXX010101HNEXXXA4"
CONSENT = "The person agrees to identity verification"
COMPLETED = "li[aria-current='step']:text-is('completed')"
CONVERSION = re.compile(r"conv_\w{26}")
LOST = "model not found"


def csv_of(server):
    """The lines of the file that a walk wrote."""
    return (server.folder / "out" / "mx_conversions.csv").read_text().splitlines()


def test_mexico_by_hand(notebook, server):
    """From the form to the CSV; a wrong CURP is shown and corrected; the file can be read again."""
    book = notebook("10_mx_onramp.ipynb")
    book.run_through("lab.forms.onboarding(")
    book.label("CURP").fill("XEXX010101ZNEXXXA4")
    book.button("Create this person").click()
    book.says(re.compile("must be a CURP"))
    book.says("✗ is required")  # consent
    book.shot("mx-1-refused")
    book.label("CURP").fill(CURP)
    book.label(CONSENT).check()
    book.says(re.compile("Consent recorded at"))
    book.button("Create this person").dblclick()
    book.says("The person is created")
    book.run_through("lab.forms.images(")
    book.button("Upload the images").click()
    book.says("The images are uploaded")
    book.run_through("lab.forms.wallet(")
    book.label("Address").fill("0x000000000000000000000000000000000000dead".replace("d", "D", 1))
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
    book.button("Pay this in").click()
    book.says("The deposit is on its way")
    book.run_through("lab.status(deposit)")
    book.outputs.locator(COMPLETED).wait_for()
    book.shot("mx-2-completed")
    book.run_through("read_csv(")
    [conversion] = set(CONVERSION.findall(" ".join(book.outputs.all_text_contents())))
    [row] = [row for row in csv_of(server) if conversion in row]
    assert "completed" in row
    assert not book.page.evaluate("window.hacked")
    saved = book.save()
    assert CURP not in saved
    assert "sk_simulator" not in saved
    assert "application/vnd.jupyter.widget-state+json" not in saved
    book.reopen()
    book.says(re.compile("The person is created|ind_"))
    assert not book.page.get_by_text(LOST).locator("visible=true").count()
    assert book.outputs.get_by_text("Deposit", exact=True).count()
    book.shot("mx-3-reopened")


def test_the_philippines_as_one_stepper(notebook):
    """Step after step in one place, in the dark; the code can be scanned from the screen."""
    cells = ["import paylab\n\nlab = paylab.connect()", 'walk = lab.onramp("PH")\nwalk']
    cells += ["print(walk.found['account'].deposit_instructions.details['qrph_payload'])"]
    book = notebook("stepper.ipynb", cells, width=1000, height=1600)
    book.theme("dark")
    book.run_through("lab.onramp(")
    book.says(re.compile("locked: after person"))
    book.button("Fill with an example").click()
    book.label("Given name").fill("Juana")
    book.label("TIN").fill("123-456-789-000")
    book.label(CONSENT).focus()
    book.page.keyboard.press("Space")
    book.says(re.compile("Consent recorded at"))
    book.shot("ph-1-person-dark")
    book.button("Create this person").press("Enter")
    book.button("Fill with specimens").click()
    book.button("Upload the images").click()
    book.says("Register this wallet")
    book.label("Address").fill("0x000000000000000000000000000000000000dEaD")
    book.button("Register this wallet").click()
    book.button("Open the account").click()
    book.says("Pay this in")
    book.outputs.locator("img[alt='QR code']").wait_for()
    seen = zxingcpp.read_barcodes(Image.open(book.shot("ph-2-qr-dark")))
    book.button("Pay this in").click()
    book.outputs.locator(COMPLETED).wait_for()
    book.shot("ph-3-completed-dark")
    book.run_next()
    assert len(seen) == 1
    assert book.says(seen[0].text)


def test_mexico_untouched(notebook, server):
    """Nobody clicks anything, and the end is the same; that of the Philippines is the picture."""
    book = notebook("10_mx_onramp.ipynb", height=2400)
    book.run_all()
    assert not book.errors.count()
    book.says("'completed'")
    book.outputs.locator(COMPLETED).wait_for()
    assert any("completed" in row for row in csv_of(server))
    book.shot("10_mx_onramp-run-all")
