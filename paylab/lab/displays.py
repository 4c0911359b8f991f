"""How notebooks show what a lab gives: HTML views, registered with IPython by the type's name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

VIEWS = {
    ("paylab.client.call", "Call"): "calls.call_card",
    ("paylab.client.calls", "CallLog"): "calls.calls_table",
    ("paylab.lab.lab", "Lab"): "results.lab_card",
    ("paylab.payments.ledger", "Ledger"): "calls.ledger_table",
    ("paylab.probe.drift", "Drift"): "probe.drift_table",
    ("paylab.probe.report", "Report"): "probe.report_table",
    ("paylab.simulator.panel", "FaultPanel"): "results.faults_table",
    ("paylab.simulator.panel", "Panel"): "results.panel_card",
    ("paylab.simulator.panel", "Scenarios"): "results.scenarios_table",
    ("paylab.simulator.simulator", "Simulator"): "results.simulator_card",
    ("paylab.spec.resource", "Resource"): "results.resource_card",
    ("paylab.spec.paging", "Page"): "results.page_table",
    ("paylab.spec.paging", "Pager"): "results.pager_table",
    ("paylab.spec.service", "Service"): "calls.service_table",
    ("paylab.webhooks.report", "Reconciliation"): "results.reconciliation_card",
}
"""The function in a module of `views` that shows a type."""


def register_displays() -> None:
    """Let a running IPython show these types as HTML; nothing is imported before one is shown."""
    module = sys.modules.get("IPython.core.getipython")
    shell = module.get_ipython() if module else None
    if shell is None or shell.display_formatter is None:
        return
    html = shell.display_formatter.formatters["text/html"]
    for (home, name), view in VIEWS.items():
        html.for_type_by_name(home, name, _view(view))


def on_screen(listen: Callable[..., Any]) -> Any:
    """Show calls as they are made."""
    from ..views.calls import OnScreen

    return OnScreen(listen)


def wait_shown() -> AbstractContextManager[Callable[[str], None]]:
    """Show how a wait goes, below the cell or in the terminal."""
    from ..views.progress import waiting

    return waiting()


def show(value: Any) -> str | None:
    """The HTML of a value, as a notebook shows it; None when its type has no view."""
    for kind in type(value).__mro__:
        view = VIEWS.get((kind.__module__, kind.__name__))
        if view is not None:
            return _view(view)(value)
    return None


def _view(name: str) -> Callable[[Any], str]:
    module, _, function = name.partition(".")
    return lambda value: str(getattr(import_module(f"paylab.views.{module}"), function)(value))
