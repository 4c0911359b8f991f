"""The controls of a form: its buttons, its message and its code."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from .. import html
from ..html import Row
from .nodes import Button, Code, Group, Html, Inputs, Node

NOT_SENT = "Nothing was sent."
"""How the message begins if the values cannot be sent as they are."""
DOUBLE_CLICK_SECONDS = 0.6
"""Seconds after an attempt during which clicks are ignored, as part of a double click."""
SENT_BY_CODE = "Sent by code: submit()."
"""The sentence of a form that a cell or another program sent, not a click."""
SENT_EARLIER = "Sent earlier. Showing the form again sends nothing; new=True makes a new form."
"""The sentence of a form that was sent before it was asked for."""


class FormControls:
    """The buttons below the inputs, the message and the code of a form.

    `click(anyway=)` sends the form, and `begin_again()` prepares a form that was sent for another
    sending; `action` and `again_text` are the texts of their buttons.
    """

    def __init__(
        self,
        action: str,
        again_text: str,
        click: Callable[..., None],
        begin_again: Callable[[], None],
    ) -> None:
        """Show only the send button; the other two buttons are hidden until they are needed."""
        self._action = action
        self.send_button = Button(action, click, "primary")
        self.again_button = Button(again_text, begin_again)
        self.anyway_button = Button("Send anyway", partial(click, anyway=True), "warning")
        self._ignore_clicks_until = 0.0  # by time.monotonic()
        self.again_button.visible = False
        self.anyway_button.visible = False
        self.message = Html(live=True)
        self.code = Code()
        buttons = [self.send_button, self.again_button, self.anyway_button]
        self._actions = Group(buttons, "actions")
        self._frame = Inputs([], self.send_button)

    def frame(self, inputs: Sequence[Node], *, is_sent: bool) -> Node:
        """The inputs with buttons, message and code below; a sent form has the message first."""
        control_nodes = [self.message, self._actions] if is_sent else [self._actions, self.message]
        self._frame.children = [*inputs, *control_nodes, self.code]
        return self._frame

    def lock(self, is_locked: bool) -> None:
        """Show the button to begin again once the form is sent, and the send button before."""
        self.send_button.disabled = is_locked
        self.send_button.text = self._action
        self.send_button.visible = not is_locked
        self.again_button.visible = is_locked

    def show_sending(self) -> None:
        """Show that the form is being sent."""
        self.send_button.disabled = True
        self.send_button.text = "Sending…"
        self.anyway_button.visible = False
        self.message.html = ""

    def show_note(self, text: str) -> None:
        """Show what the next click does."""
        self.message.html = html.labelled_notice(text)

    def show_failure(self, lines: Iterable[str]) -> None:
        """Show why nothing was sent, or what the service answered.

        While the button that confirms doubts is there, it has the colour of the doubts.
        """
        text_class = "paylab-warning" if self.anyway_button.visible else "paylab-error"
        box_class = "paylab-failure"
        if self.anyway_button.visible:
            box_class += " paylab-doubt"
        html_paragraphs = [
            f'<p class="{text_class}">{html.escape(failure_line)}</p>' for failure_line in lines
        ]
        self.message.html = f'<div class="{box_class}">{"".join(html_paragraphs)}</div>'

    def ask_to_confirm(self) -> str:
        """Show the button that confirms doubts, and return the sentence that says so."""
        self.anyway_button.visible = True
        return f"{NOT_SENT} Correct what is marked, or press “{self.anyway_button.text}”."

    def end_attempt(self) -> None:
        """Note that an attempt ended now, whose click may have been the first of two."""
        self._ignore_clicks_until = time.monotonic() + DOUBLE_CLICK_SECONDS

    def is_second_click(self) -> bool:
        """Whether a click now is the second one of a double click."""
        return time.monotonic() < self._ignore_clicks_until

    def forget_attempt(self) -> None:
        """Remove the button that confirms doubts, and a message that nothing was sent.

        The next click is a new attempt.
        """
        self._ignore_clicks_until = 0.0
        self.anyway_button.visible = False
        if NOT_SENT in self.message.html:
            self.message.html = ""

    def show_result(self, headline: str, sender_sentence: str, rows: Sequence[Row]) -> None:
        """Show the result, and a sentence on who sent the form; it is empty after a click."""
        headline_html = f'<p class="paylab-good"><strong>✓ {html.escape(headline)}</strong></p>'
        sender_html = f'<p class="paylab-hint">{sender_sentence}</p>' if sender_sentence else ""
        table_html = html.table(rows) if rows else ""
        answer_html = headline_html + sender_html + table_html
        self.message.html = f'<div class="paylab-answer">{answer_html}</div>'
