"""The styles of cards, tables and notices: one width, one type scale, one meaning a colour.

Colours are JupyterLab's variables; the fallbacks suit light and dark pages.
"""

from __future__ import annotations

WIDTH = "1240px"
"""The largest width of cards, forms and tables: the cells of a notebook have it on most screens."""
FAINT_LINE = "1px solid rgba(128,128,128,.2)"
"""The line between the rows of a table."""
EDGES = (
    "margin:4px 0;margin-right:calc(-2 * var(--jp-notebook-padding, 0px));"
    "margin-left:clamp(0px, (760px - 100vw) * 999, var(--jp-code-padding, 0px))"
)
"""The margins that put the edges of a card below those of its cell in JupyterLab.

An output has 20 pixels of padding at its right. On a page of at most 760 pixels the code is moved
to the right. A notebook that is not trusted keeps the plain margin.
"""
BORDER = "1px solid var(--jp-border-color2, rgba(128,128,128,.45))"
MUTED = "color:var(--jp-ui-font-color2, inherit)"
MONO = "font-family:var(--jp-code-font-family, monospace)"
PANEL = "background:var(--jp-layout-color2, rgba(128,128,128,.14));border-radius:4px"
WARNING_STYLE = "color:var(--jp-error-color1, #d32f2f);font-weight:600"
NOTICE_STYLE = (
    f"box-sizing:border-box;max-width:{WIDTH};{EDGES};padding:8px 12px;overflow-wrap:anywhere;"
    "border-left:4px solid #c77700;border-radius:4px;background:rgba(245,160,0,.16);"
    "color:var(--jp-ui-font-color1, inherit);font-size:14px;line-height:1.45"
)
CARD_STYLE = (
    "display:flex;flex-wrap:wrap;gap:16px 24px;align-items:flex-start;box-sizing:border-box;"
    f"max-width:{WIDTH};{EDGES};padding:16px;border:{BORDER};border-radius:8px;"
    "color:var(--jp-ui-font-color1, inherit);font-size:14px;line-height:1.45"
)
TABLE_STYLE = (
    "margin:0;border-collapse:collapse;border:0;table-layout:auto;font-size:13px;"
    "font-variant-numeric:tabular-nums"
)
CELL_STYLE = (
    "padding:3px 0;border:0;text-align:left;vertical-align:top;line-height:1.45;"
    "overflow-wrap:anywhere"
)
LABEL_STYLE = f"{CELL_STYLE};padding-right:16px;font-weight:400;white-space:nowrap;{MUTED}"
ROW_STYLE = "background:none;border:0"
HEADER_STYLE = f"vertical-align:bottom;font-size:12px;font-weight:600;{MUTED}"
GRID_CELL_STYLE = f"{CELL_STYLE};padding:5px 0;overflow-wrap:normal;padding-right:12px"
"""The style of a cell of a table with a header, whose rows have a line between them."""
HEADING_STYLE = "font-size:16px;font-weight:600;margin:0 0 8px;overflow-wrap:anywhere"
CODE_STYLE = f"{MONO};white-space:nowrap;background:none;padding:0;font-size:12px"
BADGE_COLOURS = {
    "SIMULATOR": "#1f6feb",
    "SANDBOX": "#9a6700",
    "RECORDING": "#57606a",
    "NO": "#57606a",  # NO ANSWER YET
}
"""The colour of a badge by its first word."""
LIVE_COLOUR = "#cf222e"
"""The colour of a badge of any other host, which may move real money."""

GAP = "padding-right:clamp(14px,2vw - 4px,24px)"
"""The gap between columns; a notebook that is not trusted keeps the plain length before it."""

_PAGE_COLOUR = "var(--jp-layout-color0, Canvas)"
_SHADOW = "rgba(128,128,128,.4)"
SCROLL_SHADOW = (
    f"background:linear-gradient(to right,{_PAGE_COLOUR} 50%,transparent) left/32px 102% no-repeat "
    f"local,linear-gradient(to left,{_PAGE_COLOUR} 50%,transparent) right/32px 102% no-repeat "
    "local,"
    f"linear-gradient(to right,{_SHADOW},transparent) left/12px 102% no-repeat,"
    f"linear-gradient(to left,{_SHADOW},transparent) right/12px 102% no-repeat"
)
"""A shadow at the side to which a table can be scrolled; at its end the page covers it."""
