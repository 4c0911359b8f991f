"""The inbox in JupyterLab: rows appear without running a cell, and open to show the event."""

from __future__ import annotations

import pytest

CELLS = [
    # A server keeps the simulator's time; without one, only requests let time pass.
    "import paylab\nlab = paylab.connect()\nserver = lab.serve()\nlab.simulator.clock.run()",
    "inbox = lab.inbox()\ninbox",
    "from paylab.lab.trigger import trigger\n_ = trigger(lab, 'transfer.created')",
]
TABLE = ".paylab-inbox"


SIDEWAYS = "frame => frame.scrollWidth - frame.clientWidth"


@pytest.mark.parametrize(("theme", "width"), [("light", 1600), ("dark", 400)])
def test_a_row_appears_without_running_a_cell(notebook, theme, width):
    """The event of a later status appears by itself; its row can be opened by keyboard."""
    page = notebook("inbox.ipynb", CELLS)
    page.theme(theme)
    page.run_all()
    assert page.errors.count() == 0
    page.says("transfer.completed")
    for size in (700, width):
        page.page.set_viewport_size({"width": size, "height": 1200})
        page.page.wait_for_timeout(200)
        assert page.page.locator(".paylab-inbox-frame").first.evaluate(SIDEWAYS) <= 1
    page.shot(f"inbox-{theme}-{width}", page.page.locator(TABLE).first)
    page.outputs.get_by_role("button", name="open transfer.created").press("Enter")
    page.says("GET returns other values now")
    page.says("settlement_reference_id")
    page.shot(f"inbox-{theme}-{width}-open", page.page.locator(TABLE).first)
    assert page.violations() == []
    page.outputs.get_by_role("button", name="close transfer.created").press("Enter")
    page.outputs.get_by_text("GET returns other values now").wait_for(state="detached")
