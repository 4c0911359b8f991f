"""The notebooks on services with one deviation each, unchanged or with a probe's settings."""

from __future__ import annotations

import pytest
from independent_service import DEVIATIONS, Server, Service

import paylab

NOTEBOOKS = ("00", "10", "20", "30", "40")
NEED_A_FILE = {
    *("blank-query-line", "key-hex", "key-base64"),
    *(name for name in DEVIATIONS if name.startswith(("quotes-", "deposit-"))),
    *("conversion-accounts-kebab", "conversions-at-on-ramp", "transfer-get-singular"),
    *("wallet-fields", "wallet-fields-lenient", "networks-few", "networks-upper"),
    *("clabe-account-number", "clabe-number", "clabe-with-holder"),
    *("issuer-bank-code", "issuers-other", "pix-key-types", "rail-mx-bitso"),
    *("quote-fields", "transfer-quote-reference", "transfer-reference-required"),
    *("conversion-account-customer", "amounts-numbers-only", "address-complete"),
    *(name for name in DEVIATIONS if name.startswith("individual-")),
    *("lists-array", "conversions-array", "envelope-names", "conversions-envelope-names"),
    *("largest-page-50", "rate-limit-reset", "rate-limit-timestamp", "rate-limit-milliseconds"),
}
"""Deviations that need a service.toml; with the others the notebooks run without one."""
ABSENT = {*(name for name in DEVIATIONS if name.startswith("no-")), "production"}
"""Deviations without some operations, with which the notebooks go on at a later section."""


def check(run, deviation, notebooks, folder, monkeypatch):
    """Run the notebooks on a service with a deviation; if they fail, again with a probe's file."""
    with Server(Service([deviation])) as server:
        if deviation in NEED_A_FILE:
            for variable, value in server.environment.items():
                monkeypatch.setenv(variable, value)
            with paylab.connect() as lab:
                lab.probe(write=True, sandbox=True, to=folder / "service.toml")
            monkeypatch.setenv("PAYLAB_SERVICE", str(folder / "service.toml"))
        told = {name: "\n".join(run(name, server)) for name in notebooks}
    left_out = [name for name, text in told.items() if "on with section" in text]
    assert not left_out or deviation in ABSENT, told[left_out[0]]


def test_a_notebook_runs_on_a_service_that_differs(run, tmp_path, monkeypatch):
    """It needs the settings that a probe of the service writes."""
    check(run, "quote-fields", ["40"], tmp_path, monkeypatch)


@pytest.mark.whole_table
@pytest.mark.parametrize("deviation", DEVIATIONS)
def test_the_notebooks_run_on_any_service(run, deviation, tmp_path, monkeypatch):
    """They run unchanged or with the probe's service.toml, without any key set by hand."""
    check(run, deviation, NOTEBOOKS, tmp_path, monkeypatch)


def test_every_deviation_of_the_table_exists():
    """A renamed deviation must also be renamed in the table of this test."""
    assert {*DEVIATIONS} >= NEED_A_FILE | ABSENT
