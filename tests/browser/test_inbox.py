"""The inbox in JupyterLab: rows that appear by themselves, and open to what they say."""

from __future__ import annotations

import pytest

CELLS = [
    "import paylab\nlab = paylab.connect()\nlab.simulator.clock.run()\ninbox = lab.inbox()\ninbox",
    "from paylab.triggering import trigger\n_ = trigger(lab, 'transfer.created')",
]
TABLE = ".paylab-inbox"


@pytest.mark.parametrize(("theme", "width"), [("light", 1600), ("dark", 1600), ("light", 400)])
def test_a_row_appears_without_running_a_cell(notebook, theme, width):
    """The transfer is created in a cell; what follows a second later shows up by itself."""
    page = notebook("inbox.ipynb", CELLS, width=max(width, 1000))
    page.theme(theme)
    page.run_all()
    page.says("transfer.completed")
    page.page.set_viewport_size({"width": width, "height": 1200})
    page.shot(f"inbox-{theme}-{width}", page.page.locator(TABLE).first)


def test_a_row_opens_and_closes(notebook):
    """By keyboard: the payload, and what GET says otherwise now."""
    page = notebook("inbox.ipynb", CELLS)
    page.run_all()
    page.says("transfer.completed")
    button = page.outputs.get_by_role("button", name="open transfer.created")
    button.press("Enter")
    page.says("GET says otherwise now")
    page.says("settlement_reference_id")
    page.shot("inbox-open", page.page.locator(TABLE).first)
    page.outputs.get_by_role("button", name="close transfer.created").press("Enter")
    page.outputs.get_by_text("GET says otherwise now").wait_for(state="detached")
