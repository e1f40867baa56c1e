# SPDX-License-Identifier: Apache-2.0
"""The figures that a suite asks for, each a picture of its own: blocks a kernel, in them a row a series."""

import math
from statistics import geometric_mean, quantiles

from . import svg
from .table import label

ROW, GAP, LEFT, PLOT, RIGHT, HEAD, BOTTOM = 15, 12, 190, 520, 110, 58, 74
LEGEND = 16  # a line of it
LOGARITHMIC_FROM = 4  # times as much as the least
TICKS = 9  # at most so many


def write(folder, suite, machine, commit, results):
    """The files written: none for a figure of which nothing was measured."""
    written = []
    for figure in suite.figures:
        picture = draw(figure, machine, commit, results)
        if picture is not None:
            path = folder / f"{suite.name}-{figure.name}.svg"
            path.write_text(picture)
            written.append(path)
    return written


def draw(figure, machine, commit, results):
    """The figure as SVG; None if `results` have nothing for it."""
    cells = select(figure, results)
    values = [cell[part] for cell in cells.values() if cell["ok"] for part in ("low", "value", "high")]
    if not values:
        return None
    kernels = list(dict.fromkeys(kernel for kernel, _ in cells))
    means = {name: mean for name in figure.series if (mean := _mean(cells, kernels, name)) is not None}
    axis = Axis(values)
    block = len(figure.series) * ROW + GAP
    legend, lines = _legend(figure)
    start = HEAD + lines * LEGEND
    bottom = start + (len(kernels) + (1 if means else 0)) * block
    parts = [svg.text(12, 24, figure.title, "title"), *legend, *_grid(figure, axis, start, bottom)]
    for number, kernel in enumerate(kernels):
        top = start + number * block
        sizes = {cell["size"] for (of, _), cell in cells.items() if of == kernel}
        parts.append(svg.text(LEFT - 12, top + 12, kernel, anchor="end"))
        parts.append(svg.text(LEFT - 12, top + 25, f"size {max(sizes):,}", "quiet", "end"))
        for series, name in enumerate(figure.series):
            height = top + series * ROW + ROW / 2
            parts += _cell(axis, height, series, name, kernel, cells.get((kernel, name)))
    if means:
        top = start + len(kernels) * block
        parts.append(svg.horizontal(12, LEFT + PLOT, top - GAP / 2))
        parts.append(svg.text(LEFT - 12, top + 12, "geometric mean", anchor="end"))
        for series, name in enumerate(figure.series):
            if name in means:
                mean, of = means[name]
                height = top + series * ROW + ROW / 2
                parts.append(svg.mark(axis.place(mean), height, series, f"{name}: {mean:.4g}"))
                words = _number(mean) + (f" (of {of})" if of < len(kernels) else "")
                parts.append(svg.text(axis.place(mean) + 9, height + 4, words, "number"))
    parts += [
        svg.text(LEFT, bottom + 34, figure.axis),
        svg.text(LEFT, bottom + 50, _footnote(figure, cells, machine), "quiet"),
        svg.text(LEFT, bottom + 64, f"{machine.get('cpu')}, {machine.get('cpus')} CPUs; {commit}", "quiet"),
    ]
    return svg.document(LEFT + PLOT + RIGHT, bottom + BOTTOM, parts)


def select(figure, results):
    """From kernel and series to what there is to draw of them."""
    labels = {each: name for name, labels in figure.series.items() for each in labels}
    cells = {}
    for record in results:
        name = labels.get(label(record))
        if name is None or record["metric"] != figure.metric or record["workers"] != figure.workers:
            continue
        order = figure.series[name].index(label(record))
        key = (record["kernel"], name)
        if key not in cells or order < cells[key]["order"]:
            cells[key] = _drawn(figure, record) | {"order": order}
    return cells


def _drawn(figure, record):
    about = {
        "label": label(record),
        "size": record["params"]["size"],
        "serial": record["params"].get("serial"),
        "samples": len(record["samples"]),
    }
    if not record["ok"] or record["median"] is None or record["median"] <= 0:
        return about | {"ok": False}
    samples = record["samples"]
    low, _, high = quantiles(samples, n=4, method="inclusive") if len(samples) > 1 else samples * 3
    values = [low, record["median"], high]
    if figure.inverse:
        values = [1 / value for value in reversed(values)]
    return about | {"ok": True, **dict(zip(("low", "value", "high"), values))}


def _mean(cells, kernels, name):
    """With of how many kernels it is."""
    found = [cells[kernel, name]["value"] for kernel in kernels if cells.get((kernel, name), {}).get("ok")]
    return (geometric_mean(found), len(found)) if len(found) > 1 else None


def _cell(axis, height, series, name, kernel, cell):
    if cell is None:
        return [svg.text(axis.place(1) + 9, height + 4, "not measured", "quiet")]
    if not cell["ok"]:
        return [svg.text(axis.place(1) + 9, height + 4, "failed", "failed")]
    place = axis.place(cell["value"])
    end = max(place + 9, axis.place(cell["high"]) + 5)
    hint = f"{kernel}, {cell['label']}: {cell['value']:.4g}, middle half {cell['low']:.4g} to {cell['high']:.4g}"
    return [
        svg.horizontal(axis.place(cell["low"]), axis.place(cell["high"]), height, f"s{series}"),
        svg.mark(place, height, series, hint),
        svg.text(end, height + 4, _number(cell["value"]), "number"),
    ]


def _legend(figure):
    """And how many lines it takes."""
    parts, place, line = [], LEFT, 0
    for series, name in enumerate(figure.series):
        width = 34 + 6 * len(name)
        if place > LEFT and place + width > LEFT + PLOT + RIGHT:
            place, line = LEFT, line + 1
        height = 46 + line * LEGEND
        parts += [svg.mark(place, height, series), svg.text(place + 9, height + 4, name, "small")]
        place += width
    return parts, line + 1


def _grid(figure, axis, start, bottom):
    parts = []
    for tick in axis.ticks:
        place = axis.place(tick)
        parts.append(svg.vertical(place, start - 6, bottom))
        parts.append(svg.text(place, bottom + 16, f"{tick:g}", "small", "middle"))
    parts.append(svg.vertical(axis.place(1), start - 6, bottom, "one"))
    parts.append(svg.text(axis.place(1), start - 9, figure.one, "failed", "middle"))
    return parts


def _footnote(figure, cells, machine):
    workers = f"{figure.workers} worker{'s' if figure.workers > 1 else ''}"
    counts = [cell["samples"] for cell in cells.values() if cell["ok"]]
    of = f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
    parts = [f"{workers}; median of {of} samples, and a line over their middle half"]
    systems = machine.get("systems", {})
    compilers = {}
    for (_, name), cell in cells.items():
        if cell["serial"] is not None:
            compilers.setdefault(cell["serial"], {})[name] = None
    for serial, names in compilers.items():
        said = systems.get("serial" if serial == "default" else f"serial {serial}", "")
        compiler = said.rpartition("(")[2].rstrip(")") or serial
        parts.append(
            f"serial: {compiler}" if serial == "default" else f"{compiler} for {', '.join(names)}"
        )
    return "; ".join(parts)


def _number(value):
    if value < 0.1:
        return f"{value:.2g}"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if value >= 1.095 or value < 0.9 else f"{value:.3f}"


class Axis:
    """From values to places; linear, unless some values are many times the others. 1 is on it."""

    def __init__(self, values):
        low, high = min([*values, 1]), max([*values, 1])
        self._logarithmic = high / low >= LOGARITHMIC_FROM
        self.ticks = _powers(low, high) if self._logarithmic else _steps(low, high)
        self._low, self._high = self._scaled(self.ticks[0]), self._scaled(self.ticks[-1])

    def place(self, value):
        return LEFT + (self._scaled(value) - self._low) / (self._high - self._low) * PLOT

    def _scaled(self, value):
        return math.log10(value) if self._logarithmic else value


def _steps(low, high):
    span = max(high - low, 0.02)
    power = 10 ** math.floor(math.log10(span / TICKS))
    step = next(power * factor for factor in (1, 2, 5, 10, 20) if span / (power * factor) <= TICKS - 2)
    first, last = math.floor(low / step), max(math.ceil(high / step), math.floor(low / step) + 1)
    return [round(i * step, 10) for i in range(first, last + 1)]


def _powers(low, high):
    """1, 2 and 5 of each power of ten, or the powers alone where those were too many."""
    found = []
    for factors in ((1, 2, 5), (1,)):
        every = [
            float(f"{factor}e{power}")
            for power in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
            for factor in factors
        ]
        first = max(i for i, tick in enumerate(every) if tick <= low)
        last = min(i for i, tick in enumerate(every) if tick >= high)
        found = every[first : last + 1]
        if len(found) <= TICKS:
            break
    return found
