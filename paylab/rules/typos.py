"""Check digits: what looks like a typing mistake, which is a warning and never a refusal."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from stdnum import bic, iban
from stdnum.ar import cbu, cuit
from stdnum.br import cnpj, cpf
from stdnum.co import nit
from stdnum.mx import curp

from ..account_fields import Form
from ..errors import Problem
from . import clabe
from .fields import fits


class CheckDigit(NamedTuple):
    """An algorithm and the name people know it by."""

    name: str
    holds: Callable[[str], bool]


def _is_tin(number: str) -> bool:
    """9 digits, or 12 to 14 with a branch: it has no public check digit."""
    return re.fullmatch("[0-9]{9}(?:[0-9]{3,5})?", number.replace("-", "")) is not None


ALGORITHMS = {
    "bic": CheckDigit("BIC", bic.is_valid),
    "cbu": CheckDigit("CBU or CVU", cbu.is_valid),
    "clabe": CheckDigit("CLABE", clabe.is_valid),
    "cnpj": CheckDigit("CNPJ", cnpj.is_valid),
    "cpf": CheckDigit("CPF", cpf.is_valid),
    "cuit": CheckDigit("CUIT or CUIL", cuit.is_valid),
    "curp": CheckDigit("CURP", curp.is_valid),
    "iban": CheckDigit("IBAN", iban.is_valid),
    "nit": CheckDigit("NIT", nit.is_valid),
    "tin": CheckDigit("TIN of 9 digits and perhaps a branch", _is_tin),
}


def warn(form: Form, value: object, field: str) -> list[Problem]:
    """A warning where the form has a check digit and the value, otherwise good, breaks it."""
    algorithm = ALGORITHMS.get(form.check_digit)
    if algorithm is None or not isinstance(value, str) or fits(form)(value, field):
        return []
    message = f"looks mistyped: it is no valid {algorithm.name}, look at every digit again"
    return [] if algorithm.holds(value) else [Problem(field, message, "check-digits")]
