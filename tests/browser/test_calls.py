"""Calls and errors, displayed in JupyterLab."""

from __future__ import annotations

CELLS = [
    "import paylab\nlab = paylab.connect()\nlive = lab.calls.on_screen()",
    "page = lab.transfers.list(limit=1).first()\npage = lab.conversions.list(limit=1).first()",
    "live.stop()\nlab.simulator.faults.status(status=429, retry_after=0)\n"
    "page = lab.transfers.list(limit=1).first()\nlab.calls",
    "bad = '<img src=x onerror=window.hacked=1>'\ntry:\n    lab.individuals.get(bad)\n"
    "except paylab.PaylabError:\n    pass\nlab.calls[-1]",
    "lab.simulator.faults",
    "lab.simulator.scenarios",
    "lab.transfers.get('tr_nobody')",
]


def test_calls_open_as_cards_below_the_cell(notebook):
    """A table appears under the cell; its cards open and fit; an error shows no stack frames."""
    book = notebook("calls.ipynb", CELLS, width=1600, height=3600)
    book.command("Run", "runmenu:run-all")
    book.says("NotFoundError")
    for folded in book.page.locator(".jp-OutputArea-output details:not(details details)").all():
        folded.locator("summary").first.click()
    book.outputs.get_by_text("curl", exact=True).click()  # one of the programs
    tables = book.outputs.locator("table")
    assert tables.first.locator("tbody tr").count() == 2
    assert "429" in tables.nth(1).inner_text()
    assert "openssl" in book.says("set -euo pipefail").inner_text()
    assert "File " not in book.outputs.last.inner_text()

    def fits(width):
        assert book.sideways(width) == []

    book.looks("calls", fits)
    assert not book.page.evaluate("window.hacked")
