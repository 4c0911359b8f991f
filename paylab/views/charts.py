"""Pictures of a frame of transfers or conversions, static, readable in a light and a dark page.

Each takes a frame and gives a `Chart`, which a notebook shows and keeps as PNG. An empty frame
gives an empty picture that says so. Floats are good enough to draw; for sums that are exact
there is `paylab.frames.summarize`.
"""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from PIL import Image

from ..spec import status

PAPER, INK, FAINT = "#fbfbfa", "#24292f", "#d4d7dc"
COLOURS = ("#2f6fb3", "#c9741f", "#3a8a5f", "#b14a7b", "#6b5fb3", "#8a6d3b", "#3d8f96", "#c0564b")
REST = "#9aa1ab"
GOOD, BAD, OPEN = COLOURS[2], COLOURS[7], COLOURS[0]
MOST_POINTS = 20_000
MOST_DAYS = 10  # labelled on an axis
LEVEL = 7  # that many labels stand side by side
TICKS = (1, 10, 60, 600, 3_600, 36_000, 86_400, 864_000)  # seconds
COLOURS_KEPT = 32
QUANTILES = ("p50", "p90", "p99")
DRAWN = {
    "status": "word",
    "source_currency": "currency",
    "destination_currency": "currency",
    "fee_currency": "currency",
    "source_amount": "number",
    "total_fee": "number",
    "completed_in": "number",
    "created_at": "time",
}
OF_CONVERSIONS = {
    "source_amount": "deposit_amount",
    "source_currency": "deposit_currency",
    "destination_currency": "payout_currency",
}


class Chart(Figure):
    """A matplotlib figure on paper of its own; its text says what it shows."""

    def __init__(self, title: str, panels: int = 1, height: float = 3.2) -> None:
        super().__init__(figsize=(8.4, height * panels), facecolor=PAPER, layout="constrained")
        FigureCanvasAgg(self)
        self.title = title
        self.suptitle(title, color=INK, fontsize=12, fontweight="bold", x=0.01, ha="left")
        self.panels = [_plain(self.add_subplot(panels, 1, at + 1)) for at in range(panels)]

    def __repr__(self) -> str:
        return f"Chart({self.title!r})"

    def __str__(self) -> str:
        return repr(self)

    def _repr_png_(self) -> bytes:
        drawn, picture = BytesIO(), BytesIO()
        self.savefig(drawn, format="png", dpi=100, facecolor=PAPER, metadata={"Software": None})
        few = Image.open(drawn).convert("RGB").quantize(COLOURS_KEPT, dither=Image.Dither.NONE)
        few.save(picture, format="png", optimize=True)  # a third of the size: small notebooks
        return picture.getvalue()


def volume(frame: pd.DataFrame | None) -> Chart:
    """Source volume per day and corridor, a panel for each currency."""
    rows = _rows(frame).dropna(subset=["created_at", "source_amount", "source_currency"])
    rows["day"] = rows["created_at"].dt.strftime("%Y-%m-%d")
    rows["corridor"] = rows["source_currency"] + "-" + rows["destination_currency"].fillna("?")
    currencies = sorted(rows["source_currency"].unique())
    chart = Chart("Volume per day and corridor", max(1, len(currencies)))
    for panel, currency in zip(chart.panels, currencies, strict=False):
        _stacked(panel, rows[rows["source_currency"] == currency], currency)
    return _or_empty(chart, filled=bool(currencies))


def statuses(frame: pd.DataFrame | None) -> Chart:
    """How many rows stand where, from the first status to the final ones, with their share."""
    counts = _rows(frame)["status"].value_counts()
    words = _in_order(counts.index)
    chart = Chart("Status funnel", height=max(2.0, 0.4 * len(words) + 0.9))
    panel, total = chart.panels[0], int(counts.sum())
    values = [int(counts[word]) for word in words]
    bars = panel.barh(words, values, color=[_standing(word) for word in words])
    panel.bar_label(bars, [f" {n:,}  {n / total:.1%}" for n in values], color=INK, fontsize=9)
    panel.margins(x=0.15)
    panel.invert_yaxis()
    panel.set_xlabel("rows")
    return _or_empty(chart, filled=bool(words))


def completion(frame: pd.DataFrame | None) -> Chart:
    """How long completed rows took, on a logarithmic scale, with p50, p90 and p99."""
    times = _rows(frame)["completed_in"]
    seconds = times[times >= 0].clip(lower=1)
    chart = Chart("Time to completion")
    panel = chart.panels[0]
    if len(seconds):
        panel.hist(seconds, bins=_log_bins(float(seconds.max())), color=OPEN, edgecolor=PAPER)
        panel.set_xscale("log")
        ticks = [tick for tick in TICKS if tick <= seconds.max()]
        panel.set_xticks(ticks, [duration(tick) for tick in ticks])
        for name, colour in zip(QUANTILES, (GOOD, COLOURS[1], BAD), strict=True):
            value = float(seconds.quantile(int(name[1:]) / 100))
            label = f"{name} {duration(value)}"
            panel.axvline(value, color=colour, linewidth=2, label=label)
        _legend(panel)
        panel.set_ylabel("rows")
    return _or_empty(chart, filled=len(seconds) > 0)


def fees(frame: pd.DataFrame | None) -> Chart:
    """Fee against amount, a panel for each currency in which both are given."""
    points = _rows(frame)
    points = points[points["source_currency"] == points["fee_currency"]]
    points = points[(points["source_amount"] > 0) & (points["total_fee"] > 0)]
    currencies = sorted(points["source_currency"].unique())
    chart = Chart("Fees against amount", max(1, len(currencies)))
    for panel, currency in zip(chart.panels, currencies, strict=False):
        _cloud(panel, points[points["source_currency"] == currency], currency)
    return _or_empty(chart, filled=bool(currencies))


def duration(seconds: float) -> str:
    """Seconds as people say them: 45 s, 3 min, 2.5 h, 4 d."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def _plain(panel: Axes) -> Axes:
    panel.set_facecolor(PAPER)
    panel.tick_params(colors=INK, labelsize=9)
    for side, spine in panel.spines.items():
        spine.set_color(FAINT)
        spine.set_visible(side in ("left", "bottom"))
    for label in (panel.xaxis.label, panel.yaxis.label):
        label.set_color(INK)
    return panel


def _or_empty(chart: Chart, *, filled: bool) -> Chart:
    if not filled:
        panel = chart.panels[0]
        panel.set_axis_off()
        panel.text(0.5, 0.5, "no rows", color=INK, ha="center", transform=panel.transAxes)
    return chart


def _stacked(panel: Axes, rows: pd.DataFrame, currency: str) -> None:
    cells = rows.assign(corridor=_most(rows["corridor"], rows["source_amount"]))
    pivot = cells.pivot_table(
        index="day", columns="corridor", values="source_amount", aggfunc="sum", fill_value=0.0
    )
    pivot = pivot[_largest_first(pivot.sum())]
    bottom = pd.Series(0.0, pivot.index)
    for name, colour in zip(pivot.columns, _colours(pivot.columns), strict=True):
        panel.bar(range(len(pivot)), pivot[name], bottom=bottom, color=colour, label=name)
        bottom += pivot[name]
    step = -(-len(pivot) // MOST_DAYS)
    days = list(pivot.index[::step])
    panel.set_xticks(range(0, len(pivot), step), days, rotation=20 if len(days) > LEVEL else 0)
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    panel.set_ylabel(currency)
    _legend(panel)


def _most(names: pd.Series[Any], amounts: pd.Series[Any]) -> pd.Series[Any]:
    """The names of the largest sums; the rest together."""
    largest = _largest_first(amounts.groupby(names).sum())
    kept = largest if len(largest) <= len(COLOURS) else largest[: len(COLOURS) - 1]
    return names.where(names.isin(kept), "others")


def _largest_first(sums: pd.Series[Any]) -> list[str]:
    named = sorted(sums.items(), key=lambda item: (-item[1], str(item[0])))
    return [str(name) for name, _ in named]


def _colours(names: Iterable[str]) -> list[str]:
    """A colour each; the rest together is grey."""
    return [
        REST if name == "others" else colour for name, colour in zip(names, COLOURS, strict=False)
    ]


def _in_order(words: Iterable[str]) -> list[str]:
    """Statuses in the order of their machine, unknown ones last."""
    known = dict.fromkeys((*status.TRANSFER.states, *status.CONVERSION.states))
    order = {word: place for place, word in enumerate(known)}
    return sorted(words, key=lambda word: (order.get(word, len(order)), word))


def _standing(word: str) -> str:
    if word == "completed":
        return GOOD
    ended = status.TRANSFER.is_final(word) or status.CONVERSION.is_final(word)
    return BAD if ended else OPEN


def _log_bins(longest: float) -> list[float]:
    bins, edge = [1.0], 1.0
    while edge <= longest:
        edge *= 10 ** (1 / 8)
        bins.append(edge)
    return bins


def _cloud(panel: Axes, points: pd.DataFrame, currency: str) -> None:
    shown = points.iloc[:: -(-len(points) // MOST_POINTS)]
    panel.scatter(
        shown["source_amount"], shown["total_fee"], s=14, alpha=0.6, color=OPEN, linewidths=0
    )
    short = FuncFormatter(lambda value, _: f"{value:,.6g}")
    for axis, scale in ((panel.xaxis, panel.set_xscale), (panel.yaxis, panel.set_yscale)):
        scale("log")
        axis.set_major_formatter(short)
        axis.set_minor_formatter(FuncFormatter(lambda *_: ""))
    panel.set_xlabel(f"amount, {currency}")
    panel.set_ylabel(f"fee, {currency}")


def _legend(panel: Axes) -> None:
    panel.legend(
        frameon=False, labelcolor=INK, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0)
    )


def _rows(frame: pd.DataFrame | None) -> pd.DataFrame:
    """What is drawn, under the names that transfers have: floats, upper-case words, instants."""
    given = pd.DataFrame() if frame is None else frame
    return pd.DataFrame({name: _column(given, name, kind) for name, kind in DRAWN.items()})


def _column(frame: pd.DataFrame, name: str, kind: str) -> pd.Series[Any]:
    found = frame.get(name if name in frame else OF_CONVERSIONS.get(name, name))
    if found is None and name == "completed_in" and "payout_completed_at" in frame:
        ended, begun = (_typed(frame[at], "time") for at in ("payout_completed_at", "created_at"))
        return (ended - begun).dt.total_seconds()
    column = pd.Series(index=frame.index, dtype="object") if found is None else found
    return _typed(column, kind)


def _typed(column: pd.Series[Any], kind: str) -> pd.Series[Any]:
    if kind == "time":
        return pd.to_datetime(column.astype("object"), utc=True, errors="coerce")
    if kind == "number" and column.isna().all():  # which pandas cannot convert from decimals
        return pd.Series(index=column.index, dtype="float64")
    if kind == "number":
        return pd.to_numeric(column, errors="coerce").astype("float64")
    words = column.astype("object").where(column.notna(), None)
    return words.str.upper() if kind == "currency" and words.notna().any() else words
