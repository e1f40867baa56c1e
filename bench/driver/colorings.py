# SPDX-License-Identifier: Apache-2.0
"""Tables II and III of 002: what colors cost or bring, a column a kernel, a row a number of workers, then mean and deviation."""

from statistics import mean, stdev

METRIC = "over_uncolored"
TITLES = {
    "colored": "Speedup over no colors, where each node has the color of its data",
    "bad": "Speedup over no colors, where each node has the color of others (002, Table II)",
    "invalid": "Speedup over no colors, where each node has the color of nobody (002, Table III)",
}
WIDEST = 150


def tables(results):
    """A text for each coloring that was measured. A speedup is the median of its samples. Mean and deviation (S.D.) are those
    of the samples of all rows, as most machines have few rows."""
    found = [record for record in results if record["metric"] == METRIC]
    return [
        "\n".join([title, *_table([record for record in found if record["variant"] == variant])])
        for variant, title in TITLES.items()
        if any(record["variant"] == variant for record in found)
    ]


def _table(records):
    kernels = list(dict.fromkeys(record["kernel"] for record in records))
    rows = sorted({record["workers"] for record in records})
    cells = {(record["kernel"], record["workers"]): record for record in records}
    samples = {
        kernel: [sample for record in records if record["kernel"] == kernel and record["ok"] for sample in record["samples"]]
        for kernel in kernels
    }
    grid = [["workers", *kernels]]
    grid += [[str(workers), *(_cell(cells.get((kernel, workers))) for kernel in kernels)] for workers in rows]
    grid.append(["mean", *(_number(mean, samples[kernel], 1) for kernel in kernels)])
    grid.append(["S.D.", *(_number(stdev, samples[kernel], 2) for kernel in kernels)])
    widths = [max(len(line[i]) for line in grid) for i in range(len(grid[0]))]
    lines = [
        line[0].ljust(widths[0]) + "".join("  " + text.rjust(width) for text, width in zip(line[1:], widths[1:]))
        for line in grid
    ]
    rule = "-" * min(WIDEST, len(lines[0]))
    return [rule, lines[0], rule, *lines[1:-2], rule, *lines[-2:]]


def _cell(record):
    if record is None:
        return ""
    if not record["ok"]:
        return "FAILED"
    return f"{record['median']:.2f}" if record["samples"] else "-"


def _number(of, samples, fewest):
    return f"{of(samples):.2f}" if len(samples) >= fewest else "-"
