"""What a browser says when a lesson is opened, before any of its cells is run."""

from __future__ import annotations


def test_a_lesson_opens_without_an_error_in_the_console(notebook):
    """The saved outputs of a lesson, its forms too, need no kernel and no state of widgets."""
    book = notebook("00_start_here.ipynb", as_copied=True)
    errors = []
    book.page.on("console", lambda told: errors.append(told.text) if told.type == "error" else None)
    book.page.on("pageerror", lambda error: errors.append(str(error)))
    book.reopen()
    book.page.wait_for_timeout(1_500)  # Jupyter looks for widgets after it has drawn the outputs
    assert [error for error in errors if "widget" in error.lower()] == []
