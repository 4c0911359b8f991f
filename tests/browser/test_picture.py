"""The picture of the README.

`PAYLAB_ARTEFACTS=notebooks pytest tests/browser/test_picture.py` makes it again.
"""

import re

import zxingcpp
from PIL import Image


def test_the_first_notebook_runs_untouched(notebook):
    """Run All without a click: no error, the badge, and one QR Ph code that scans."""
    book = notebook("00_start_here.ipynb", width=1280, height=900)
    book.run_all()
    assert not book.errors.count()
    book.says(re.compile("paid out: 1.742453 USDC"))
    assert book.outputs.get_by_text("SIMULATOR (embedded)", exact=True).count() >= 2
    picture = book.page.locator("img[alt='QR code']").locator("visible=true").first
    for _ in range(50):  # what stands above it may still grow
        picture.evaluate("image => image.scrollIntoView({block: 'center'})")
        found = zxingcpp.read_barcodes(Image.open(book.shot("ph_walkthrough")))
        if found:
            break
        book.page.wait_for_timeout(200)
    assert [code.text[:4] for code in found] == ["0002"]
    assert "com.p2pqrpay" in found[0].text
