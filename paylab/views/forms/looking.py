"""The code that looks up what a step of the on-ramp made, for a walk that was taken up again."""

from __future__ import annotations

from .code import call

# Function and result; the id it is given is the person's, or the conversion account's.
CALLS = {
    "person": ("lab.individuals.get", "person"),
    "images": ("lab.individuals.images", "images"),
    "verification": ("lab.individuals.wait", "person"),
    "account": ("lab.conversion_accounts.get", "account"),
}
WALLET = 'wallet = next(one for one in person.financial_accounts if one.type == "crypto_wallet")'


def looking_up(step: str, of: str | None) -> str:
    """The call for a step; empty as long as there is nothing to ask about."""
    if of is None:
        return ""
    if step in CALLS:
        function, to = CALLS[step]
        return call(function, {}, of, to=to)
    if step == "wallet":
        return WALLET
    waited = call("lab.conversions.wait", {"conversion_account_id": of}, to="conversion")
    return waited if step == "conversion" else f"{waited}\ndeposit = conversion.deposit"
