"""Nothing is stored on this machine: no ledger, no folder that an order needs."""

import pytest
from order_reports import visible_text
from order_scripts import INVOICE, START, ids
from payments_service import ORDER

import paylab

WRITTEN = (
    START
    + """
lab = paylab.connect()
for _ in range(2):
    print('ID', lab.transfers.create(**ORDER).id)
print('ID', lab.transfers.create(**INVOICE).id)
"""
)


def test_an_order_stores_nothing(service, start, tmp_path):
    """Paying leaves no file in the home folder but locks that are empty."""
    assert ids(start(WRITTEN)) == ["tr_1", "tr_1", "tr_2"]
    left = [path for path in (tmp_path / "first").rglob("*") if path.is_file()]
    assert [path for path in left if path.stat().st_size] == []
    assert [path for path in left if "ledger" in path.name or path.suffix == ".sqlite"] == []


FOLDERS = [
    "HOME",
    "TMPDIR",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
]


def test_an_order_needs_no_folder(service, start):
    """A payment works where nothing can be written, not even a temporary file."""
    nowhere = dict.fromkeys(FOLDERS, "/proc/self/none")
    assert ids(start(WRITTEN, **nowhere)) == ["tr_1", "tr_1", "tr_2"]
    assert len(service.payments) == 2


FULL_DISK = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"


def test_an_order_is_paid_on_a_full_disk(service, start):
    """A payment works where no byte can be written to a file."""
    assert ids(start(FULL_DISK + WRITTEN)) == ["tr_1", "tr_1", "tr_2"]
    assert len(service.payments) == 2


LEDGERS = ["orders.sqlite", "/proc/self/none/ledger", ""]


@pytest.mark.parametrize("value", LEDGERS)
def test_a_ledger_that_is_set_is_said_to_be_unused(service, connect, monkeypatch, tmp_path, value):
    """`PAYLAB_LEDGER` gives one warning that nothing is stored; its file is left alone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders.sqlite").write_bytes(b"anything")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PAYLAB_LEDGER", value)
    with visible_text() as texts:
        lab = connect()
        lab.transfers.create(**ORDER)
        lab.transfers.create(**INVOICE)
    assert texts[0].count("PAYLAB_LEDGER") == (1 if value else 0), texts[0]
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert files == {"orders.sqlite": b"anything"}
    assert len(service.payments) == 2


READ_ONLY = [
    lambda lab: lab.transfers.create(**ORDER),
    lambda lab: lab.post("/v1/transfers", json=ORDER),
]


@pytest.mark.parametrize("call", READ_ONLY)
def test_a_read_only_lab_pays_nothing(service, connect, call):
    """A lab that only reads sends no order."""
    with pytest.raises(paylab.ReadOnlyError):
        call(connect(read_only=True))
    assert service.payments == []
