"""Vega-Lite specifications: the parts that all charts share.

JupyterLab, Notebook and VS Code draw a specification offline, in the colour of their text, light or
dark, with tooltips and a legend that filters. A web page shows the same chart as PNG.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, MissingExtraError, ProgramError
from ..files import path_of
from ..spec.text import plain, printable
from .programs import draw_chart

Spec = dict[str, Any]

MIME = "application/vnd.vegalite.v5+json"
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
WIDTH = 540  # with axes and menu, a chart fits a page of 700 pixels
PANEL_WIDTH = 480  # of charts with several panels, without axes
PAPER = "#fbfbfa"
LONGEST = 200
"""Maximum characters of a text in a chart."""
EMBED = {"actions": False, "renderer": "svg"}
"""No menu, whose button has no name for a screen reader: `Chart.save` saves a picture.

In an SVG the colours follow the theme when somebody changes it.
"""
TEXT = "currentColor"
LINE = "#888888"
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
REST = "#878d96"
FAILED = "#d0405a"


@explain_arguments
class Chart:
    """A Vega-Lite specification with a title; `save` writes it as PNG, SVG or JSON.

    Every text in it is escaped: a drawing program may end at a control character.
    """

    def __init__(self, title: str, spec: Spec) -> None:
        self.title = plain(title, LONGEST)
        heading = {"text": title, "anchor": "start"}
        self.spec: Spec = _escaped({"$schema": SCHEMA, "title": heading, **COMMON, **spec})

    def __repr__(self) -> str:
        return f"Chart({self.title!r})"

    def png(self) -> bytes:
        """The chart as a PNG picture on light paper; ProgramError if it cannot be drawn.

        >>> charts.volume(frame).png()[1:4]
        b'PNG'
        """
        return self._drawn("png")

    def save(self, path: str | PathLike[str]) -> Path:
        """Write a .png, .svg or .json file.

        >>> charts.volume(frame).save("volume.svg").name
        'volume.svg'
        """
        to = path_of(path)
        if to.suffix == ".png":
            data = self.png()
        elif to.suffix == ".svg":
            data = self._drawn("svg")
        elif to.suffix == ".json":
            data = json.dumps(self.spec, indent=1).encode()
        else:
            raise ArgumentError(f"{to.name!r} must end in .png, .svg or .json")
        to.write_bytes(data)
        return to

    def _drawn(self, form: Literal["png", "svg"]) -> bytes:
        """The picture on light paper."""
        return draw_chart({**self.spec, "background": PAPER}, form)

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle: dict[str, Any] = {MIME: self.spec, "text/plain": repr(self)}
        try:
            bundle["image/png"] = self.png()
        except MissingExtraError:
            pass  # then only what draws Vega-Lite shows the chart
        except ProgramError as error:
            bundle["text/plain"] = f"{self!r} has no picture: {error}"
        return bundle, {MIME: {"embed_options": EMBED}}


def _escaped(value: Any, name: str = "") -> Any:
    """A part of a specification with every text escaped and shortened."""
    if isinstance(value, Mapping):
        return {_escaped(key): _escaped(item, key) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(item, name) for item in value]
    if isinstance(value, str):
        # An expression of ours, whose texts `lookup` has escaped.
        return printable(value) if name == "labelExpr" else plain(value, LONGEST)
    return value


COMMON: Spec = {
    "background": "transparent",
    "padding": 8,
    "config": {
        "font": "system-ui, sans-serif",
        "view": {"stroke": None},
        "axis": {
            "grid": False,
            "gridOpacity": 0.35,
            "labelFontSize": 11,
            "titleFontWeight": "normal",
            **dict.fromkeys(("labelColor", "titleColor"), TEXT),
            **dict.fromkeys(("domainColor", "tickColor", "gridColor"), LINE),
        },
        "legend": {
            "orient": "bottom",
            "title": None,
            "columns": 4,
            "labelFontSize": 11,
            "labelColor": TEXT,
        },
        "title": {"fontSize": 14, "offset": 12, "color": TEXT, "subtitleColor": TEXT},
    },
}


def corridor_colour(name: str) -> str:
    """The colour of a corridor such as `USD-MXN`, the same in every chart.

    >>> corridor_colour("USD-MXN")
    '#2e8b57'
    """
    ends = [end for end in reversed(name.split("-")) if end in CORRIDOR_COLOURS]
    local = [end for end in ends if end != "USD"]
    return CORRIDOR_COLOURS[(local or ends)[0]] if ends else REST


def lookup(words: Mapping[str, str | list[str]]) -> str:
    """A Vega expression for axis labels, whose colour follows the theme."""
    return f"({json.dumps(_escaped(words))})[datum.value]"


def panels(title: str, parts: list[Spec], empty: str = "no rows") -> Chart:
    """One panel, or several below one another; a chart without any says why it is empty."""
    if not parts:
        heading = {"text": title, "subtitle": empty, "anchor": "start"}
        parts = [{"title": heading, **panel_of(10, [], "point", {})}]
    if len(parts) == 1:
        autosize = {"type": "fit-x", "contains": "padding"}
        return Chart(title, {"width": WIDTH, "autosize": autosize, **parts[0]})
    wide_panels = [{**panel, "width": PANEL_WIDTH} for panel in parts]
    return Chart(title, {"vconcat": wide_panels, "resolve": {"scale": {"color": "independent"}}})


def filtered(spec: Spec, names: list[str]) -> Spec:
    """The colours of the corridors; a click on the legend shows one corridor alone."""
    chosen = {"name": "shown", "select": {"type": "point", "fields": ["corridor"]}}
    colour = {"field": "corridor", "scale": colour_scale(names)}
    clear = {"condition": {"param": "shown", "value": 0.9}, "value": 0.1}
    encoding = {**spec["encoding"], "color": colour, "opacity": clear}
    return {**spec, "params": [{**chosen, "bind": "legend"}], "encoding": encoding}


def colour_scale(names: Iterable[str]) -> Spec:
    """The fixed colours of some corridors."""
    name_list = list(names)
    return {"domain": name_list, "range": [corridor_colour(name) for name in name_list]}


def panel_of(height: int, values: list[Spec], mark: object, encoding: Spec) -> Spec:
    """A panel that draws values with one mark."""
    return {"height": height, "data": {"values": values}, "mark": mark, "encoding": encoding}


def quantity(field: str, scale: Spec | None = None, **axis: object) -> Spec:
    """A number on an axis with these properties."""
    channel = {"field": field, "type": "quantitative", "axis": axis}
    return {**channel, "scale": scale} if scale else channel


def tooltip(**titles: str) -> list[Spec]:
    """The fields that a tooltip shows, with their titles."""
    return [{"field": field, "title": title} for field, title in titles.items()]
