"""The Python code that does the same as a form."""

from __future__ import annotations

import json
from collections.abc import Mapping

WIDTH = 88
INDENT = "    "


class Expression(str):
    """Text that stands in code as it is: a name or a call, no literal."""

    __slots__ = ()


def call(function: str, arguments: Mapping[str, object], *positional: object, to: str = "") -> str:
    """`to = function(positional, name=value)`, over several lines where one is too long."""
    given = [literal(value) for value in positional]
    given += [f"{name}={literal(value)}" for name, value in arguments.items()]
    begin = f"{to} = {function}" if to else function
    line = f"{begin}({', '.join(given)})"
    if len(line) <= WIDTH:
        return line
    broken = [literal(value, broken=True) for value in positional]
    broken += [f"{name}={literal(value, broken=True)}" for name, value in arguments.items()]
    return "\n".join([f"{begin}(", *(f"{INDENT}{argument}," for argument in broken), ")"])


def literal(value: object, *, broken: bool = False) -> str:
    """A value as Python source; broken, a long object has an entry a line."""
    if isinstance(value, Expression) or not isinstance(value, str | Mapping | list):
        return str(value) if isinstance(value, Expression) else repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    entries = [f"{literal(key)}: {literal(one)}" for key, one in value.items()]
    line = f"{{{', '.join(entries)}}}"
    if not broken or len(line) <= WIDTH - 2 * len(INDENT):
        return line
    return "\n".join(["{", *(f"{INDENT * 2}{entry}," for entry in entries), f"{INDENT}}}"])


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
