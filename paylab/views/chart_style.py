"""Vega-Lite specifications: the parts that all charts share.

JupyterLab, Notebook and VS Code draw a specification offline, in the colour of their text, light or
dark, with tooltips and a legend that filters. A web page shows the same chart as PNG.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Literal

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, ProgramError
from ..errors.extras import MissingExtraError
from ..files import path_of
from ..spec.text import JsonObject, JsonValue, plain, printable
from .programs import draw_chart

Spec = JsonObject
"""A part of a Vega-Lite specification."""

MIME = "application/vnd.vegalite.v5+json"
VEGA_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
WIDTH = 540
"""The width of a picture in pixels; a page draws a chart narrower or wider, as its output."""
PANEL_WIDTH = 470
"""The width of a panel of several in one chart, without its axes."""
PAPER_COLOUR = "#fbfbfa"
TEXT_LENGTH_MAX = 200
"""Maximum characters of a text in a chart."""
ASTRAL_CHARACTERS = re.compile("[\U00010000-\U0010ffff]")
_STRETCHING_SIGNAL: JsonObject = {
    "name": "stretching",
    "value": "",
    "bind": {
        "input": "text",
        "name": " ",  # else that of the signal is shown
        "size": 999,
        "style": "display:block;width:100%;height:0;margin:0;padding:0;border:0;visibility:hidden",
    },
}
"""An invisible input that stretches the box of a chart to the width of the output.

Without it the box is as wide as what is in it, which is nothing yet.
"""
_MEASURED_WIDTH = "min(containerSize()[0], windowSize()[0] - 116) - 16"
_GUESSED_WIDTH = "windowSize()[0] - 376"
_OUTPUT_WIDTH = f"clamp(containerSize()[0] ? {_MEASURED_WIDTH} : {_GUESSED_WIDTH}, 200, 1160)"
"""The width of the output, or, of one that is not on the page yet, of one beside a side bar.

Without `_PAGE_STYLE` the box of a chart does not become narrower than the chart, so the window
limits it as well.
"""
_PAGE_STYLE = """
.vega-embed { position: relative; display: inline-block; box-sizing: border-box; max-width: 100%; }
.vega-embed svg.marks { max-width: 100%; height: auto; }
.vega-embed.has-actions { padding-right: 38px; }
.vega-embed details { position: absolute; top: 0; right: 0; z-index: 1; }
.vega-embed summary { list-style: none; cursor: pointer; }
.vega-embed summary svg { width: 14px; height: 14px; }
.vega-embed .vega-actions a { display: block; padding: 4px 8px; }
"""
"""The style of all charts of a page, unless another chart was there first.

A chart is never wider than its output, also before `_WIDTH_SIGNAL` has measured it. The last lines
are for the menu of charts by other packages, whose style this one replaces.
"""
_WIDTH = f"usual_width - 540 + {_OUTPUT_WIDTH}"
"""The width of a chart; `usual_width` is its parameter, 540 or, of panels without axes, less."""
_WIDTH_SIGNAL: JsonObject = {
    "name": "width",
    "init": _WIDTH,
    "on": [
        {"events": {"source": "window", "type": "resize"}, "update": _WIDTH},
        # An output also changes its width beside a side bar, of which a page says nothing.
        {"events": {"type": "timer", "throttle": 500}, "update": _WIDTH},
    ],
}
EMBED_OPTIONS: JsonObject = {
    "actions": False,
    "defaultStyle": _PAGE_STYLE,
    "renderer": "svg",
    "patch": [
        {"op": "replace", "path": "/width", "value": 200},  # narrow while it is measured
        {"op": "add", "path": "/signals/-", "value": _STRETCHING_SIGNAL},
        {"op": "add", "path": "/signals/-", "value": _WIDTH_SIGNAL},
    ],
}
"""How a page draws a chart.

No menu, whose button has no name for a screen reader: `Chart.save` saves a picture. In an SVG the
colours follow the theme when somebody changes it. The width follows that of the output.
"""
TEXT_COLOUR = "currentColor"
LINE_COLOUR = "#888888"
CORRIDOR_COLOURS = {
    "MXN": "#2e8b57",
    "PHP": "#2f6fd0",
    "BRL": "#b0850b",
    "COP": "#8a55c8",
    "INR": "#d2691e",
    "EUR": "#1d8c99",
    "GBP": "#d0405a",
    "VND": "#a35a35",
    "ARS": "#c2529b",
    "SGD": "#7a7f2a",
    "USD": "#6b7a8f",
}
"""The colour of a corridor, by its local currency."""
OTHER_COLOUR = "#878d96"
FAILED_COLOUR = "#d0405a"


@explain_arguments
class Chart:
    """A Vega-Lite specification with a title; `save` writes it as PNG, SVG or JSON.

    Every text in it is escaped: a drawing program may end at a control character.
    """

    def __init__(self, title: str, spec: Spec) -> None:
        """Add the styles and the size that all charts have to a specification."""
        self.title = plain(title, TEXT_LENGTH_MAX)
        title_spec = {"text": title, "anchor": "start"}
        width_parameter = {"name": "usual_width", "value": spec.get("width", PANEL_WIDTH)}
        parameters = [*spec.get("params", ()), width_parameter]
        self.spec: Spec = _escape_texts(
            {
                "$schema": VEGA_SCHEMA,
                "title": title_spec,
                **COMMON_SPEC,
                **spec,
                "params": parameters,
            }
        )

    def __repr__(self) -> str:
        """The title."""
        return f"Chart({self.title!r})"

    def png(self) -> bytes:
        """The chart as a PNG picture on light paper; ProgramError if it cannot be drawn.

        >>> charts.volume(frame).png()[1:4]
        b'PNG'
        """
        return self._draw("png")

    def save(self, path: str | PathLike[str]) -> Path:
        """Write a .png, .svg or .json file.

        >>> charts.volume(frame).save("volume.svg").name
        'volume.svg'
        """
        target_path = path_of(path)
        if target_path.suffix == ".png":
            file_bytes = self.png()
        elif target_path.suffix == ".svg":
            file_bytes = self._draw("svg")
        elif target_path.suffix == ".json":
            file_bytes = json.dumps(self.spec, indent=1).encode()
        else:
            raise ArgumentError(f"{target_path.name!r} must end in .png, .svg or .json")
        target_path.write_bytes(file_bytes)
        return target_path

    def _draw(self, picture_format: Literal["png", "svg"]) -> bytes:
        """Draw the picture on light paper."""
        drawable_spec = _without_astral_characters(self.spec)
        return draw_chart({**drawable_spec, "background": PAPER_COLOUR}, picture_format)

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[JsonObject, JsonObject]:
        """The specification and a picture of it for Jupyter, by MIME type."""
        mime_bundle: JsonObject = {MIME: self.spec, "text/plain": repr(self)}
        try:
            mime_bundle["image/png"] = self.png()
        except MissingExtraError:
            pass  # then only what draws Vega-Lite shows the chart
        except ProgramError as error:
            mime_bundle["text/plain"] = f"{self!r} has no picture: {error}"
        return mime_bundle, {MIME: {"embed_options": EMBED_OPTIONS}}


def _escape_texts(spec_value: JsonValue, member_name: str = "") -> JsonValue:
    """A part of a specification with every text escaped and shortened.

    `member_name` is the property that contains the part.
    """
    if isinstance(spec_value, Mapping):
        return {
            _escape_texts(property_name): _escape_texts(member, property_name)
            for property_name, member in spec_value.items()
        }
    if isinstance(spec_value, list | tuple):
        return [_escape_texts(member, member_name) for member in spec_value]
    if isinstance(spec_value, str):
        # An expression of ours, whose texts `label_lookup` has escaped.
        if member_name == "labelExpr":
            return printable(spec_value)
        return plain(spec_value, TEXT_LENGTH_MAX)
    return spec_value


def _without_astral_characters(spec_value: JsonValue) -> JsonValue:
    """A part of a specification with each emoji and the like as text, such as `U+1F600`.

    JavaScript stores such a character as two units, and the drawing program ends when it cuts a
    label between them.
    """
    if isinstance(spec_value, Mapping):
        return {
            _without_astral_characters(property_name): _without_astral_characters(member)
            for property_name, member in spec_value.items()
        }
    if isinstance(spec_value, list):
        return [_without_astral_characters(member) for member in spec_value]
    if isinstance(spec_value, str):
        return ASTRAL_CHARACTERS.sub(lambda match: f"U+{ord(match[0]):X}", spec_value)
    return spec_value


COMMON_SPEC: Spec = {
    "background": "transparent",
    "padding": 8,
    "config": {
        "font": "system-ui, sans-serif",
        "view": {"stroke": None},
        "axis": {
            "grid": False,
            "gridOpacity": 0.35,
            "labelFontSize": 11,
            "labelSeparation": 8,
            "titleFontWeight": "normal",
            **dict.fromkeys(("labelColor", "titleColor"), TEXT_COLOUR),
            **dict.fromkeys(("domainColor", "tickColor", "gridColor"), LINE_COLOUR),
        },
        "legend": {
            "orient": "bottom",
            "title": None,
            "columns": {"expr": "width < 300 ? 2 : width < 400 ? 3 : 6"},
            "labelFontSize": 11,
            "labelColor": TEXT_COLOUR,
        },
        "title": {"fontSize": 14, "offset": 12, "color": TEXT_COLOUR, "subtitleColor": TEXT_COLOUR},
    },
}


def corridor_colour(name: str) -> str:
    """The colour of a corridor such as `USD-MXN`, the same in every chart.

    >>> corridor_colour("USD-MXN")
    '#2e8b57'
    """
    reversed_codes = reversed(name.split("-"))
    known_currencies = [
        currency_code for currency_code in reversed_codes if currency_code in CORRIDOR_COLOURS
    ]
    if not known_currencies:
        return OTHER_COLOUR
    local_currencies = [
        currency_code for currency_code in known_currencies if currency_code != "USD"
    ]
    # A payout from USD has the colour of its local currency.
    colour_currency = local_currencies[0] if local_currencies else known_currencies[0]
    return CORRIDOR_COLOURS[colour_currency]


def label_lookup(labels: Mapping[str, str | list[str]]) -> str:
    """A Vega expression that replaces each value of an axis by its label.

    >>> label_lookup({"60": "1 min"})
    '({"60": "1 min"})[datum.value]'
    """
    return f"({json.dumps(_escape_texts(labels), ensure_ascii=False)})[datum.value]"


def make_chart(title: str, panels: Sequence[Spec], empty_reason: str = "no rows") -> Chart:
    """Make a chart of one panel, or of several below one another.

    Without panels the chart shows `empty_reason`.
    """
    if not panels:
        title_spec = {"text": title, "subtitle": empty_reason, "anchor": "start"}
        panels = [
            {
                "title": title_spec,
                **make_panel(10, values=[], mark={"type": "point", "aria": False}, encoding={}),
            }
        ]
    if len(panels) == 1:
        autosize_spec = {"type": "fit-x", "contains": "padding"}
        return Chart(title, {"width": WIDTH, "autosize": autosize_spec, **panels[0]})
    wide_panels = [{**panel, "width": PANEL_WIDTH} for panel in panels]
    return Chart(title, {"vconcat": wide_panels, "resolve": {"scale": {"color": "independent"}}})


def with_legend_filter(panel: Spec, corridors: Sequence[str]) -> Spec:
    """The panel with the colours of its corridors; a click on the legend shows one alone."""
    selection_spec = {
        "name": "shown",
        "select": {"type": "point", "fields": ["corridor"]},
        "bind": "legend",
    }
    colour_channel = {"field": "corridor", "scale": colour_scale(corridors)}
    opacity_channel = {"condition": {"param": "shown", "value": 0.9}, "value": 0.1}
    encoding = {**panel["encoding"], "color": colour_channel, "opacity": opacity_channel}
    return {**panel, "params": [selection_spec], "encoding": encoding}


def colour_scale(corridors: Iterable[str]) -> Spec:
    """The fixed colours of some corridors."""
    corridor_names = list(corridors)
    return {
        "domain": corridor_names,
        "range": [corridor_colour(corridor_name) for corridor_name in corridor_names],
    }


def make_panel(height: int, values: list[Spec], mark: object, encoding: Spec) -> Spec:
    """Make a panel that draws values with one mark."""
    return {"height": height, "data": {"values": values}, "mark": mark, "encoding": encoding}


def number_axis(field: str, scale: Spec | None = None, **axis: object) -> Spec:
    """A channel that draws a number on an axis with these properties."""
    channel = {"field": field, "type": "quantitative", "axis": axis}
    return {**channel, "scale": scale} if scale else channel


def tooltip(**titles: str) -> list[Spec]:
    """The fields that a tooltip shows, with their titles."""
    return [{"field": field_name, "title": title} for field_name, title in titles.items()]
