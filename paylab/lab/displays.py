"""Register the HTML views of results with IPython, by type name."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

from ..spec.text import printable

VIEWS = {
    ("paylab.client.call", "Call"): "calls.call_card",
    ("paylab.client.call_log", "CallLog"): "calls.calls_table",
    ("paylab.frames.exact_frame", "ExactFrame"): "frames.frame_card",
    ("paylab.lab.lab", "Lab"): "results.lab_card",
    ("paylab.lab.scenarios", "ScenarioRun"): "scenarios.run_card",
    ("paylab.payments.batch_results", "BatchResults"): "batches.results_card",
    ("paylab.payments.plan", "Plan"): "batches.plan_card",
    ("paylab.drift.drift", "Drift"): "probe.drift_table",
    ("paylab.probe.report", "Report"): "probe.report_table",
    ("paylab.readiness.report", "Readiness"): "readiness.readiness_card",
    ("paylab.signing.explanation", "Explanation"): "calls.explanation_card",
    ("paylab.simulator.fault_controls", "FaultControls"): "results.faults_table",
    ("paylab.simulator.controls", "Controls"): "results.controls_card",
    ("paylab.simulator.scenarios", "Scenarios"): "results.scenarios_table",
    ("paylab.simulator.simulator", "Simulator"): "results.simulator_card",
    ("paylab.spec.assumptions.assumption", "Assumption"): "reference.assumption_card",
    ("paylab.spec.resource", "Resource"): "results.resource_card",
    ("paylab.spec.page", "Page"): "results.page_table",
    ("paylab.spec.paging", "Items"): "results.items_card",
    ("paylab.spec.paging", "Pager"): "results.pager_table",
    ("paylab.spec.service.service", "Service"): "calls.service_table",
    ("paylab.webhooks.arrivals", "Arrivals"): "inbox.arrivals_card",
    ("paylab.webhooks.report", "Reconciliation"): "results.reconciliation_card",
}
"""The view function of each type, as module and name."""


def running_shell() -> Any:
    """The running IPython; None outside IPython. This does not import IPython."""
    ipython_module = sys.modules.get("IPython.core.getipython")
    return ipython_module.get_ipython() if ipython_module else None


def register_displays() -> None:
    """Register the views with a running IPython; modules are imported on first display."""
    shell = running_shell()
    if shell is None or shell.display_formatter is None:
        return
    _show_warnings(shell)
    _register_completion(shell)
    html_formatter = shell.display_formatter.formatters["text/html"]
    for (module_name, class_name), view_path in VIEWS.items():
        html_formatter.for_type_by_name(module_name, class_name, _make_view(view_path))


class ValueMatcher:
    """A matcher of IPython's completer: the words that an argument of paylab takes."""

    matcher_api_version = 2
    matcher_identifier = "paylab.values"

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self.__qualname__ = self.matcher_identifier  # IPython reads this name

    def __call__(self, context: Any) -> Any:
        """The completions at the cursor."""
        from ..views.completion import complete_values

        return complete_values(context, self._shell.user_ns)


def _register_completion(shell: Any) -> None:
    """Complete values in a notebook, unless this is done already or the shell completes nothing."""
    matchers = getattr(getattr(shell, "Completer", None), "custom_matchers", None)
    if matchers is not None and not any(isinstance(matcher, ValueMatcher) for matcher in matchers):
        matchers.append(ValueMatcher(shell))


class NoticeHandler(logging.Handler):
    """Shows warnings of the log as labelled notices below the cell, where stderr is red."""

    def __init__(self, show: Callable[[str], None]) -> None:
        """Handle records from the level WARNING on."""
        super().__init__(logging.WARNING)
        self._show = show

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record."""
        self._show(record.getMessage())


class WarningNotices:
    """A `warnings.showwarning`: paylab's own are labelled notices, `other` shows all others."""

    def __init__(self, show: Callable[[str], None], other: Callable[..., None]) -> None:
        self._show = show
        self._other = other

    def __call__(
        self, message: Warning | str, category: type[Warning], *place: Any, **file_options: Any
    ) -> None:
        """Show a warning. `place` and `file_options` say where; they go to `other` unchanged."""
        if category.__module__.startswith("paylab."):
            self._show(str(message))
        else:
            self._other(message, category, *place, **file_options)


def _show_warnings(shell: Any) -> None:
    """Show warnings in a notebook as notices.

    Those of the log are shown unless the user's program has a handler of its own for them.
    """
    if not hasattr(shell, "kernel"):
        return  # a terminal shows stderr as it is
    logger = logging.getLogger("paylab")
    if not logger.hasHandlers():
        logger.addHandler(NoticeHandler(show_warning))
    if not isinstance(warnings.showwarning, WarningNotices):
        warnings.showwarning = WarningNotices(show_warning, warnings.showwarning)


def make_call_display(listen: Callable[..., Any]) -> Any:
    """Make a display that shows each call when it is made; `listen(f)` calls `f` with each."""
    from ..views.calls import CallDisplay

    return CallDisplay(listen)


def show_wait() -> AbstractContextManager[Callable[[str], None]]:
    """Show the state of a wait, below the cell or in the terminal."""
    from ..views.progress import waiting

    return waiting()


def show_warning(text: str) -> None:
    """Show a warning: below the cell of a notebook, else on stderr."""
    show_notice(text, "Warning")


def running_cell() -> str:
    """The id of the notebook's cell that runs now; empty outside a notebook."""
    request = getattr(running_shell(), "parent_header", None) or {}
    return str(request.get("metadata", {}).get("cellId", ""))


def show_notice(text: str, label: str = "Notice") -> None:
    """Show a notice with its label: below the cell of a notebook, else on stderr as it is."""
    shell = running_shell()
    text = printable(text)
    if not hasattr(shell, "kernel"):
        print(text, file=sys.stderr)  # noqa: T201 - a notice of a script
        return
    from ..views.html import labelled_notice

    mime_bundle = {"text/plain": text, "text/html": labelled_notice(text, label)}
    shell.display_pub.publish(mime_bundle)


def show(result: Any) -> str | None:
    """The HTML of a result; None if its type has no view."""
    for result_class in type(result).__mro__:
        view_path = VIEWS.get((result_class.__module__, result_class.__name__))
        if view_path is not None:
            return _make_view(view_path)(result)
    return None


def _make_view(view_path: str) -> Callable[[Any], str]:
    """Make the view function of a path, such as "calls.call_card"; the first use imports it."""
    module_name, _, function_name = view_path.partition(".")

    def view(result: Any) -> str:
        """The HTML of a result."""
        view_module = import_module(f"paylab.views.{module_name}")
        return str(getattr(view_module, function_name)(result))

    return view
