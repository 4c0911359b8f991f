"""The HTML report of a probe: complete, escaped, and without external resources."""

import re

from paylab.lab.lab import connect
from paylab.probe.report import ProbeFinding, Report
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service
from paylab.views.probe import report_page, report_table


def test_the_page_holds_every_answer_and_the_call_behind_it():
    """Every link leads to a call on the page, and the page loads nothing."""
    simulator = Simulator(transfers=30, service=Service({"lists.items": "items"}))
    with connect(simulator=simulator, service=Service()) as lab:
        page = report_page(lab.probe(budget=40))
        assert lab.settings.secret_key.reveal() not in page
    assert "differs: items" in page
    links = set(re.findall(r'href="#(call-\d+)"', page))
    assert links
    assert links <= set(re.findall(r'id="(call-\d+)"', page))
    assert not re.search(r"<script|<link|src=|@import", page)


def test_words_of_a_service_are_text_on_the_page():
    """Markup in a response and in a remark is escaped; on the page, also in the address."""
    finding = ProbeFinding("lists.items", "could not tell", None, "<img src=x onerror=alert(1)>")
    report = Report((finding,), Service(), remarks=("<b>x</b>",), address="http://a/<i>")
    for shown in (report_page(report), report_table(report)):
        assert not re.findall("<img|<b>x|<i>", shown)
        assert "&lt;img" in shown
        assert "&lt;b&gt;x&lt;/b&gt;" in shown
    assert "http://a/&lt;i&gt;" in report_page(report)
