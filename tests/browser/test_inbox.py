"""The inbox in JupyterLab: rows appear without running a cell, and open to show the event."""

from __future__ import annotations

CELLS = [
    # A server keeps the simulator's time; without one, only requests let time pass.
    "import paylab\nlab = paylab.connect()\nserver = lab.serve()\nlab.simulator.clock.run()",
    "inbox = lab.inbox()\ninbox",
    "_ = lab.trigger('transfer.created')",
]
TABLE = ".paylab-inbox"


SIDEWAYS = "frame => frame.scrollWidth - frame.clientWidth"


def test_a_row_appears_without_running_a_cell(notebook):
    """The event of a later status appears by itself; its row can be opened by keyboard."""
    book = notebook("inbox.ipynb", CELLS)
    book.run_all()
    assert book.errors.count() == 0
    book.says("transfer.completed")
    book.keep("inbox-light", book.page.locator(TABLE).first)
    book.theme("dark")
    for width in (700, 400):
        book.page.set_viewport_size({"width": width, "height": 1200})
        book.page.wait_for_timeout(200)
        assert book.page.locator(".paylab-frame").first.evaluate(SIDEWAYS) <= 1
    book.outputs.get_by_role("button", name="open transfer.created").press("Enter")
    book.says("GET returns other values now")
    book.says("settlement_reference_id")
    book.keep("inbox-open-dark", book.page.locator(TABLE).first)
    assert book.violations() == []
    book.outputs.get_by_role("button", name="close transfer.created").press("Enter")
    book.outputs.get_by_text("GET returns other values now").wait_for(state="detached")
