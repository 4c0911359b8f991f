"""The live panel in JupyterLab: rows appear, are filtered, explained and sent again by keyboard."""

from __future__ import annotations

from playwright.sync_api import expect

CELLS = [
    "import paylab\nlab = paylab.connect()",
    "inbox = lab.inbox()\nlab.panel()",
    "hostile = '<img src=x onerror=window.hacked=1>'\n"
    "try:\n    lab.individuals.get(hostile)\nexcept paylab.PaylabError:\n    pass",
    "_ = lab.trigger('transfer.completed')",
]
PANEL = ".paylab-panel"


def test_a_panel_is_used_by_keyboard(notebook):
    """A later cell adds rows; they are filtered, explained and sent again, in a view beside it."""
    book = notebook("panel.ipynb", CELLS, width=1400)
    book.run_all()
    assert book.errors.count() == 0
    page = book.page
    page.locator(PANEL).first.click(button="right")
    page.get_by_text("Create New View for Cell Output", exact=True).click()
    panel = page.locator(f".jp-LinkedOutputView {PANEL}")
    rows = panel.locator("tbody tr:not(.paylab-details)")
    expect(panel.get_by_text("transfer.completed delivered")).to_be_visible()
    assert "/v1/individuals/%3Cimg" in panel.inner_text()
    panel.get_by_label("Filter").fill("transfer.completed")
    expect(rows).to_have_count(2)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert book.focused.startswith("Explain: ")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(panel.get_by_text("GET returns the same values now.")).to_be_visible()
    book.keep("panel-explained", panel)
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert book.focused.startswith("Resend the event: ")
    page.keyboard.press("Enter")
    expect(panel.get_by_role("status").get_by_text("Sent again: 1 delivery.")).to_be_visible()
    expect(rows).to_have_count(3)
    panel.get_by_label("Filter").fill("")
    panel.get_by_label("Show").select_option("problems")
    expect(rows).to_have_count(1)
    assert "404" in rows.inner_text()
    panel.get_by_label("Show").select_option("everything")
    book.looks("panel")
    assert not page.evaluate("'hacked' in window")
