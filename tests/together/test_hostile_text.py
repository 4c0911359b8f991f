"""Text of a service in all that a person reads: reprs, messages, log lines, notes and frames.

The public objects are derived from the package. A new class with a repr or a message of its own
fails here until it has a row in `SHOWN`.
"""

from __future__ import annotations

import inspect
import json
import logging
import pickle
import warnings
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import SimpleNamespace

import httpx
import pandas as pd
import pytest

import paylab
from paylab import light_dataclass
from paylab.client.call import Body, Call, Har
from paylab.client.settings import Settings
from paylab.corridors.account_types import Account, DetailField
from paylab.corridors.corridor import Rail
from paylab.drift.drift import CountedDifference, Drift
from paylab.errors import PaylabError, PaylabWarning, Problem, ReplayError, RuleError
from paylab.lab.lab import Lab
from paylab.logs import log
from paylab.signing.explanation import ExplainedLine, Layer, explain_text
from paylab.spec.models import Balance, Transfer
from paylab.spec.service import Service
from paylab.views.progress import PlainText
from paylab.webhooks.event import Event

HOSTILE = (
    "é日\x00\x07\x1b]52;c;aGk=\x07\x1b[2J\x7f\x85\x9b2J\u202e\u2066\u200b\u2028\ufeff\u3164\ud800"
)
LINES = f"one\n{HOSTILE}\ntwo"
DIFFERENCE = CountedDifference("field", HOSTILE, HOSTILE, 1, 1, HOSTILE)
ROOT = Path(paylab.__file__).parent
NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


def is_safe(text):
    """Whether a text of lines has nothing that a terminal obeys or a reader cannot see."""
    return all(map(str.isprintable, text.split("\n")))


def bare(kind, /, **values):
    """An object with these attributes, made without its constructor."""
    made = kind.__new__(kind)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def hostile_lab():
    """A lab on a service that answers with hostile text in every place, after a few calls."""

    def answer(request):
        row = {"id": HOSTILE, "status": HOSTILE, HOSTILE: HOSTILE, "source_currency": HOSTILE}
        headers = [(b"x-odd", b"a\x1b[2Jb"), (b"server", b"\x9b2J")]
        if request.method == "GET":
            page = {"data": [row], "has_next_page": False}
            return httpx.Response(200, content=json.dumps(page), headers=headers)
        problems = [{"field": HOSTILE, "message": HOSTILE}]
        body = {"error": LINES, "errors": problems}
        return httpx.Response(400, content=json.dumps(body), headers=headers)

    settings = Settings("http://127.0.0.1", "key", "secret")
    lab = Lab(settings, transport=httpx.MockTransport(answer))
    lab.transfers.list().to_list()
    return lab


def hostile_panel():
    """A panel of calls that have hostile text."""
    lab = hostile_lab()
    with pytest.raises(PaylabError):
        lab.individuals.create(given_name="A", extra={"x": 1})
    return lab.panel()


def refused():
    """The error of a refused call."""
    with pytest.raises(PaylabError) as error:
        hostile_lab().individuals.create(given_name="A", extra={"x": 1})
    return error.value


CALL = Call(NOW, "GET", f"/v1/{HOSTILE}", f"http://x/{HOSTILE}", error=HOSTILE)
ROW = {"method": HOSTILE, "path": HOSTILE, "status": 200, "verdicts": {}, "number": 1}

SHOWN = {
    "client.call.Timings": "numbers only",
    "client.call.Body": lambda: Body(LINES, 3),
    "client.call.Call": lambda: CALL,
    "client.call.DeferredCall": "shows nothing of its call",
    "client.call_log.CallLog": lambda: hostile_lab().calls,
    "client.recording.Recording": lambda: bare(
        import_module("paylab.client.recording").Recording, _file=None, count=1, path=Path(HOSTILE)
    ),
    "client.replay.RecordedCall": lambda: bare(
        import_module("paylab.client.replay").RecordedCall,
        number=1,
        request=SimpleNamespace(method=HOSTILE, path=HOSTILE),
    ),
    "client.call.Har": lambda: bare(Har, path=Path(HOSTILE), count=1),
    "client.client.Client": lambda: hostile_lab().client,
    "client.session.Session": lambda: hostile_lab().client.session,
    "corridors.account_types.Account": lambda: Account(
        HOSTILE, (bare(DetailField, name=HOSTILE, form=None, forms={}),), "spec"
    ),
    "corridors.corridor.Rail": lambda: bare(Rail, method=HOSTILE, settlement=HOSTILE),
    "corridors.corridor.Corridor": "checked in tests/corridors",
    "corridors.corridor_table.Corridors": "our own facts",
    "errors.module_names.PublicModule": "our own words",
    "errors.annotations.WrittenAnnotation": "an annotation of ours",
    "errors.base.Problem": lambda: Problem(HOSTILE, LINES),
    "errors.base.PaylabError": refused,
    "errors.base.PaylabWarning": lambda: PaylabWarning(LINES),
    "errors.base.ReplayError": lambda: ReplayError(HOSTILE, HOSTILE, [HOSTILE]),
    "errors.base.UnknownItemError": lambda: paylab.errors.UnknownItemError(LINES),
    "errors.base.UnknownNameError": lambda: paylab.errors.UnknownNameError(
        HOSTILE, HOSTILE, [HOSTILE]
    ),
    "frames.dataset.Dataset": lambda: paylab.frames.Dataset(
        f"memory://{HOSTILE.translate({0: None, 0xD800: None})}"  # no name of a file can hold it
    ),
    "frames.results.Export": "our own words",  # and the path that the caller gave
    "frames.results.SyncResult": "our own words",
    "frames.exact_frame.ExactFrame": lambda: hostile_lab().transfers.frame().head(),
    "frames.exact_frame.ExactSeries": lambda: hostile_lab().transfers.frame()["status"],
    "lab.balance.AccountBalance": lambda: import_module("paylab.lab.balance").AccountBalance(
        lambda: [Balance(currency=HOSTILE, available=HOSTILE)], None, lambda: HOSTILE
    ),
    "lab.lab.Lab": hostile_lab,
    "lab.panel.Panel": hostile_panel,
    "lab.scenarios.ScenarioRun": lambda: bare(
        import_module("paylab.lab.scenarios").ScenarioRun,
        scenario=SimpleNamespace(label=HOSTILE),
        resource=SimpleNamespace(id=HOSTILE, status=HOSTILE),
        way=(SimpleNamespace(at=None, status=HOSTILE, what=HOSTILE),),
        place=HOSTILE,
    ),
    "lab.scenarios.ScenarioRunner": "our own words",
    "lab.service_time.LabClock": "our own words",
    "lab.place.Place": lambda: bare(
        import_module("paylab.lab.place").Place, kind="recording", base_url="http://x", file=HOSTILE
    ),
    "drift.drift.CountedDifference": lambda: DIFFERENCE,
    "drift.drift.Drift": lambda: Drift([DIFFERENCE]),
    "probe.report.Report": lambda: import_module("paylab.probe.report").Report(
        (HOSTILE,), (), Service(), hopeless=HOSTILE
    ),
    "probe.stages.Stage": lambda: import_module("paylab.probe.stages").Stage(
        "PH", LINES, (HOSTILE,)
    ),
    "proxy.proxy.Proxy": "its own address and the service's, which is checked",
    "readiness.item.Evidence": lambda: import_module("paylab.readiness.item").Evidence(
        HOSTILE, HOSTILE, HOSTILE, HOSTILE
    ),
    "readiness.report.Readiness": "numbers only",
    "redaction.hiding.Secret": lambda: import_module("paylab.redaction.hiding").Secret(HOSTILE),
    "redaction.scrub.Leak": lambda: import_module("paylab.redaction.scrub").Leak(HOSTILE, HOSTILE),
    "signing.canonical.Signature": lambda: paylab.signing.Signature(HOSTILE, HOSTILE, HOSTILE),
    "signing.explanation.Layer": lambda: Layer(
        HOSTILE, (ExplainedLine(HOSTILE, HOSTILE, HOSTILE),)
    ),
    "signing.explanation.Explanation": lambda: explain_text(LINES, LINES),
    "signing.findings.Finding": lambda: paylab.signing.Finding(
        False, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE
    ),
    "simulator.controls.Controls": "constant",
    "simulator.clock_panel.ClockPanel": "constant",
    "simulator.fault_controls.FaultControls": "constant",
    "simulator.deliveries.Deliveries": "constant",
    "simulator.rehearsal.Rehearsal": "names of our own items",
    "simulator.requests.Requests": "constant",
    "simulator.requests.JournalRequest": lambda: bare(
        import_module("paylab.simulator.requests").JournalRequest, row=ROW
    ),
    "simulator.scenarios.Scenarios": lambda: bare(
        import_module("paylab.simulator.scenarios").Scenarios,
        _scenario_by_name={HOSTILE: SimpleNamespace(value=HOSTILE, outcome=HOSTILE)},
    ),
    "simulator.simulator.Simulator": lambda: paylab.connect().simulator,
    "spec.assumptions.assumption.Assumption": "our own words",
    "spec.models.PendingInstructions": lambda: paylab.models.PendingInstructions(HOSTILE),
    "spec.money.Amount": "plain digits only",
    "spec.paging.Pager": lambda: hostile_lab().transfers.list(limit=1),
    "spec.resource.Resource": lambda: Transfer.model_validate({HOSTILE: HOSTILE}),
    "spec.service.frozen.FrozenDict": lambda: Service().quotes.fields,
    "spec.service.service.Service": lambda: Service({"paths.transfers": "/v1/transfers"}),
    "testing.world.PaylabWorld": "its own address",
    "views.calls.CallDisplay": "constant",
    "views.cards.Card": "html.plain_text, checked in tests/views",
    "views.chart_style.Chart": lambda: import_module("paylab.views.chart_style").Chart(HOSTILE, {}),
    "views.forms.view.FormPage": "html.plain_text",
    "views.inbox.InboxView": "checked in tests/views/test_inbox.py",
    "views.panel.PanelView": "checked in tests/browser/test_panel.py",
    "views.progress.Bar": "our own words",
    "views.progress.Line": "our own words",
    "views.progress.PlainText": "its repr is checked below",
    "views.qr.QR": lambda: import_module("paylab.views.qr").QR("a\x1b[2J\u202e\u9b00"),
    "views.specimens.Specimen": "its type and its size",
    "webhooks.arrivals.Arrivals": "checked in tests/webhooks/test_arrivals.py",
    "webhooks.event.Event": lambda: Event(
        HOSTILE, {"id": HOSTILE, "status": HOSTILE}, Transfer.model_validate({})
    ),
    "webhooks.inbox.Inbox": "the display of its arrivals",
    "webhooks.polling.Watch": "numbers only",
    "webhooks.report.Reconciliation": "checked in tests/webhooks",
}
"""For each class with a repr or a message of its own: an object with hostile text, or why none."""

REPRS = ("__repr__", "__str__", "_text", "_repr_html_", "_repr_mimebundle_")
NOT_YET = ("payments.",)
"""Orders: their results are frames, their problems those of rules."""


def classes():
    """Every public class of the package, by the name of its module."""
    found = {}
    for module in walk_packages(paylab.__path__, "paylab."):
        if module.name.endswith("__main__"):
            continue
        for name, kind in vars(import_module(module.name)).items():
            if inspect.isclass(kind) and kind.__module__ == module.name and name[0] != "_":
                found[f"{module.name.removeprefix('paylab.')}.{name}"] = kind
    return found


def has_own_text(kind):
    """Whether a class has a repr or a message that was written by hand."""
    for name in REPRS:
        function = inspect.unwrap(vars(kind).get(name, int))
        is_written = inspect.isfunction(function) and function.__name__ != "list_offers"
        path = function.__code__.co_filename if is_written else ""
        if path.startswith(f"{ROOT}") and path != light_dataclass.__file__:
            return True
    return False


def filled(kind):
    """An object of a dataclass or an error whose every field is hostile text."""
    if is_dataclass(kind):
        return bare(kind, **{field.name: HOSTILE for field in fields(kind)})
    if issubclass(kind, tuple):
        return tuple.__new__(kind, [HOSTILE] * len(kind._fields))
    names = inspect.signature(kind.__init__).parameters
    error = bare(
        kind, **{name: HOSTILE for name in names if name not in ("self", "hint", "message")}
    )
    error.args = (LINES,)
    return error


def texts(shown):
    """All texts of an object that a person may see."""
    yield from (repr(shown), str(shown))
    if isinstance(shown, PaylabError):
        yield from (*shown.card(), *getattr(shown, "__notes__", ()), shown.traceback())
        yield from map(str, (shown.hint, pickle.loads(pickle.dumps(shown))))
    html = getattr(shown, "_repr_html_", lambda: None)()
    yield from [html] if html else []


def test_every_class_with_a_text_of_its_own_has_a_row():
    """A new class with a repr or a message of its own is added to the table above."""
    own = {name for name, kind in classes().items() if has_own_text(kind)}
    assert {name for name in own if not name.startswith(NOT_YET)} == set(SHOWN)


@pytest.mark.parametrize("name", [name for name in SHOWN if callable(SHOWN[name])])
def test_no_text_of_a_service_reaches_a_terminal_as_it_is(name):
    """The repr, text, HTML, card, notes and traceback of an object are escaped."""
    for text in texts(SHOWN[name]()):
        assert is_safe(text), ascii(text)


def test_dataclasses_and_errors_are_safe_by_construction():
    """Every other public dataclass, tuple with names, error and warning shows escaped text."""
    checked = 0
    for name, kind in classes().items():
        is_tuple = issubclass(kind, tuple) and hasattr(kind, "_fields")
        is_error = issubclass(kind, PaylabError | PaylabWarning)
        if name in SHOWN or not (is_tuple or is_error or is_dataclass(kind)):
            continue
        if any(has_own_text(base) for base in kind.__mro__[:-1]) and not is_error:
            continue
        checked += 1
        shown = filled(kind)
        assert is_safe(repr(shown)), name
        assert is_safe(str(shown)), name
    assert checked > 100


def test_errors_of_every_kind_show_their_words(capsys):
    """A rule that was broken and a refused call show the words of both, and letters stay."""
    error = RuleError([Problem(HOSTILE, HOSTILE)], hint=LINES)
    error.add_note(HOSTILE)
    assert all(map(is_safe, texts(error)))
    assert "é日" in str(error)
    assert "\\x1b[2J" in str(error)


@pytest.mark.parametrize("log_of", [log, logging.getLogger("paylab"), logging.getLogger("httpx")])
def test_a_line_of_the_log_is_escaped_with_its_arguments_and_its_traceback(log_of, caplog):
    """A line of the log is escaped, with its arguments and its traceback."""
    hostile_lab()
    caplog.set_level(logging.DEBUG, log_of.name)
    try:
        raise ValueError(LINES)
    except ValueError:
        log_of.exception("no %s", HOSTILE)
    assert "\\x1b[2J" in caplog.text
    assert is_safe(caplog.text)


def test_the_text_of_every_warning_of_paylab_is_escaped(recwarn):
    """The text of every warning of paylab is escaped."""
    kinds = [kind for kind in classes().values() if issubclass(kind, PaylabWarning)]
    others = [kind for kind in classes().values() if issubclass(kind, Warning)]
    assert kinds == others
    for kind in kinds:
        warnings.warn(LINES, kind, stacklevel=1)
    assert len(recwarn) == len(kinds)
    assert all(is_safe(str(each.message)) for each in recwarn)


def test_frames_and_what_is_made_of_them(tmp_path):
    """Columns, rows, counts and sums of a frame are escaped when shown, and exact when written."""
    frame = hostile_lab().transfers.frame(extra=True)
    column = frame["status"]
    made = (frame.head(), frame.T, frame.iloc[0], column, column.value_counts(), frame.dtypes)
    made += (frame.set_index("id"), frame.groupby("id").size(), frame.paylab.summarize())
    made += (frame.melt(), column.astype(str), frame.nunique(), pd.concat([column, column]))
    for each in made:
        assert is_safe(repr(each)), ascii(repr(each))
        assert is_safe(each.to_string())
    assert frame["status"].iloc[0].startswith("é日\x00\x07\x1b")
    assert "\x1b" in frame.to_csv()


def test_the_state_of_what_is_awaited_is_escaped_whatever_it_is():
    """The state of what is awaited is escaped, whatever it is."""
    assert repr(PlainText(HOSTILE)) == repr(PlainText(HOSTILE)).encode("utf-8").decode()
    assert is_safe(repr(PlainText(HOSTILE)))
