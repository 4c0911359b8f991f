"""Names of calls as a notebook writes them: `lab.inbox()` for a method of the class `Webhooks`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

_CLASSES_BY_PART: Mapping[str, str] = MappingProxyType(
    {
        "lab": "Lab Webhooks Funds Signatures Panels ObjectBrowser",
        "lab.client": "Client",
        "lab.individuals": "Individuals LabIndividuals",
        "lab.financial_accounts": "FinancialAccounts",
        "lab.quotes": "Quotes LabQuotes",
        "lab.transfers": "Transfers LabTransfers",
        "lab.conversion_accounts": "ConversionAccounts LabConversionAccounts",
        "lab.conversions": "Conversions LabConversions",
        "lab.sandbox": "Sandbox",
        "lab.webhook_subscriptions": "WebhookSubscriptions",
        "lab.calls": "CallLog",
        "lab.forms": "Forms PayoutForms",
        "lab.scenarios": "ScenarioRunner",
        "lab.settings": "Settings",
        "lab.simulator": "Controls",
        "lab.simulator.clock": "ClockPanel",
        "lab.simulator.faults": "FaultControls",
        "lab.simulator.requests": "Requests",
        "lab.simulator.deliveries": "Deliveries",
        "frame.paylab": "Accessor",
    }
)
"""The classes of each part of a lab."""

_PART_BY_CLASS = {
    class_name: part_name
    for part_name, class_names in _CLASSES_BY_PART.items()
    for class_name in class_names.split()
}


def owner_name(class_name: str) -> str:
    """The name by which the object of a class is reached: `lab.transfers` for `LabTransfers`.

    Of a class that is no part of a lab it is its own name.
    """
    return _PART_BY_CLASS.get(class_name, class_name)


def call_name(function: Callable[..., object]) -> str:
    """The name that a call writes: `lab.transfers.get`; the name of the class for `__init__`."""
    if function.__qualname__ == "Client.request":
        return "lab.request"  # a lab has the function of its client
    class_name, dot, function_name = function.__qualname__.rpartition(".")
    if function_name == "__init__":
        return class_name
    if function_name == "__call__":
        return owner_name(class_name)
    return f"{owner_name(class_name)}{dot}{function_name}"
