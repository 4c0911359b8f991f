"""HTML and plain text in which every value is escaped."""

from __future__ import annotations

import re
from html import escape as html_escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paylab.lab.displays import show
from paylab.views import html as page
from paylab.views import ids, style


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("María 最佳", "María 最佳"),
        ("<b>&\"'", "&lt;b&gt;&amp;&quot;&#x27;"),
        ("a\nb\x1b[31m", "a\\nb\\x1b[31m"),
        ("\u202e\u2066\ufeff\ud800", "\\u202e\\u2066\\ufeff\\ud800"),
        (None, "None"),
    ],
)
def test_markup_is_escaped_and_invisible_characters_are_shown_as_escapes(value, shown):
    """Markup is escaped, and invisible characters are shown as escapes."""
    assert page.escape(value) == shown


@given(st.text(), st.text())
def test_table_keeps_its_shape(label, text):
    """A row has one heading and one cell, whatever its text is."""
    html = page.table([(label, text)])
    assert re.findall("<(/?[a-z]+)", html)[2:6] == ["tr", "th", "/th", "td"]
    inner = page.cell(text)
    assert html.replace(inner, "", 1).count("<") == 10 if inner else html.count("<") == 10


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=30))
def test_a_grid_holds_twenty_rows_and_says_how_many_more(rows):
    """A grid shows at most 20 rows, each with all cells, and the number of the others."""
    html = page.grid(("a", "b"), rows)
    row_count = min(len(rows), page.TABLE_ROWS_MAX)
    assert html.count("<tr ") == 1 + (row_count or 1)
    assert html.count("<td ") == (2 * row_count or 1)
    assert ("No rows" in html) is (not rows)
    assert (f"{len(rows) - page.TABLE_ROWS_MAX} more" in html) is (len(rows) > page.TABLE_ROWS_MAX)


def test_an_id_is_short_whole_when_pointed_at_and_copied():
    """A long id is shortened; its tooltip has the full id, which is copied, and what opens it."""
    row_id = "tr_01KF0FJV6500004241TXGWEA8R"
    shown = page.cell(row_id)
    assert f'title="{row_id}&#10;lab.open(&quot;{row_id}&quot;)"' in shown
    assert ">tr_\u2026EA8R<" in shown
    assert "paylab-copy" in shown
    assert page.cell("completed, and no word is long") == "completed, and no word is long"


def test_an_id_in_a_path_keeps_the_path():
    """Only the id in a path is shortened; the whole path is the tooltip."""
    path = "/v1/individuals/ind_01KF0FJV6500004241TXGWEA8R/verification_images"
    shown = page.cell(path)
    assert f'title="{path}"' in shown
    visible = re.sub("<[^>]*>|&#8288;", "", shown)
    assert visible == "/v1/individuals/ind_…EA8R/verification_images"


def test_times_name_their_zone_once():
    """A time of its own names UTC; in a table the header or the line below it does."""
    moment = "2026-01-15T12:00:03.000Z"
    assert "12:00:03 UTC" in page.table([("created_at", moment)])
    for column, said in (("when (UTC)", 0), ("created_at", 1)):
        shown = page.grid([column], [(moment,), ("",)])
        assert (shown.count("Times in UTC"), "12:00:03 UTC" in shown) == (said, False)


def test_an_id_inside_a_text_can_be_copied():
    """An id in a text is shortened as it is alone in a cell; the other words stay as they are."""
    row_id = "tr_01KF0FJV6500004241TXGWEA8R"
    shown = page.cell(f"{row_id}, active")
    assert f'title="{row_id}&#10;lab.open(&quot;{row_id}&quot;)"' in shown
    assert shown.count("paylab-copy") == 1
    assert shown.endswith(", active")
    assert "paylab-copy" not in page.cell("scenario:failed, and it stays failed")


def test_the_rows_of_plain_text_are_aligned():
    """The rows of plain text are aligned; a title needs no rows."""
    assert page.plain_text("Title", [("a", "1"), ("long", "2")]) == "Title\n  a     1\n  long  2"
    assert page.plain_text("Title", []) == "Title"


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ("SIMULATOR (embedded)", style.BADGE_COLOURS["SIMULATOR"]),
        ("SANDBOX", style.BADGE_COLOURS["SANDBOX"]),
        ("api.payments.example", style.LIVE_COLOUR),
    ],
)
def test_a_badge_has_the_colour_of_its_service(text, colour):
    """The simulator, the sandbox and other hosts have badges of different colours."""
    shown = page.badge(text)
    assert f"border:1px solid {colour};" in shown
    is_loud = colour == style.LIVE_COLOUR
    assert (f"background:{colour};color:#fff" in shown) is is_loud
    assert f">{text}</span>" in shown


def test_an_empty_badge_is_nothing():
    """A heading without a service has no badge; the names of services are escaped."""
    assert page.badge("") == ""
    assert "paylab-badge" not in page.heading("x")
    assert page.badge("<b>") in page.heading("x", "<b>")
    assert "&lt;b&gt;" in page.card("x", source="<b>")


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("tr_01KF0RDQG0000043P8", "tr_…43P8"),
        ("tr_01KF0RDQG000004", "tr_01KF0RDQG000004"),
        ("x" * 24 + "1", "xxxxxxxxx…xxx1"),
        ("x" * 23 + "1", "x" * 23 + "1"),
        ("x" * 25, "x" * 25),
        ("x" * 12 + " " + "1" * 12, "x" * 12 + " " + "1" * 12),
    ],
)
def test_ids_are_shortened_and_words_are_not(text, short):
    """An id keeps its kind and its end; a long word without a digit, or with a space, is whole."""
    assert ids.shorten_id(text) == short


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("x y" * 5, True),
        ("x y" * 6, False),
        ("1000000000.00 USDC", True),
        ("1 USD = 18.4312 MXN", True),
        ("2026-01-15 12:02:00 UTC", True),
        ("", None),
    ],
)
def test_short_texts_and_amounts_stay_on_one_line(text, kept):
    """Up to 16 characters and amounts do; an empty cell has no markup."""
    shown = page.cell(text)
    assert shown == "" if kept is None else ("nowrap" in shown) is kept


def test_a_grid_counts_the_rows_that_it_leaves_out():
    """Numbers are aligned to the right; without more rows nothing is counted."""
    rows = [(number, "x") for number in range(3)]
    shown = page.grid(["n", "word"], rows, row_max=2, number_columns=[0])
    assert (shown.count("<tr "), "1 more" in shown) == (3, True)
    assert shown.count("text-align:right") == 3
    assert "more" not in page.grid(["n", "word"], rows, row_max=3)
    assert "7 more" in page.grid(["n", "word"], rows, 10)


@pytest.mark.parametrize(
    ("status", "colour"),
    [("completed", "#2da44e"), ("failed", "#d1434b"), ("under_review", "#d4870b")],
)
def test_a_status_has_a_dot_in_its_colour(status, colour):
    """In a table a status has a dot, which screen readers skip; any other text has none."""
    assert 'aria-hidden="true"' in page.cell(status)
    assert f"background:{colour}" in page.cell(status)
    assert "aria-hidden" not in page.cell(f"{status} soon")


def test_a_checked_batch_shows_its_problems_in_a_table(lab):
    """The card of a batch has the verdict and a row for each problem; nothing was sent."""
    plan = lab.transfers.check_many([{"source_amount": "1.005", "colour": "red"}])
    shown = show(plan)
    assert "Batch, not sent" in shown
    assert html_escape(str(plan)) in shown
    assert all(html_escape(problem.field) in shown for problem in plan.problems)
    assert "Columns that are not sent: colour" in shown
    assert not lab.calls


def test_an_amount_has_groups_of_digits_and_a_status_a_dot():
    """An amount keeps its decimals; other numbers, such as years and ids, stay as they are."""
    assert ">1,234,567.50 COP<" in page.cell("1234567.50 COP")
    assert ">0.00 USD<" in page.cell("0.00 USD")
    assert ">20260115<" in page.cell("20260115")
    assert "border-radius:50%" in page.cell("completed")
    assert "border-radius:50%" not in page.cell("completed payouts")
