"""Charts of frames: their data, order and colours; unusual data does not make them fail."""

from __future__ import annotations

import json
import re
from collections import Counter
from decimal import Decimal
from io import BytesIO
from xml.etree import ElementTree

import pandas as pd
import pytest
import vl_convert
from PIL import Image, ImageColor

import paylab
from paylab.errors import ArgumentError, ProgramError
from paylab.simulator.simulator import Simulator
from paylab.spec import status
from paylab.views import chart_program, chart_style, charts, funnel_panel
from paylab.views.durations import short_duration

ALL = [charts.volume, charts.statuses, charts.completion, charts.failures, charts.fees]
VISIBLE = 3  # minimum contrast of a shape with its background
DARK = "#111111"  # the page colour of JupyterLab's dark theme


@pytest.fixture(name="frame", scope="module")
def transfers():
    """400 transfers of the simulator, some of them failed."""
    return paylab.connect(simulator=Simulator(transfers=400)).transfers.frame()


def values(chart):
    """The data of a chart's first layer or panel."""
    spec = chart.spec
    first = (spec.get("vconcat") or spec.get("layer") or [spec])[0]
    return (first.get("data") or spec["data"])["values"]


def said(chart):
    """The subtitle of a chart without data."""
    return chart.spec["title"].get("subtitle")


@pytest.mark.parametrize("draw", ALL)
def test_a_chart_is_a_specification_and_a_picture(frame, draw):
    """The bundle has the specification, a PNG for web pages, and the title for terminals."""
    chart = draw(frame)
    bundle, metadata = chart._repr_mimebundle_()
    assert set(bundle) == {chart_style.MIME, "image/png", "text/plain"}
    assert Image.open(BytesIO(bundle["image/png"])).width >= chart_style.WIDTH
    assert bundle["text/plain"] == repr(chart) == f"Chart({chart.title!r})"
    assert metadata[chart_style.MIME]["embed_options"]["actions"] is False


@pytest.mark.parametrize("draw", ALL)
def test_the_vega_lite_compiler_accepts_the_specification_and_finds_marks_to_draw(frame, draw):
    """The Vega-Lite compiler accepts the specification and finds marks to draw."""
    compiled = vl_convert.vegalite_to_vega(
        draw(frame).spec, vl_version=chart_program.VEGA_LITE_VERSION
    )
    assert compiled["marks"]


@pytest.mark.parametrize("draw", ALL)
def test_no_tooltip_shows_a_time_as_milliseconds(frame, draw):
    """A field that an axis reads as a time is a number in a tooltip."""
    compiled = vl_convert.vegalite_to_vega(
        draw(frame).spec, vl_version=chart_program.VEGA_LITE_VERSION
    )
    times = re.findall(r'toDate\(datum\["(\w+)"\]', str(compiled["data"]))
    tooltips = re.findall(r"'tooltip': {'signal': '(.*?)'}", str(compiled))
    assert tooltips
    assert not [field for field in times if f'datum["{field}"]' in "".join(tooltips)]


@pytest.mark.parametrize("draw", ALL)
@pytest.mark.parametrize("currencies", ["USD", "PHP USD"])
def test_a_page_can_change_the_width_of_every_chart(frame, draw, currencies):
    """A page replaces the width of the compiled chart, and adds signals that measure its output."""
    rows = pd.concat([frame.assign(source_currency=each) for each in currencies.split()])
    chart = draw(rows)
    compiled = vl_convert.vegalite_to_vega(chart.spec, vl_version=chart_program.VEGA_LITE_VERSION)
    changes = chart._repr_mimebundle_()[1][chart_style.MIME]["embed_options"]["patch"]
    assert [(each["op"], each["path"]) for each in changes] == [
        ("replace", "/width"),
        *[("add", "/signals/-")] * 2,
    ]
    signals = {each["name"]: each for each in compiled["signals"]}
    assert signals["usual_width"]["value"] == compiled["width"] > changes[0]["value"]
    assert [each["value"]["name"] for each in changes[1:]] == ["stretching", "width"]


@pytest.mark.parametrize("draw", ALL)
@pytest.mark.parametrize("made", [lambda _: None, lambda frame: frame.iloc[:0], pd.DataFrame])
def test_nothing_to_draw_is_said(frame, draw, made):
    """The chart of an empty frame, or of no frame, says that there are no rows."""
    chart = draw(pd.DataFrame() if made is pd.DataFrame else made(frame))
    assert said(chart) in {"no rows", "no row has failed"}


@pytest.mark.parametrize(
    ("draw", "missing"),
    [
        (charts.volume, "created_at"),
        (charts.volume, "source_amount"),
        (charts.volume, "source_currency"),
        (charts.statuses, "status"),
        (charts.completion, "completed_in"),
        (charts.failures, "status"),
        (charts.fees, "total_fee"),
        (charts.fees, "fee_currency"),
    ],
)
def test_a_frame_without_a_column_that_is_drawn_is_an_error(frame, draw, missing):
    """An empty chart would say that there are no rows."""
    with pytest.raises(ArgumentError, match=f"has no column {missing}: this chart draws"):
        draw(frame.drop(columns=missing))


def test_the_missing_column_of_conversions_has_its_own_name():
    """The amount of a conversion is that of its deposit."""
    rows = pd.DataFrame(
        {"deposit_currency": ["MXN"], "created_at": [pd.Timestamp("2026-01-31T00:00Z")]}
    )
    with pytest.raises(ArgumentError, match="has no column deposit_amount: this"):
        charts.volume(rows)


@pytest.mark.parametrize("draw", ALL)
@pytest.mark.parametrize("missing", ["exchange_rate", "total_fee", "source_amount"])
def test_an_amount_that_no_row_has(frame, draw, missing):
    """A column with only missing values can be drawn."""
    empty = pd.Series(pd.NA, index=frame.index, dtype=frame[missing].dtype)
    assert draw(frame.assign(**{missing: empty})).spec


@pytest.mark.parametrize("draw", ALL)
def test_conversions_are_drawn_by_the_same_functions(draw):
    """A frame of conversions, whose columns have other names, is drawn too."""
    begun, ended = pd.to_datetime(["2026-01-31T09:30:00Z", "2026-01-31T09:31:00Z"])
    row = {
        "status": "failed" if draw is charts.failures else "completed",
        "deposit_amount": Decimal("50.00"),
        "deposit_currency": "MXN",
        "payout_currency": "USDC",
        "total_fee": Decimal("0.25"),
        "fee_currency": "MXN",
        "created_at": begun,
        "payout_completed_at": ended,
    }
    assert said(draw(pd.DataFrame([row]))) is None


def test_each_currency_has_a_panel_and_exact_sums(frame):
    """Each currency has its own panel, whose tooltips have exact sums."""
    both = pd.concat([frame, frame.assign(source_currency="PHP")])
    panels = charts.volume(both).spec["vconcat"]
    titles = [panel["encoding"]["y"]["axis"]["title"] for panel in panels]
    assert titles == ["PHP a day", "USD a day"]
    for panel in panels:
        exact = [each["exact"].split()[0] for each in panel["data"]["values"]]
        total = sum(Decimal(text.replace(",", "")) for text in exact)
        assert total == frame["source_amount"].sum()


def test_small_corridors_go_together(frame):
    """Corridors beyond the maximum of the legend become "others", in grey and last."""
    many = frame.assign(destination_currency=[f"C{n % 12:02d}" for n in range(len(frame))])
    colours = charts.volume(many).spec["encoding"]["color"]["scale"]
    assert len(colours["domain"]) == charts.CORRIDORS_MAX
    assert (colours["domain"][-1], colours["range"][-1]) == ("others", chart_style.OTHER_COLOUR)


def test_a_corridor_has_one_colour_in_every_chart(frame):
    """A corridor has the same colour in volume, completion, failures and fees."""
    found = {}
    for draw in (charts.volume, charts.completion, charts.failures, charts.fees):
        spec = draw(frame).spec
        colours = (spec.get("layer") or [spec])[0]["encoding"]["color"]["scale"]
        for name, colour in zip(colours["domain"], colours["range"], strict=True):
            assert found.setdefault(name, colour) == colour
    assert len(set(found.values())) == len(found) > 4


@pytest.mark.parametrize(
    ("name", "currency"),
    [("USD-MXN", "MXN"), ("USDC-PHP", "PHP"), ("MXN-USDC", "MXN"), ("PHP-USD", "PHP")],
)
def test_a_corridor_has_the_colour_of_its_local_currency(name, currency):
    """The local currency decides the colour, not the dollar or the stablecoin."""
    assert chart_style.corridor_colour(name) == chart_style.CORRIDOR_COLOURS[currency]


@pytest.mark.parametrize(
    "colour", [*chart_style.CORRIDOR_COLOURS.values(), chart_style.OTHER_COLOUR]
)
@pytest.mark.parametrize("page", [chart_style.PAPER_COLOUR, DARK])
def test_colours_stand_out_on_light_and_dark_pages(colour, page):
    """Every colour has enough contrast with a light and a dark page."""
    assert contrast(colour, page) >= VISIBLE


@pytest.mark.parametrize(
    ("machine", "counts", "expected"),
    [
        (status.TRANSFER, {"completed": 6, "failed": 1, "expired": 3}, [10, 7, 6]),
        (status.TRANSFER, {"awaiting_funds": 2, "started": 1, "under_review": 1}, [4, 2, 0]),
        (status.TRANSFER, {"teleported": 2, "completed": 2}, [4, 2, 2]),
        (status.CONVERSION, {"failed": 2, "completed": 2}, [4, 2, 2]),
    ],
)
def test_the_funnel_counts_who_passed_each_stage(machine, counts, expected):
    """A row counts in every stage that its status implies; an unknown status only as created."""
    rows = pd.DataFrame({"status": list(Counter(counts).elements())})
    if machine is status.CONVERSION:
        rows["deposit_amount"] = None
    values = charts.statuses(rows).spec["data"]["values"]
    row_counts = {value["stage"]: value["rows"] for value in values}
    assert [row_counts[stage] for stage in funnel_panel.STAGES] == expected


def test_the_funnel_names_what_became_of_the_others():
    """Each final status is counted at the last stage that its rows reached."""
    rows = pd.DataFrame({"status": ["completed", "expired", "failed", "failed", None]})
    labels = charts.statuses(rows).spec["encoding"]["y"]["axis"]["labelExpr"]
    assert '["created", "4 (100.0%)", "1 expired"]' in labels
    assert '["started", "3 (75.0%)", "2 failed"]' in labels


def test_times_have_a_median_and_a_p95_for_each_corridor(frame):
    """Median and p95 of a corridor are computed from the rows of that corridor only."""
    [_, marks] = charts.completion(frame).spec["layer"]
    points = {each["corridor"]: each for each in marks["data"]["values"]}
    for currency, rows in frame.groupby("destination_currency", observed=True):
        seconds = rows["completed_in"].dropna().astype("float64").clip(lower=1)
        point = points[f"USD-{currency}"]
        assert point["median"] == pytest.approx(seconds.median())
        assert point["p95_text"] == short_duration(seconds.quantile(0.95))


def test_failures_have_reasons_and_shares(frame):
    """Failed rows are counted by reason and corridor, with the share of the corridor."""
    shown = values(charts.failures(frame))
    assert sum(each["rows"] for each in shown) == (frame["status"] == "failed").sum() > 0
    assert {each["reason"] for each in shown} == set(frame["failure_reason"].dropna())
    rows = (frame["destination_currency"] == "MXN").sum()
    mexican = [each for each in shown if each["corridor"] == "USD-MXN"]
    assert all(each["share"].endswith(f"of {rows:,} rows") for each in mexican)


def axis_labels(chart):
    """The labels of each axis of the picture, as a compiler draws them."""
    svg = vl_convert.vegalite_to_svg(chart.spec, vl_version=chart_program.VEGA_LITE_VERSION)
    name = "{http://www.w3.org/2000/svg}"
    for group in ElementTree.fromstring(svg).iter(f"{name}g"):
        if "role-axis-label" in group.get("class", ""):
            # Lines of a text are elements of their own.
            texts = ["".join(text.itertext()) for text in group.iter(f"{name}text")]
            yield [text for text in texts if text]


def test_the_median_and_p95_of_a_corridor_are_never_cut(frame):
    """Their labels are whole, however long the durations are."""
    rows = frame.head(1).assign(completed_in=[39_540])
    *_, labels = axis_labels(charts.completion(rows))
    assert labels == ["median 10 h 59 minp95 10 h 59 min"]


@pytest.mark.parametrize("days", [1, 2, 12, 90])
@pytest.mark.parametrize("draw", [charts.volume, charts.failures, charts.fees])
def test_no_tick_of_an_axis_is_repeated(frame, draw, days):
    """Days and whole numbers are on an axis once, however short it is."""
    since = frame["created_at"].max() - pd.Timedelta(days=days)
    for labels in axis_labels(draw(frame[frame["created_at"] >= since])):
        assert len(labels) == len(set(labels))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        *((0.5, "0.5 s"), (45.678, "45.7 s"), (90, "1 min 30 s"), (132.8, "2 min 13 s")),
        *((3599.7, "1 h"), (86_405, "1 d"), (9000, "2 h 30 min"), (4e5, "4 d 15 h")),
    ],
)
def test_durations_are_said_as_people_say_them(seconds, words):
    """A duration has its two largest units, as the table beside the chart has all of them."""
    assert short_duration(seconds) == words


def test_odd_values_do_not_stop_a_chart(frame):
    """Huge, negative and missing values and texts with markup can be drawn."""
    odd = frame.head(4).assign(
        source_amount=[Decimal("9" * 36), Decimal(-5), None, Decimal(0)],
        total_fee=[Decimal("1e-18"), Decimal(-5), None, Decimal(0)],
        completed_in=[-3, 0, None, 10**9],
        created_at=pd.NaT,
        status=["failed", '<b>"\\', "completed", None],
        failure_reason=['"]); <script>\n', None, None, None],
        destination_currency=None,
    )
    for draw in ALL:
        assert draw(odd).png()


@pytest.mark.parametrize("column", ["source_amount", "total_fee"])
@pytest.mark.parametrize("text", ["ten", "", "1e999999", "inf", "1,5"])
def test_a_text_that_is_no_amount_is_named(frame, column, text):
    """A frame of your own with a text among its amounts: an error that names the column."""
    odd = frame.head(2).astype({column: "object"})
    odd[column] = [text, "1.00"]
    for draw in (charts.volume, charts.fees):
        if text:
            with pytest.raises(ArgumentError, match=f"the column {column} has .*no amount"):
                draw(odd)
        else:
            draw(odd)


def test_an_endless_duration_is_no_point(frame):
    """A duration that is infinite is left out."""
    assert charts.completion(frame.head(2).assign(completed_in=[float("inf"), 5.0])).png()


HOSTILE = {
    "control characters": "a\x00\x07\x1b]52;c;aGk=\x07\x7f\x9b2J\r\n\t",
    "directions": "\u202eevil\u2066\u200b\u2028\ufeff",
    "surrogates": "\ud800 \udfff\ud83d",
    "a huge text": "x\x00" * 100_000,
    "an expression": "'])+alert(1)//\\u0000{{datum}}",
    "an emoji at the end": "Saldo insuficiente \U0001f600",
    "emoji": "USD" + "\U0001f600" * 60,
    "families": "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 100,
    "rare letters": "\U00020000" * 80,
    "no text": ["\x00"],
}


def drawn_texts(value, at=""):
    """Every text of a specification, with those in its expressions."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from drawn_texts(key)
            yield from drawn_texts(item, key)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from drawn_texts(item, at)
    elif at == "labelExpr" and value.startswith("({"):
        yield from drawn_texts(json.loads(value.removeprefix("(").removesuffix(")[datum.value]")))
    elif isinstance(value, str):
        yield value


def chart_functions():
    """Every public function of the module that returns a chart."""
    public = {name: made for name, made in vars(charts).items() if not name.startswith("_")}
    return {
        name
        for name, made in public.items()
        if getattr(made, "__module__", "") == charts.__name__
        and getattr(made, "__annotations__", {}).get("return") == "Chart"
    }


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_of_a_service_ends_a_chart(frame, name):
    """Texts of the service are escaped and shortened on axes, in legends, tooltips and titles."""
    assert {draw.__name__ for draw in ALL} == chart_functions()
    text = HOSTILE[name]
    columns = ("id", "failure_reason", "source_currency", "destination_currency", "fee_currency")
    odd = frame.head(3).assign(total_fee=Decimal(1), completed_in=[1, 2, 3])
    odd = odd.assign(**{each: pd.Series([text] * 3, dtype="object") for each in columns})
    for number, draw in enumerate(ALL):
        is_failed = draw is charts.failures
        states = ["failed"] * 3 if is_failed else [text, "completed", text]
        chart = draw(odd.assign(status=pd.Series(states, dtype="object")))
        texts = list(drawn_texts(chart.spec))
        assert all(each.isprintable() and len(each) < 500 for each in texts)
        if number == [*HOSTILE].index(name) % len(ALL):  # every chart is drawn with two texts
            assert chart.png().startswith(b"\x89PNG")


def test_every_text_of_a_chart_is_escaped():
    """A title and a specification of your own are escaped as well."""
    shown = chart_style.Chart(
        "a\x1b", {"mark": "bar\u202e", "data": {"values": [{"\x00": "\ud800"}]}}
    )
    assert all(map(str.isprintable, drawn_texts(shown.spec)))
    assert repr(shown).isprintable()


def test_a_chart_without_a_picture_says_why(frame):
    """When the program that draws ends, the chart says so, and the next one is drawn."""
    chart = charts.statuses(frame)
    chart.spec["title"]["text"] = "\x00"  # which ends the compiler
    with pytest.raises(ProgramError, match="the program that draws charts ended"):
        chart.png()
    bundle, _ = chart._repr_mimebundle_()
    assert "image/png" not in bundle
    assert "has no picture: the program that draws charts ended" in bundle["text/plain"]
    assert charts.statuses(frame).png().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("name", "start"), [("c.png", b"\x89PNG"), ("c.svg", b"<svg"), ("c.json", b"{")]
)
def test_a_chart_is_saved_by_the_ending_of_the_name(frame, tmp_path, name, start):
    """The file name's suffix decides whether a chart is saved as PNG, SVG or JSON."""
    assert charts.statuses(frame).save(tmp_path / name).read_bytes().startswith(start)


def test_another_ending_is_refused(frame, tmp_path):
    """The error of another suffix names the allowed ones."""
    with pytest.raises(ValueError, match=r"c\.gif.*\.png, \.svg or \.json"):
        charts.statuses(frame).save(tmp_path / "c.gif")


def contrast(one, other):
    """The contrast ratio of two colours as WCAG defines it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour):
    """The relative luminance of a colour as WCAG defines it."""
    parts = (part / 255 for part in ImageColor.getrgb(colour))
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(p * weight for p, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


@pytest.mark.parametrize(("rows", "points"), [(400, 400), (401, 201)])
def test_many_fees_are_drawn_as_a_sample(frame, rows, points):
    """At most 400 points are drawn, of rows whose amount and fee are more than 0."""
    many = pd.concat([frame, frame]).head(rows)
    assert len(values(charts.fees(many))) == points
    for name in ("source_amount", "total_fee"):
        free = many.head(3).assign(**{name: [Decimal(0), Decimal("0.01"), Decimal(5)]})
        assert len(values(charts.fees(free))) == 2


@pytest.mark.parametrize(("count", "named"), [(12, 12), (13, 13)])
def test_rare_reasons_go_together(frame, count, named):
    """Twelve reasons have a bar each; the others have one."""
    reasons = [f"reason {number % count:02d}" for number in range(30)]
    failed = frame.head(30).assign(status="failed", failure_reason=reasons)
    found = {each["reason"] for each in values(charts.failures(failed))}
    assert (len(found), "other reasons" in found) == (named, count > 12)
