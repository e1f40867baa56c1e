# SPDX-License-Identifier: Apache-2.0
"""Pictures of figures, a light and a dark one, the same bytes for the same numbers."""

import io
import re

MATPLOTLIB = "3.6.3"  # of Debian 12; another version draws other bytes
THEMES = {
    "light": {"ink": "#24292f", "grid": "#d0d7de", "back": "#ffffff"},
    "dark": {"ink": "#c9d1d9", "grid": "#30363d", "back": "#0d1117"},
}
LABEL_GAP = 4  # pixels between the labels of neighbors
COLORS = ("#3987e5", "#d95926", "#1a9e77", "#b8860b", "#9a6fd0", "#d0518c", "#7a8288", "#6aa84f")


def version():
    """Of matplotlib, or None."""
    try:
        import matplotlib
    except ImportError:
        return None
    return matplotlib.__version__


def draw(plot, theme):
    """The text of an SVG file."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    tone = THEMES[theme]
    settings = {
        "svg.hashsalt": plot.name,
        "svg.fonttype": "none",
        "path.simplify": True,
        "font.size": 9,
        "font.family": "sans-serif",
        "text.color": tone["ink"],
        "axes.labelcolor": tone["ink"],
        "axes.edgecolor": tone["grid"],
        "axes.facecolor": tone["back"],
        "figure.facecolor": tone["back"],
        "savefig.facecolor": tone["back"],
        "xtick.color": tone["ink"],
        "ytick.color": tone["ink"],
        "grid.color": tone["grid"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
    }
    with matplotlib.rc_context(settings):
        figure, axes = pyplot.subplots(figsize=(7.2, 3.2))
        axes.set_title(plot.title, fontsize=10, loc="left")
        axes.set_axisbelow(True)
        axes.grid(True, axis="y", linewidth=0.6)
        if hasattr(plot, "groups"):
            bars(axes, plot, tone)
        else:
            lines(axes, plot)
        axes.set_ylabel(plot.axis)
        if plot.log:
            log_ticks(axes)
        if hasattr(plot, "groups"):
            turn_crowded(figure, axes)
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
        out = io.StringIO()
        figure.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
        pyplot.close(figure)
    return compact(out.getvalue())


def bars(axes, plot, tone):
    width = 0.84 / max(1, len(plot.series))
    for at, (name, values) in enumerate(plot.series.items()):
        there = [(place, value) for place, value in enumerate(values) if value is not None]
        places = [place + (at - (len(plot.series) - 1) / 2) * width for place, _ in there]
        axes.bar(places, [value for _, value in there], width * 0.92, label=name, color=COLORS[at % len(COLORS)])
    axes.set_xticks(range(len(plot.groups)))
    axes.set_xticklabels(plot.groups, fontsize=8)
    if plot.one:
        axes.axhline(1, color=tone["ink"], linewidth=0.9, linestyle=":", label=f"1: {plot.one}")


def turn_crowded(figure, axes):
    """Labels that would touch their neighbors are turned, all of them."""
    figure.draw_without_rendering()  # gives labels their places
    labels = axes.get_xticklabels()
    places = [label.get_window_extent() for label in labels]
    if any(left.x1 + LABEL_GAP > right.x0 for left, right in zip(places, places[1:])):
        for label in labels:
            label.set(rotation=30, ha="right")


def log_ticks(axes):
    """Powers of ten; where there are few of these, 2 and 5 between them, too."""
    from matplotlib import ticker

    axes.set_yscale("log")
    low, high = axes.get_ylim()
    few = high / low < 1000
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if few else (1,)))
    if few:
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axes.yaxis.set_minor_formatter(ticker.NullFormatter())


def lines(axes, plot):
    for at, (name, points) in enumerate(plot.series.items()):
        axes.plot(
            [x for x, _ in points],
            [y for _, y in points],
            "-",
            marker="o",
            markersize=3,
            linewidth=1.4,
            label=name,
            color=COLORS[at % len(COLORS)],
        )
    if plot.log_x:
        axes.set_xscale("log", base=2)
        ticks = sorted({x for points in plot.series.values() for x, _ in points})
        axes.set_xticks(ticks)
        axes.set_xticklabels([f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
    axes.set_xlabel(plot.axis_x)


def compact(svg):
    """Without the metadata, comments and precision that nobody sees."""
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->|<!DOCTYPE.*?>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", svg)
    return "\n".join(line.strip() for line in svg.splitlines() if line.strip()) + "\n"
