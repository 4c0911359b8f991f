"""The HTML report of a probe: complete, escaped, and without external resources."""

import re

from paylab.lab.lab import connect
from paylab.probe.report import ProbeFinding, Report
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service
from paylab.views.probe import report_page, report_table


def test_the_page_holds_every_answer_and_the_call_behind_it():
    """It begins with how far the walk came; every link leads to a call; it loads nothing."""
    simulator = Simulator(transfers=30, service=Service({"lists.items": "items"}))
    with connect(simulator=simulator, service=Service()) as lab:
        page = report_page(lab.probe())
        assert lab.settings.secret_key.reveal() not in page
    assert "proven: items" in page
    assert page.index("Lists: complete") < page.index("Differs from what is assumed")
    links = set(re.findall(r'href="#(call-\d+)"', page))
    assert links
    assert links <= set(re.findall(r'id="(call-\d+)"', page))
    assert not re.search(r"<script|<link|src=|@import", page)


def test_words_of_a_service_are_text_on_the_page():
    """Markup in a refusal and in how far the walk came is escaped, as is the address."""
    finding = ProbeFinding("lists.items", "refused", None, "<img src=x onerror=alert(1)>")
    report = Report(("<b>x</b>",), (finding,), Service(), address="http://a/<i>")
    for shown in (report_page(report), report_table(report)):
        assert not re.findall("<img|<b>x|<i>", shown)
        assert "&lt;img" in shown
        assert "&lt;b&gt;x&lt;/b&gt;" in shown
    assert "http://a/&lt;i&gt;" in report_page(report)
