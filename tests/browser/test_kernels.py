"""Forms and inboxes whose kernel was restarted, died or was shut down."""

from __future__ import annotations

from playwright.sync_api import expect

BEGIN = "import paylab\n\nlab = paylab.connect()"
FORM = 'lab.forms.onboarding("MX", example=True)'
RESTARTED = "The kernel was restarted: run the notebook from the top."
STOPPED = "The kernel has stopped: run the notebook from the top."


def restart(book):
    """Restart the kernel from the menu, and confirm."""
    book.command("Kernel", "kernelmenu:restart")
    book.page.locator(".jp-Dialog .jp-mod-accept").click()


def run(book, number):
    """Run one cell."""
    book.page.locator(".jp-CodeCell").nth(number).locator(".jp-InputPrompt").click()
    book.page.keyboard.press("Shift+Enter")


def crash(book):
    """Run the cell that ends the kernel's process."""
    run(book, 2)
    book.page.locator(".jp-Dialog .jp-mod-accept").click()


def shut_down(book):
    """Shut the kernel down from the menu."""
    book.command("Kernel", "kernelmenu:shutdown")


def test_a_form_without_its_kernel_says_so(notebook):
    """Without a click the form says what to do; the cell that is run again makes one that works."""
    book = notebook("kernel.ipynb", [BEGIN, FORM, "import os\n\nos._exit(1)"], height=1700)
    book.run_through("lab.forms")
    book.label("Given name").fill("Bea")
    restart(book)
    ended(book, RESTARTED)
    book.looks("kernel-restart")
    works_again(book)
    crash(book)
    ended(book, RESTARTED)
    works_again(book)
    shut_down(book)
    ended(book, STOPPED)


def ended(book, said):
    """Wait until the form says that its kernel has ended: nothing can be pressed or typed."""
    book.says(said)
    form = book.outputs.locator(".paylab-form")
    expect(form.get_by_role("button", name="Create this person")).to_be_disabled()
    expect(book.label("Given name")).to_be_disabled()
    form.get_by_text("Show the code").click()
    expect(form.get_by_role("button", name="Copy the code")).to_be_enabled()


def works_again(book):
    """Run the cells of the form again, and use the form."""
    book.idle()
    run(book, 0)
    run(book, 1)
    book.outputs.get_by_text(RESTARTED).wait_for(state="detached")
    expect(book.button("Create this person")).to_be_enabled()
    book.label("Given name").fill("Bea")
    book.outputs.get_by_text('given_name="Bea"').wait_for(state="attached")  # in the code


def test_an_inbox_without_its_kernel_says_so(notebook):
    """The table keeps its rows, its buttons are disabled, and the cell makes a new inbox."""
    events = "inbox = lab.inbox()\ninbox"
    book = notebook("events.ipynb", [BEGIN, events, 'lab.trigger("transfer.created")'])
    book.run_all()
    table = book.outputs.locator(".paylab-inbox")
    opening = table.get_by_role("button", name="open transfer.created")
    expect(opening).to_be_enabled()
    restart(book)
    book.says(RESTARTED)
    expect(opening).to_be_disabled()
    book.looks("kernel-inbox")
    book.idle()
    book.run_all()
    book.outputs.get_by_text(RESTARTED).wait_for(state="detached")
    opening.click()
    book.says("GET returns the same values now.")
