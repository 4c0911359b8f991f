"""A bare install: what works in it, and which command installs the rest."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from bare_install import closure, wanted

import paylab
from paylab.cli.main import COMMANDS
from paylab.cli.payout import TEMPLATE
from paylab.errors.extras import EXTRAS, LAB_EXTRAS, extra_imports

PACKAGE = Path(paylab.__file__).parent
PROJECT = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
OPTIONAL = PROJECT["optional-dependencies"]
NOTEBOOKS = PACKAGE.parent / "notebooks"
HEAVY = {package for packages in EXTRAS.values() for package in packages}
GATED = {"frames", "views/forms"}
"""Folders whose `__init__` imports the packages of an extra first."""

WORKS = """
command('doctor')
command('walkthrough', 'ph')
command('get', '/v1/transfers')
command('post', '/v1/quotes', '--help')
command('list', '/v1/transfers')
command('payout', '--template')
command('payout', 'payouts.csv', '--dry-run')
command('probe')
command('calls', '--help')
command('listen', '--help')
command('trigger', '--help')
command('simulator', '--help')
command('openapi')
command('requests', '--help')
command('proxy', '--help')
command('lab', '--help')
command('qr', QR, '--out', 'qr.png')
command('sign', 'GET', 'https://pay.test/v1/transfers')
command('scrub', 'calls.har')
command('ready', '--har', 'calls.har', '--html', 'ready.html')
command('init', '--help')
repr(lab), repr(lab.calls), lab.drift, lab.place, lab.sources()
lab.webhook_subscriptions.list()[:1], repr(lab.financial_accounts), repr(lab.sandbox)
lab.get('/v1/transfers') and lab.request('GET', '/v1/transfers')
pay(lab).status
lab.compare({}, 'GET', '/v1/transfers')
lab.explain() and lab.calls.har('calls.har')
lab.record('session.har').stop()
lab.trigger('transfer.completed') and lab.events() and lab.inbox()._repr_mimebundle_()
lab.watch(paylab.events.Router()).stop()
lab.deposit_card(on_ramp(lab))._repr_mimebundle_()
lab.serve().stop(), lab.sleep(1), lab.clock()
repr(lab.scenarios), lab.panel().rows(), repr(lab.balance())
lab.transfers.check_many('payouts.csv').totals()
lab.transfers.list().to_list(3)
lab.probe()
'image/png' not in module('paylab.views.chart_style').Chart('', {})._repr_mimebundle_()[0]
b'verification_image_blurry' in specimen('selfie', fault='verification_image_blurry')
""".strip().splitlines()

NEEDS = {
    "command('lab')": "lab",
    "command('site', '--out', 'site')": "site",
    "command('walkthrough', 'ph', '--out', 'out')": "frames",
    "command('export', 'transfers', '--to', 'all.csv')": "frames",
    "command('sync', 'transfers', 'all')": "frames",
    "command('payout', 'payouts.csv', '--yes')": "frames",
    "command('reconcile', 'books.csv')": "frames",
    "command('qr', '--scan', 'qr.png')": "images",
    "lab.transfers.frame()": "frames",
    "lab.transfers.to_polars()": "polars",
    "lab.transfers.export('all.csv')": "frames",
    "lab.transfers.create_many('payouts.csv')": "frames",
    "lab.transfers.check_many('payouts.csv').frame()": "frames",
    "lab.conversions.frame()": "frames",
    "lab.conversions.export('all.parquet')": "frames",
    "lab.individuals.frame()": "frames",
    "lab.conversion_accounts.frame()": "frames",
    "lab.quotes.frame([])": "frames",
    "lab.quotes.compare([], source_amount='5')": "frames",
    "lab.calls.frame()": "frames",
    "lab.calls.on_screen()": "lab",
    "lab.inbox().frame()": "frames",
    "lab.reconcile()": "frames",
    "lab.onramp('PH')": "lab",
    "lab.status('x')": "lab",
    "lab.open(pay(lab).id)": "lab",
    "lab.forms.wallet('x')": "lab",
    "lab.forms.images('x')": "lab",
    "lab.forms.transfer('x')": "lab",
    "paylab.read_csv('all.csv')": "frames",
    "paylab.frames": "frames",
    "module('paylab.views.charts')": "frames",
    "module('paylab.views.chart_style').Chart('a', {}).png()": "charts",
    "specimen('selfie', kind='pdf')": "images",
}
"""What needs an extra, and its name."""


@pytest.fixture(scope="module")
def owners():
    """The distributions of each package that is installed."""
    return packages_distributions()


@pytest.fixture(scope="module", name="bare")
def results(tmp_path_factory):
    """The result of each line in a process without the packages of extras."""
    lines, folder = [*WORKS, *NEEDS], tmp_path_factory.mktemp("bare")
    (folder / "payouts.csv").write_text(TEMPLATE)
    (folder / "calls.har").write_text('{"log": {"entries": []}}')
    command = [sys.executable, str(Path(__file__).with_name("bare_install.py"))]
    free = {name: value for name, value in os.environ.items() if not name.startswith("PAYLAB_")}
    done = subprocess.run(
        command,
        input="\n".join(lines),
        cwd=folder,
        env={**free},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(lines, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("line", WORKS)
def test_works_in_a_bare_install(bare, line):
    """Client, commands and simulator need no extra."""
    assert bare[line] == ""


@pytest.mark.parametrize("line", NEEDS)
def test_what_needs_an_extra_says_how_to_install_it(bare, line):
    """The error is an ImportError with the command; a command ends with status 2."""
    assert bare[line] == NEEDS[line]


def test_every_command_and_method_is_in_the_tables():
    """No command and no public method of a lab is missing from the two tables."""
    lines = "\n".join([*WORKS, *NEEDS])
    assert not [name for name in COMMANDS if f"command('{name}'" not in lines]
    public = (name for name in vars(paylab.Lab) if not name.startswith("_"))
    shown = {"is_embedded", "simulator", "post", "close"}
    assert not [name for name in public if name not in shown and f"lab.{name}" not in lines]


def test_extras_have_the_packages_that_errors_name(owners):
    """The extra that an error names installs the package, and `lab` includes its parts."""
    for extra, packages in EXTRAS.items():
        installed = closure(line for line in OPTIONAL[extra] if not line.startswith("paylab["))
        assert not [one for one in packages if not {*map(wanted, owners[one])} & installed]
    parts = OPTIONAL["lab"][0].removeprefix("paylab[").removesuffix("]").split(",")
    assert sorted(parts) == sorted(LAB_EXTRAS)


def test_lab_has_what_the_notebooks_import(owners):
    """Every package that a notebook imports comes with the extra `lab`."""
    extras = [line for extra in ("lab", *LAB_EXTRAS) for line in OPTIONAL[extra]]
    lines = [line for line in extras if not line.startswith("paylab[")]
    installed = closure([*lines, *PROJECT["dependencies"]]) | {"paylab"}
    books = list(NOTEBOOKS.glob("*.ipynb"))
    assert books
    for book in books:
        cells = json.loads(book.read_text())["cells"]
        code = "".join("".join(each["source"]) + "\n" for each in cells)
        for name in re.findall(r"^ *(?:import|from) (\w+)", code, re.MULTILINE):
            assert {*map(wanted, owners.get(name, ["paylab"]))} & installed, (book.name, name)


def test_imports_of_an_extra_are_explained():
    """A package of an extra is imported in `with extra_imports()`, or its folder begins so."""
    bad = []
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE)
        if GATED & {str(parent) for parent in place.parents} or path.stem.endswith("_program"):
            continue
        text = path.read_text()
        if not any(name in text for name in HEAVY):
            continue
        tree = ast.parse(text)
        allowed = [
            node
            for node in ast.walk(tree)
            if (isinstance(node, ast.With) and "extra_imports" in ast.unparse(node.items[0]))
            or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        ]
        inside = {id(node) for block in allowed for node in ast.walk(block)}
        for node in ast.walk(tree):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            heavy = {name.split(".")[0] for name in names} & HEAVY
            bad += [f"{place}:{node.lineno}"] if heavy and id(node) not in inside else []
    assert not bad


def test_other_missing_packages_are_not_explained():
    """A missing package of no extra raises Python's own error."""
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such'"), extra_imports():
        import no_such  # noqa: F401
