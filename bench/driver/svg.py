# SPDX-License-Identifier: Apache-2.0
"""The few shapes that pictures are made of; colors are for light and for dark backgrounds."""

from html import escape

# What tells series from each other: a color for each background, and a shape for whoever does not see the color.
LIGHT = ("#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989", "#57606a")
DARK = ("#58a6ff", "#f0883e", "#3fb950", "#bc8cff", "#f778ba", "#a5adb8")
SHAPES = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "M-3.6,-3.6h7.2v7.2h-7.2z",
    "M0,-5l5,5l-5,5l-5,-5z",
    "M0,-4.8l4.6,8h-9.2z",
    "M0,4.8l4.6,-8h-9.2z",
    "M-4,-4l8,8M4,-4l-8,8",
)


def _rules(ground, ink, quiet, faint, one, series):
    """Plain rules, no variables: not all that show SVG know those."""
    return [
        f".ground {{ fill: {ground}; }} text {{ fill: {ink}; }} .quiet {{ fill: {quiet}; }}",
        f".number {{ stroke: {ground}; }}",
        f"line {{ stroke: {faint}; }} .box {{ stroke: {quiet}; }} .way {{ stroke: {quiet}; }}",
        f".one {{ stroke: {one}; }} .failed {{ fill: {one}; }}",
        *(f".s{i} {{ fill: {color}; stroke: {color}; }}" for i, color in enumerate(series)),
    ]


SIZES = [
    "text { font: 12px sans-serif; } .title { font-size: 16px; } .small, .quiet, .failed, .number { font-size: 10px; }",
    ".number { stroke-width: 3; paint-order: stroke; }",
    ".box { stroke-width: 1.5; } .name { font-weight: bold; } .way { fill: none; stroke-width: 1.2; }",
    "line[class^=s] { stroke-width: 1.5; } path.s5 { stroke-width: 2; }",
]
THEMES = {
    "light": _rules("#ffffff", "#24292f", "#57606a", "#d0d7de", "#cf222e", LIGHT),
    "dark": _rules("#0d1117", "#e6edf3", "#a5adb8", "#3d444d", "#ff7b72", DARK),
}


def document(width, height, parts, theme=None):
    """For a light or a dark page, or, without a theme, for whichever the reader has."""
    rules = THEMES[theme] if theme else [
        *THEMES["light"], "@media (prefers-color-scheme: dark) {", *THEMES["dark"], "}"
    ]
    style = "\n".join([*SIZES, *rules])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">'
        f'<style>\n{style}\n</style><rect class="ground" width="100%" height="100%"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def mark(place, height, series, hint=""):
    """`hint` is shown where a pointer rests on the mark."""
    shape = f'<path class="s{series}" d="{SHAPES[series]}" transform="translate({place:.1f},{height:.1f})"'
    return f"{shape}><title>{escape(hint)}</title></path>" if hint else f"{shape}/>"


def vertical(place, top, bottom, kind=""):
    return f'<line class="{kind}" x1="{place:.1f}" x2="{place:.1f}" y1="{top:.1f}" y2="{bottom:.1f}"/>'


def horizontal(left, right, height, kind=""):
    return f'<line class="{kind}" x1="{left:.1f}" x2="{right:.1f}" y1="{height:.1f}" y2="{height:.1f}"/>'


def bar(left, right, top, height, kind="", hint=""):
    shape = f'<rect class="{kind}" x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{height:.1f}"'
    return f"{shape}><title>{escape(hint)}</title></rect>" if hint else f"{shape}/>"


def text(place, height, words, kind="", anchor="start"):
    return (
        f'<text class="{kind}" x="{place:.1f}" y="{height:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
    )
