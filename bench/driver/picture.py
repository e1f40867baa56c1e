# SPDX-License-Identifier: Apache-2.0
"""The table of ratios as a picture: a panel a kernel, a row a system, a logarithmic axis with serial at 1."""

import math

from . import svg
from .table import label, rows

ROW, PANEL, GAP, LEFT, TOP, BOTTOM = 18, 190, 44, 150, 70, 42
ABREAST = 6  # panels; more go on below
SERIES = {1: 1, 2: 0}  # the look of so many workers; any other number: 3


def write(path, title, results):
    """False, and no file, if no system has a ratio."""
    ratios = [
        record
        for record in results
        if record["metric"] == "over_serial" and record["ok"] and record["samples"]
    ]
    if not ratios:
        return False
    path.write_text(_svg(title, ratios))
    return True


def _svg(title, ratios):
    kernels = list(dict.fromkeys(record["kernel"] for record in ratios))
    systems = rows(ratios)
    values = [record["median"] for record in ratios]
    low, high = math.floor(math.log10(min(values + [0.5]))), math.ceil(math.log10(max(values + [2])))
    band = len(systems) * ROW + BOTTOM
    width = LEFT + min(len(kernels), ABREAST) * (PANEL + GAP)
    height = TOP + math.ceil(len(kernels) / ABREAST) * band

    def x(kernel, value):
        share = (math.log10(value) - low) / (high - low)
        return LEFT + kernels.index(kernel) % ABREAST * (PANEL + GAP) + share * PANEL

    def top(kernel):
        return TOP + kernels.index(kernel) // ABREAST * band

    def y(kernel, row):
        return top(kernel) + systems.index(row) * ROW + ROW / 2

    parts = [svg.text(12, 24, f"{title}: time over the serial program", "title"), _legend(ratios)]
    for kernel in kernels:
        bottom = top(kernel) + len(systems) * ROW
        parts.append(svg.text(x(kernel, 10**low), top(kernel) - 8, kernel))
        for power in range(low, high + 1):
            place = x(kernel, 10**power)
            parts.append(svg.vertical(place, top(kernel), bottom, "one" if power == 0 else ""))
            parts.append(svg.text(place, bottom + 14, f"{10**power:g}", "small", "middle"))
    for first in kernels[::ABREAST]:
        parts += [svg.text(LEFT - 10, y(first, row) + 4, row, anchor="end") for row in systems]
    parts += [
        _dot(x(record["kernel"], record["median"]), y(record["kernel"], label(record)), record["workers"])
        for record in ratios
    ]
    return svg.document(width, height, parts)


def _legend(ratios):
    parts, place = [], LEFT
    for workers in sorted({record["workers"] for record in ratios}):
        parts.append(_dot(place, 42, workers))
        parts.append(svg.text(place + 8, 46, f"{workers} worker{'s' if workers > 1 else ''}", "small"))
        place += 80
    return "\n".join([*parts, svg.text(place, 46, "left is faster; the red line is serial", "small")])


def _dot(place, height, workers):
    return svg.mark(place, height, SERIES.get(workers, 3))
