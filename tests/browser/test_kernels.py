"""Forms and inboxes whose kernel was restarted, died or was shut down."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

BEGIN = "import paylab\n\nlab = paylab.connect()"
FORM = 'lab.forms.onboarding("MX", example=True)'
RESTARTED = "The kernel was restarted: run this cell again."
STOPPED = "The kernel has stopped: run this cell again."


def restart(book):
    """Restart the kernel from the menu, and confirm."""
    book.command("Kernel", "kernelmenu:restart")
    book.page.locator(".jp-Dialog .jp-mod-accept").click()


def crash(book):
    """Run a cell that ends the kernel's process."""
    cell = book.page.locator(".jp-CodeCell").nth(2)
    cell.locator(".jp-InputPrompt").click()
    book.page.keyboard.press("Shift+Enter")
    book.page.locator(".jp-Dialog .jp-mod-accept").click()


def shut_down(book):
    """Shut the kernel down from the menu."""
    book.command("Kernel", "kernelmenu:shutdown")


@pytest.mark.parametrize(
    ("end", "said"), [(restart, RESTARTED), (crash, RESTARTED), (shut_down, STOPPED)]
)
def test_a_form_without_its_kernel_says_so(notebook, end, said):
    """Without a click the form says what to do, and nothing can be pressed or typed."""
    book = notebook("kernel.ipynb", [BEGIN, FORM, "import os\n\nos._exit(1)"], height=1700)
    book.run_through("lab.forms")
    book.label("Given name").fill("Bea")
    end(book)
    book.says(said)
    form = book.outputs.locator(".paylab-form")
    expect(form.get_by_role("button", name="Create this person")).to_be_disabled()
    expect(book.label("Given name")).to_be_disabled()
    form.get_by_text("Show the code").click()
    expect(form.get_by_role("button", name="Copy the code")).to_be_enabled()
    assert book.violations() == []
    if end is not crash:  # which looks like a restart
        for _ in book.looks(f"kernel-{end.__name__}"):
            assert book.violations() == []


def test_an_inbox_without_its_kernel_says_so(notebook):
    """The table keeps its rows, its buttons are disabled, and the cell makes a new inbox."""
    events = "from paylab.lab.trigger import trigger\n\ninbox = lab.inbox()\ninbox"
    book = notebook("events.ipynb", [BEGIN, events, 'trigger(lab, "transfer.created")'])
    book.run_all()
    table = book.outputs.locator(".paylab-inbox")
    opening = table.get_by_role("button", name="open transfer.created")
    expect(opening).to_be_enabled()
    restart(book)
    book.says(RESTARTED)
    expect(opening).to_be_disabled()
    for _ in book.looks("kernel-inbox"):
        assert book.violations() == []
    book.idle()
    book.run_all()
    book.outputs.get_by_text(RESTARTED).wait_for(state="detached")
    opening.click()
    book.says("GET returns the same values now.")


def test_after_a_restart_the_cell_makes_a_new_form(notebook):
    """The cell that is run again shows a form that works."""
    book = notebook("again.ipynb", [BEGIN, FORM], height=1700)
    book.run_all()
    restart(book)
    book.says(RESTARTED)
    book.idle()
    book.run_all()
    book.outputs.get_by_text(RESTARTED).wait_for(state="detached")
    expect(book.button("Create this person")).to_be_enabled()
    book.label("Given name").fill("Bea")
    book.says("Show the code").click()
    book.says('given_name="Bea"')
