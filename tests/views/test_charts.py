"""Charts of frames: what they draw, in what order, and that nothing makes them fail."""

from __future__ import annotations

from decimal import Decimal
from io import BytesIO

import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

import paylab
from paylab.views import charts

ALL = [charts.volume, charts.statuses, charts.completion, charts.fees]
READABLE = 4.5  # contrast of text with what is behind it


@pytest.fixture(name="frame", scope="module")
def transfers():
    """What the embedded simulator holds."""
    return paylab.connect().transfers.frame()


def texts(panel):
    """The words of an axis, a legend and the panel."""
    legend = panel.get_legend()
    marks = [*panel.get_yticklabels(), *(legend.get_texts() if legend else []), *panel.texts]
    return [mark.get_text().strip() for mark in marks]


@pytest.mark.parametrize("draw", ALL)
def test_picture(frame, draw):
    """A chart is a picture of its own, the same every time."""
    png = draw(frame)._repr_png_()
    picture = Image.open(BytesIO(png)).convert("RGB")
    assert picture.size[0] == 840
    assert len(set(picture.get_flattened_data())) > 20
    assert png == draw(frame)._repr_png_()


@pytest.mark.parametrize("draw", ALL)
@pytest.mark.parametrize("made", [lambda _: None, lambda frame: frame.iloc[:0], pd.DataFrame])
def test_nothing(frame, draw, made):
    """Nothing to draw is said."""
    chart = draw(pd.DataFrame() if made is pd.DataFrame else made(frame))
    assert "no rows" in texts(chart.panels[0])
    assert chart._repr_png_()


@pytest.mark.parametrize("draw", ALL)
@pytest.mark.parametrize("missing", ["exchange_rate", "total_fee", "source_amount"])
def test_an_amount_that_no_row_has(frame, draw, missing):
    """A column of nothing but missing values, in the type it has."""
    empty = pd.Series(pd.NA, index=frame.index, dtype=frame[missing].dtype)
    assert draw(frame.assign(**{missing: empty}))._repr_png_()


@pytest.mark.parametrize("draw", ALL)
def test_conversions(draw):
    """Conversions are drawn by the same functions."""
    begun, ended = pd.to_datetime(["2026-01-31T09:30:00Z", "2026-01-31T09:31:00Z"])
    row = {
        "status": "completed",
        "deposit_amount": Decimal("50.00"),
        "deposit_currency": "MXN",
        "payout_currency": "USDC",
        "total_fee": Decimal("0.25"),
        "fee_currency": "MXN",
        "created_at": begun,
        "payout_completed_at": ended,
    }
    assert "no rows" not in texts(draw(pd.DataFrame([row])).panels[0])


def test_volume_is_per_currency(frame):
    """Amounts of two currencies are never added: each has a panel; small corridors go together."""
    usd = frame.assign(destination_currency=[f"C{n % 12:02d}" for n in range(len(frame))])
    both = pd.concat([usd, frame.assign(source_currency="PHP")])
    top, bottom = charts.volume(both).panels
    assert (top.get_ylabel(), bottom.get_ylabel()) == ("PHP", "USD")
    drawn = sum(bar.get_height() for bar in bottom.patches)
    assert drawn == pytest.approx(float(frame["source_amount"].sum()))
    assert "others" in texts(bottom)


def test_statuses_in_order(frame):
    """Statuses stand in the order of a transfer's life, with counts, unknown ones last."""
    rows = pd.DataFrame({"status": ["teleported", "completed", "awaiting_funds", "completed"]})
    found = texts(charts.statuses(rows).panels[0])
    assert found[:3] == ["awaiting_funds", "completed", "teleported"]
    assert "2  50.0%" in found
    assert frame["status"].nunique() == len(charts.statuses(frame).panels[0].patches)


def test_quantiles_are_named(frame):
    """The times within which half, nine of ten and 99 of 100 were done."""
    quantiles = frame["completed_in"].astype("float64").quantile([0.5, 0.9, 0.99])
    expected = [
        f"{name} {charts.duration(value)}"
        for name, value in zip(charts.QUANTILES, quantiles, strict=True)
    ]
    assert [
        text for text in texts(charts.completion(frame).panels[0]) if text[0] == "p"
    ] == expected


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.5, "0.5 s"), (45, "45 s"), (90, "1.5 min"), (9000, "2.5 h"), (4e5, "4.63 d")],
)
def test_duration(seconds, said):
    """Seconds as people say them."""
    assert charts.duration(seconds) == said


def test_odd_frames(frame):
    """Huge, negative and missing amounts and times do not stop a picture."""
    odd = frame.head(4).assign(
        source_amount=[Decimal("9" * 36), Decimal(-5), None, Decimal(0)],
        total_fee=[Decimal("1e-18"), Decimal(-5), None, Decimal(0)],
        completed_in=[-3, 0, None, 10**9],
        created_at=pd.NaT,
        destination_currency=None,
    )
    for draw in ALL:
        assert draw(odd)._repr_png_()


@pytest.mark.parametrize("colour", [charts.INK, *charts.COLOURS])
def test_contrast(colour):
    """Text reads on the paper whatever the page around it; shapes stand out from it."""
    least = READABLE if colour == charts.INK else 3
    assert contrast(colour, charts.PAPER) >= least


def contrast(one, other):
    """How far apart two colours are, as the accessibility guidelines count it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour):
    """How bright a colour is."""
    parts = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in to_rgb(colour)
    ]
    return sum(part * weight for part, weight in zip(parts, (0.2126, 0.7152, 0.0722), strict=True))
