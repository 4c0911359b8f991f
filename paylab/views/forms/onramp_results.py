"""The results of the steps of an on-ramp: found again for an individual, and as text."""

from __future__ import annotations

from collections.abc import Callable

from ...errors.base import OptionError, Problem
from ...spec import codes
from ...spec.models import (
    Conversion,
    ConversionAccount,
    Deposit,
    FinancialAccount,
    Individual,
    VerificationImages,
)
from ...spec.resource import creation_time
from ...spec.text import JsonObject
from ..cells import cell
from ..ids import shorten_id
from ..specimens import SIDE_LABELS


def find_results(
    person: Individual,
    country: str,
    find_account: Callable[[Individual], ConversionAccount | None],
    find_conversion: Callable[[ConversionAccount], Conversion | None],
) -> JsonObject:
    """Find the results of the steps that an existing individual has done, by the name of the step.

    OptionError if the individual is of another country than `country`.
    """
    if str(person.country).upper() != country:
        reason_text = f"is {country}, and {person.id} is of {person.country}"
        raise OptionError([Problem("country", reason_text)])
    results_of_done_steps: JsonObject = {"person": person}
    if person.status != "action_required":
        results_of_done_steps["images"] = "uploaded"
    if person.status != "active":
        return results_of_done_steps
    account = find_account(person)
    conversion = find_conversion(account) if account else None
    result_by_step = {
        "verification": person,
        "wallet": _find_newest_wallet(person),
        "account": account,
        "deposit": conversion,  # a conversion shows that its deposit was paid
    }
    for step_name, step_result in result_by_step.items():
        if step_result is not None:
            results_of_done_steps[step_name] = step_result
    return results_of_done_steps


def _find_newest_wallet(person: Individual) -> FinancialAccount | None:
    """The crypto wallet that was registered last; None if there is none."""
    wallets = [
        account
        for account in person.financial_accounts or []
        if isinstance(account, FinancialAccount) and account.type == codes.CRYPTO_WALLET
    ]
    # Of wallets of one time, the last in the list is the newest.
    return max(reversed(wallets), key=creation_time, default=None)


def short_result_text(result: object) -> str:
    """The result of a step in one line: its id without the middle, and its status or amount.

    A result without an id and images are written as by `result_text`.
    """
    if isinstance(result, VerificationImages) or not hasattr(result, "id"):
        return result_text(result)
    short_id = shorten_id(str(result.id))
    detail_text = _detail_text(result)
    return f"{short_id}, {detail_text}" if detail_text else short_id


def result_html(result: object) -> str:
    """The result of a step as HTML: its id, and its status with a dot, or its amount."""
    resource_id = getattr(result, "id", None)
    if resource_id is None:
        return cell(result_text(result))
    return f"{cell(resource_id)} &ensp;{cell(_detail_text(result))}"


def result_text(result: object) -> str:
    """The result of a step: its id with its status or amount, stored images, or "not yet"."""
    if result is None:
        return "not yet"
    if isinstance(result, VerificationImages) and result.images:
        sides_text = ", ".join(
            SIDE_LABELS.get(str(image.type), str(image.type)) for image in result.images
        )
        return f"Stored: {sides_text.lower()}"
    resource_id = getattr(result, "id", None) or getattr(result, "individual_id", None)
    id_text = str(resource_id or result)
    detail_text = _detail_text(result)
    return f"{id_text}, {detail_text}" if detail_text else id_text


def _detail_text(result: object) -> str:
    """The amount of a deposit, and the status of any other result; empty if it has none."""
    if isinstance(result, Deposit):
        return f"{result.amount} {result.currency or ''}".strip()
    return str(getattr(result, "status", None) or "")
