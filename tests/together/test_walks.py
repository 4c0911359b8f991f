"""Client, simulator, frames and views together: both on-ramps with exact amounts."""

import csv
from decimal import Decimal

import pytest
import zxingcpp
from PIL import Image

from paylab.cli.main import main


def rows(path):
    """The rows of a CSV as text."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module", params=["mx", "ph"])
def walk(request, tmp_path_factory):
    """Run a walk-through on the command line; return its country, folder and output."""
    import contextlib
    import io

    folder, printed = tmp_path_factory.mktemp(request.param), io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(["walkthrough", request.param, "--out", str(folder)]) == 0
    return request.param, folder, printed.getvalue()


def test_the_walk_prints_the_events_of_its_conversion_in_order(walk):
    """The output has the events of the conversion in order, and last its status and amount."""
    _, folder, printed = walk
    [row] = rows(folder / "conversions.csv")
    events = [line.split() for line in printed.splitlines() if line.startswith("Event ")]
    assert [words[2:] for words in events] == [
        ["conversion.created", row["id"], "pending"],
        ["conversion.payout_initiated", row["id"], "started"],
        ["conversion.completed", row["id"], "completed"],
    ]
    last = f"{row['id']} completed: {row['payout_amount']} USDC, {row['payout_tx_hash']}"
    assert [line for line in printed.splitlines() if line.startswith("Conversion ")] == [
        f"Conversion   {last}"
    ]


def test_the_picture_holds_the_payload_shown(walk):
    """An independent reader decodes the PNG to the text that was printed; Mexico has no PNG."""
    country, folder, printed = walk
    if country == "mx":
        assert not (folder / "qrph.png").exists()
        return
    with Image.open(folder / "qrph.png") as picture:
        [code] = zxingcpp.read_barcodes(picture)
    assert f"Text         {code.text}\n" in printed


def test_the_amounts_are_those_of_the_service(walk):
    """The payout is the deposit less 0.5 %, times the rate, rounded to 6 decimals."""
    country, folder, _ = walk
    [row] = rows(folder / "conversions.csv")
    paid, rate = {"mx": ("50", "0.05425583"), "ph": ("100", "0.01751209")}[country]
    expected = (Decimal(paid) * Decimal("0.995") * Decimal(rate)).quantize(Decimal("0.000001"))
    assert row["payout_amount"] == str(expected)
    assert row["deposit_amount"] == f"{paid}.00"


def test_the_csv_holds_what_the_service_sent(lab, tmp_path):
    """The CSV has the id and amounts of each transfer exactly as the service sent them."""
    lab.transfers.export(tmp_path / "t.csv")
    sent = [row for page in lab.transfers.list(limit=100).raw_pages() for row in page.data]
    names = ("id", "source_amount", "destination_amount", "exchange_rate", "total_fee")
    written = rows(tmp_path / "t.csv")
    assert [[row[name] for name in names] for row in written] == [
        [row[name] for name in names] for row in sent
    ]
