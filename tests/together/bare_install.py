"""Evaluate expressions as in a bare install; `test_extras.py` runs it in a process of its own.

Every package is blocked that `pip install paylab` does not install. Standard input has one
expression per line; standard output one JSON line per result: an extra, an error, or "".
"""

import json
import re
import sys
import tomllib
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).parents[2]
QR = (ROOT / "tests/emvqr/golden/komo.txt").read_text().strip()


def wanted(name):
    """The name of a distribution in its usual spelling."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", name, maxsplit=1)[0]).lower()


def closure(names):
    """The distributions with these names that are installed, and all that they require."""
    known, todo = set(), [*names]
    while todo:
        name = wanted(todo.pop())
        if name not in known:
            known.add(name)
            with suppress(PackageNotFoundError):  # of another system or version of Python
                todo += [line for line in requires(name) or () if "extra ==" not in line]
    return known


def block():
    """Make every package missing that paylab does not require."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    allowed = closure(project["dependencies"]) | {"paylab"}
    for package, owners in packages_distributions().items():
        if package not in sys.modules and not {*map(wanted, owners)} & allowed:
            sys.modules[package] = None


def command(*argv):
    """Run a command: its status."""
    from paylab.cli.main import main

    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as errors:
        try:
            status = main(argv)
        except SystemExit as done:
            status = done.code
    if "pip install" in errors.getvalue():
        assert status == 2
        raise ModuleNotFoundError(errors.getvalue())
    return f"{status} {errors.getvalue()}" if status else ""


def pay(lab):
    """A payout to a new recipient."""
    from paylab import examples

    person = lab.individuals.create(**examples.recipient("MX"))
    account = lab.financial_accounts.create(person.id, **examples.account("MX"))
    return lab.transfers.create(
        financial_account=account,
        source_amount="10.00",
        source_currency="USD",
        destination_currency="MXN",
        payout_method="spei",
    )


def on_ramp(lab):
    """An active conversion account of a person in the Philippines."""
    from paylab import examples
    from paylab.views.specimens import specimen

    person = lab.individuals.create(**examples.individual("PH", consent_at=lab.clock()))
    sides = ("document-front", "document-back", "selfie")
    lab.individuals.upload_images(person.id, {side: specimen(side) for side in sides})
    lab.individuals.wait(person.id)
    wallet = lab.financial_accounts.create(person.id, "crypto_wallet", examples.WALLET)
    account = lab.conversion_accounts.create(person.id, wallet.id, "php")
    return lab.conversion_accounts.wait(account.id)


def main():
    """Evaluate each line."""
    block()
    import paylab
    from paylab.views.specimens import specimen

    names = {"paylab": paylab, "lab": paylab.connect(), "command": command, "pay": pay}
    names |= {"on_ramp": on_ramp, "specimen": specimen, "module": import_module, "QR": QR}
    for line in sys.stdin.read().splitlines():
        try:
            with redirect_stdout(StringIO()):
                value = eval(line, names)
            text = value if line.startswith("command(") else "False" * (value is False)
        except ImportError as error:
            found = re.search(r"pip install 'paylab\[(\w+)\]'", str(error))
            text = found[1] if found else repr(error)
        except Exception as error:
            text = repr(error)
        print(json.dumps(text))


if __name__ == "__main__":
    main()
