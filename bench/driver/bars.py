# SPDX-License-Identifier: Apache-2.0
"""What a suite asks of Sennit, kernel by kernel, the worst first: a kernel whose ratio exceeds its bar is named."""

from statistics import geometric_mean

from .table import grid_lines, label

HEAD = ("kernel", "serial ms", "P1", "P2", "best peer", "P2 over it", "beyond the bar")


def tables(suite, results):
    """A table for each of Sennit's variants, as one text; empty where the suite has no bars."""
    if not any(kernel.bars for kernel in suite.kernels):
        return ""
    ours = dict.fromkeys(label(record) for record in results if record["system"] == "sennit")
    return "\n\n".join(_table(suite, [r for r in results if label(r) in (name, "serial")], name) for name in ours)


def _table(suite, results, name):
    rows = sorted((row for kernel in suite.kernels if (row := _row(kernel, results))), key=lambda row: -row["worst"])
    text = [f"{name} and the suite's bars, worst first (P1, P2: time over serial with one and two workers)"]
    text += grid_lines([HEAD, *(row["cells"] for row in rows)])
    over_best = [row["peer"] for row in rows if row["peer"] is not None]
    if over_best:
        bar = suite.mean_over_best
        asked = "" if bar is None else f", at most {bar:g} is asked"
        text.append(f"Geometric mean over the best peer, {len(over_best)} kernels: {geometric_mean(over_best):.3f}{asked}")
    text.append(f"Kernels beyond a bar: {sum(row['worst'] > 1 for row in rows)} of {len(rows)}")
    return "\n".join(text)


def _row(kernel, results):
    def of(metric, workers):
        return next(
            (
                record
                for record in results
                if (record["kernel"], record["metric"], record["workers"]) == (kernel.name, metric, workers)
                and record["median"] is not None
                and (metric == "seconds") == (record["system"] == "serial")
            ),
            None,
        )

    serial, one, two, best = of("seconds", 1), of("over_serial", 1), of("over_serial", 2), of("over_best", 2)
    if one is None and two is None:
        return None
    values = {"P1": one, "P2": two, "peer": best}
    values = {what: record and record["median"] for what, record in values.items()}
    asked = kernel.bars.get("over_serial", {})
    asked = {"P1": asked.get("1"), "P2": asked.get("2"), "peer": kernel.bars.get("over_best")}
    shares = {what: values[what] / bar for what, bar in asked.items() if bar is not None and values[what] is not None}
    beyond = [f"{what} > {asked[what]:g}" for what, share in shares.items() if share > 1]
    cells = (
        kernel.name,
        _text(serial and serial["median"] * 1e3, 3),
        _text(values["P1"], 3),
        _text(values["P2"], 3),
        best["params"]["best"] if best else "",
        _text(values["peer"], 3),
        ", ".join(beyond),
    )
    return {"cells": cells, "worst": max(shares.values(), default=0), "peer": values["peer"]}


def _text(value, digits):
    return "" if value is None else f"{value:.{digits}f}"
