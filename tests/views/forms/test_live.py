"""Status lines that refresh themselves."""

from __future__ import annotations

import asyncio
import re
import time
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from paylab.errors import APIConnectionError
from paylab.spec.models import Conversion, Individual, Transfer
from paylab.spec.status import TRANSFER
from paylab.views.forms.live import REFRESH
from paylab.views.forms.status import ConversionView, IndividualView, TransferView
from paylab.views.forms.terms import transfer_rows
from paylab.views.forms.timeline import WholeHistory


def person(status, **more):
    """An individual with a status."""
    return Individual.model_validate({"id": "ind_1", "status": status, **more})


def line(*states, **options):
    """A status line that sees these statuses in turn, and the list of advanced seconds."""
    left, passed = iter(states), []
    options = {"in_process": True, "every": 0.001, "pass_time": passed.append, **options}
    return IndividualView(lambda: person(next(left)), **options), passed


async def _live(*states, **options):
    shown, passed = line(*states, **options)
    until = time.monotonic() + 10
    while shown.refresher.is_running and time.monotonic() < until:
        await asyncio.sleep(0.01)
    return shown, passed


@pytest.mark.parametrize(("in_process", "ticks"), [(True, 1), (False, 2)])
def test_the_line_refreshes_until_a_final_status(in_process, ticks):
    """The line refreshes until a final status; only `pending` advances the time.

    Within this process the status is read again before the time advances, so it advances once less.
    """
    states = ["action_required", "action_required", "pending", "pending", "active"]
    shown, passed = asyncio.run(_live(*states, in_process=in_process))
    assert shown.resource.status == "active"
    assert passed == [0.001] * ticks
    assert not shown.refresher.is_running


def test_a_line_without_an_event_loop_is_static():
    """In a script without an event loop, the line shows the status and the next ones."""
    shown, _ = line("pending")
    assert "pending" in repr(shown)
    assert "active, action_required, rejected, under_review" in repr(shown)


def test_stop_and_go_on():
    """The button stops refreshing and starts it again."""

    async def walk():
        shown, _ = line(*["pending"] * 900)
        shown.button.press()
        stopped = shown.refresher.is_running
        shown.button.press()
        going = shown.refresher.is_running
        shown.stop()
        return stopped, going

    assert asyncio.run(walk()) == (False, True)


def failing():
    """A function that gives a person, fails, and then gives an active person."""
    answers = iter([person("pending"), APIConnectionError("no <answer>"), person("active")])

    def look():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return look


async def _by_itself(line):
    """Let the line refresh itself until it stops."""
    await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})


async def _by_hand(line):
    """Refresh the line in code."""
    line.refresh()


@pytest.mark.parametrize("fail", [_by_itself, _by_hand])
def test_a_failure_is_shown_and_ends_it(fail):
    """An error is shown, escaped, and ends refreshing; the button removes it and starts again."""

    async def walk():
        shown = IndividualView(failing(), in_process=True, every=0)
        await fail(shown)
        failed = shown.error_node.html, shown.refresher.is_running, shown.button.text
        shown.button.press()
        return failed, (shown.error_node.html, shown.resource.status)

    (trouble, running, button), after = asyncio.run(walk())
    assert "no &lt;answer&gt;" in trouble
    assert (running, button) == (False, REFRESH)
    assert after == ("", "active")


def test_current_state_is_marked():
    """The current status is marked for screen readers; an unknown status is shown too."""
    shown, _ = line("resting")
    assert [state for state, _ in shown.timeline.visited] == ["resting"]
    assert 'aria-current="step"' in shown.timeline_node.html
    assert "not known" in shown.timeline_node.html


def test_the_whole_machine_is_shown():
    """A transfer seen only as failed shows every state and move, and says what is not known."""
    transfer = {"id": "tr_1", "status": "failed", "created_at": "2026-01-15T12:00:00Z"}
    shown = TransferView(lambda: Transfer.model_validate(transfer))
    ahead = re.findall('paylab-ahead">.*?<span>(.*?)</span>', shown.timeline_node.html)
    assert set(ahead) == ({at for at, _ in TRANSFER.moves} | TRANSFER.final) - {"failed"}
    assert "Path: created → (not known) → failed." in shown.timeline_node.html
    assert "started → completed, failed, under_review" in repr(shown)


def test_the_timeline_has_every_state_with_its_time():
    """The timeline lists every status with its time; success and failure have their own style."""
    times = {"received_at": "2026-01-15T12:00:00Z"}
    out = {"initiated_at": "2026-01-15T12:00:03Z", "completed_at": "2026-01-15T12:00:09Z"}
    whole = {"id": "con_1", "status": "completed", "deposit": times, "payout": out}
    view = ConversionView(lambda: Conversion.model_validate(whole))
    assert [state for state, _ in view.timeline.visited] == ["pending", "started", "completed"]
    assert "pending (12:00:00 UTC) → started (12:00:03 UTC)" in repr(view)
    assert 'class="paylab-good" aria-current="step"' in view.timeline_node.html
    assert "The specification shows no status after this one." in view.timeline_node.html
    assert 'class="paylab-bad"' in line("rejected")[0].timeline_node.html


def test_states_before_the_first_one_seen_are_before_it():
    """A final state that was seen alone is behind the states that lead to it."""
    shown, _ = line("active")
    states = re.findall(r"<span>(\w+)</span>", shown.timeline_node.html)
    assert states.index("pending") < states.index("active") < states.index("rejected")


def test_a_state_that_comes_again_is_listed_again():
    """A status that occurs a second time is listed a second time."""
    shown, _ = line("action_required", "pending", "action_required")
    shown.refresh()
    shown.refresh()
    path = [state for state, _ in shown.timeline.visited]
    assert path == ["action_required", "pending", "action_required"]
    assert "May follow: pending." in shown.timeline_node.html


def test_hostile_words_are_text():
    """Names, statuses and messages of the service are escaped."""
    bad = "<img src=x onerror=alert(1)>"
    details = [{"code": bad, "message": bad}]
    shown = IndividualView(lambda: person(bad, given_name=bad, status_details=details))
    said = shown.timeline_node.html + shown.facts_node.html + shown._repr_mimebundle_()["text/html"]
    assert "<img" not in said


def test_a_conversion_that_is_not_there_yet():
    """A conversion that does not exist yet is shown as pending."""
    view = ConversionView(lambda: None)
    assert view.timeline.current == "pending"


START = datetime(2026, 1, 15, 12, tzinfo=UTC)
BLURRY = [("action_required", START), ("pending", START), ("action_required", START)]


@pytest.mark.parametrize(
    ("states", "history", "path"),
    [
        (["active"], [], "created → (not known) → active"),
        (["active"], [*BLURRY, ("active", START)], "action_required → pending → action_required"),
        (["active"], BLURRY, "created → (not known) → active"),  # read before the last move
        (["action_required", "active"], [("active", None)], "action_required → pending → active"),
    ],
)
def test_the_path_is_what_is_known_of_it(states, history, path):
    """The path is the history, else what was seen; states that nobody saw are not guessed."""
    times = {"created_at": START, "updated_at": START + timedelta(seconds=9)}
    if len(states) > 1:
        times["updated_at"] = START
    rows = [person(state, **times) for state in states]
    shown = IndividualView(partial(next, iter(rows)), read_history=lambda _: history)
    for _ in rows[1:]:
        shown.refresh()
    assert f"Path: {path}" in shown.timeline_node.html


@pytest.mark.parametrize(
    ("status", "label"),
    [
        ("pending", "To pay out"),
        ("started", "Is paying out"),
        ("completed", "Paid out"),
        ("failed", "Would have paid out"),
        ("resting", "Payout"),
    ],
)
def test_a_conversion_says_whether_it_paid(status, label):
    """The amount says what happened or will happen; a time that is unknown is left out."""
    payout = {"amount": "2.5", "currency": "USDC", "tx_hash": "0xabc", "completed_at": None}
    whole = {"id": "con_1", "status": status, "payout": payout, "total_fee": "0.25"}
    view = ConversionView(lambda: Conversion.model_validate(whole))
    assert (label, "2.5 USDC") in view.rows()
    assert not any(label == "Confirmed" for label, _ in view.rows())


@pytest.mark.parametrize("status", TRANSFER.states)
def test_a_transfer_says_what_was_paid_and_what_will_be(status):
    """Only a completed transfer has paid, and one that ended otherwise will never pay."""
    amounts = {"source_amount": "9", "destination_amount": "150", "source_currency": "USDC"}
    rows = transfer_rows(Transfer.model_validate({"id": "tr_1", "status": status, **amounts}))
    [label] = [label for label, text in rows if text == "150"]
    is_over = TRANSFER.is_final(status)
    assert (label == "Recipient got") is (status == "completed")
    assert ("would have" in label) is (is_over and status != "completed")
    assert any(label == "Goes back" for label, _ in rows) is (status == "failed")
    in_usd = {**amounts, "source_currency": "USD", "id": "tr_1", "status": status}
    goes_back = dict(transfer_rows(Transfer.model_validate(in_usd))).get("Goes back", "")
    assert goes_back.startswith("9 USD: the specification does not say") is (status == "failed")
    advice = dict(rows).get("What to do", "")
    assert ('new="tr_1"' in advice) is (is_over and status != "completed")


@pytest.mark.parametrize(
    ("status", "given", "held"),
    [
        ("pending", {"needs_review": True}, True),
        ("started", {"needs_review": True}, False),
        ("pending", {"needs_review": False}, False),
        ("started", {}, False),
    ],
)
def test_a_conversion_of_a_deposit_without_a_name_says_why_it_is_pending(status, given, held):
    """The row "Held" explains why a pending conversion does not continue."""
    view = ConversionView(lambda: Conversion(id="con_1", status=status), **given)
    assert any(label == "Held" for label, _ in view.rows()) is held
    payout = {"amount": "2.5", "currency": "USDC"}
    row = Conversion.model_validate({"id": "con_1", "status": status, "payout": payout})
    labels = dict(ConversionView(lambda: row, **given).rows())
    assert ("Would pay out" in labels) is held


def test_a_pending_conversion_of_an_unknown_deposit_may_be_held():
    """Without the deposit it is not known whether a pending conversion is held."""
    view = ConversionView(lambda: Conversion(id="con_1", status="pending"))
    assert dict(view.rows())["Held"].startswith("not known")


HISTORIES = [
    ("cancelled", WholeHistory, "", "You would have sent", "before it was funded"),
    ("cancelled", WholeHistory, "started", "You sent", "after it was funded"),
    ("cancelled", list, "started", "You sent", "after it was funded"),
    ("cancelled", list, "", "Source amount", "whether it had been funded is not known"),
    ("under_review", list, "started", "You sent", "what follows is not specified"),
    ("under_review", list, "", "Source amount", "what follows is not specified"),
    ("failed", list, "", "You sent", "failed"),
    ("expired", list, "", "You would have sent", "Not funded before its deadline"),
]
"""The status of a transfer, whether all states before it are known, and what is said."""


@pytest.mark.parametrize(("status", "kind", "seen", "label", "meaning"), HISTORIES)
def test_a_transfer_says_no_more_than_its_history(status, kind, seen, label, meaning):
    """Whether a transfer was funded is said if its history tells, and else not known."""
    states = ["awaiting_funds", *filter(None, [seen]), status]
    history = kind((state, None) for state in states)
    transfer = Transfer.model_validate({"id": "tr_1", "status": status, "source_amount": "9"})
    view = TransferView(lambda: transfer, read_history=lambda _: history)
    assert meaning in dict(view.rows())["Meaning"]
    assert [name for name, text in view.rows() if text == "9"] == [label]


@pytest.mark.parametrize(
    ("status", "tone", "sign"),
    [
        ("active", "paylab-good", "✓"),
        ("rejected", "paylab-bad", "✗"),
        ("action_required", "paylab-attention", "!"),
        ("pending", "", "●"),
    ],
)
def test_the_current_state_has_the_sign_of_its_meaning(status, tone, sign):
    """Success, failure and a state that needs action are marked; any other is a point."""
    shown = line(status)[0].timeline_node.html
    assert f'<li class="{tone}" aria-current="step"><span aria-hidden="true">{sign}</span>' in shown
    assert shown.count("aria-current") == 1


def test_a_state_that_was_passed_is_ticked():
    """A state that was left is ticked without a colour of attention; others are ahead."""
    shown, _ = line("action_required", "pending")
    shown.refresh()
    assert (
        '<li class=""><span aria-hidden="true">✓</span> <span>action_required'
        in shown.timeline_node.html
    )
    assert shown.timeline_node.html.count("paylab-ahead") == 3


def test_a_final_state_is_announced_once_and_not_refreshed():
    """The announcement for screen readers changes with the state only; the button offers more."""
    shown, _ = line("pending", "pending", "active")
    said = shown.announcement.html
    shown.refresh()
    assert (shown.announcement.html, "pending" in said) == (said, True)
    shown.refresh()
    assert (
        "Verification: active. The specification shows no status after this one."
        in shown.announcement.html
    )
    assert shown.button.text == REFRESH


def test_seen_states_stand_in_the_order_in_which_they_came():
    """A person who was action_required before pending is shown so, then what was not seen."""
    shown, _ = line("action_required", "pending", "active")
    shown.refresh()
    shown.refresh()
    names = re.findall(
        r"<li [^>]*><span[^>]*>.</span> <span>(\w+)</span>", shown.timeline_node.html
    )
    assert names == ["action_required", "pending", "active", "under_review", "rejected"]
