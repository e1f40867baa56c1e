# SPDX-License-Identifier: Apache-2.0
"""What a person reads: a table a metric, rows systems, columns kernels at a number of workers."""

from . import colorings

TITLES = {
    "over_serial": "Time over serial (median / median of the serial program of the same compiler)",
    "over_plain": "Time over the same without a schedule, or over what the suite names (median / median)",
    "over_best": "Time over the fastest of the peers, their grains set by hand included (median / median)",
    "over_parlay": "Time over ParlayLib's own scheduler, both at the same grain (median / median)",
    "instructions_over_serial": "Instructions over serial, one worker, where the time is within 2% of serial",
    "over_uncolored": "Speedup over the same without colors",
    "over_bound": "Time over the bound: an equal part of its nodes' times for each worker, or its longest chain (median)",
    "idle_share": "Share of the workers' time in which they had no node (median)",
    "us_to_first_work": "Microseconds from the begin of a run to a worker's first node, mean of the workers (median)",
    "us_to_first_work_last": "The same: of the worker that came last (median)",
    "seconds": "Seconds (median)",
    "ns_per_fork": "Nanoseconds a fork ((T1 - Ts) / forks)",
    "ns_per_recorded_fork": "Nanoseconds that recording adds to a fork",
    "ns_per_iteration": "Nanoseconds an iteration (median)",
    "us_per_region": "Microseconds a region (median)",
    "us_to_return": "Microseconds from the end of a region's last branch to its return (median)",
    "us_to_return_p999": "The same: what 99.9% of the regions do not exceed (median of the samples)",
    "us_to_return_worst": "The same: the worst of a sample's regions (median of the samples)",
    "ns_per_node": "Nanoseconds a node (median)",
    "bytes_per_node": "Bytes of memory a node, at the most (median)",
    "stack_kib": "Stack between the first and the last node of a chain, KiB (median)",
    "us": "Microseconds from a fork to its start on another worker (median)",
    "remote_share": "Share of block accesses that are remote, counted on a virtual machine (median)",
    "remote_node_share": "Share of the graph's nodes that ran elsewhere than where they lie, counted (median)",
    "nodes_at_work": "Virtual nodes that ran a part of the last step (median)",
    "simulated_miss_share": "Share of lines touched that miss in a node's simulated last-level cache, counted (median)",
    "simulated_tight_miss_share": "The same, with caches that have room for an equal part of the data (median)",
    "simulated_cache_mib": "Simulated cache of a node, MiB",
    "simulated_fetched_mib": "Fetched by all nodes into their simulated caches, MiB (median)",
    "simulated_fetched_over_serial": "Lines fetched by all nodes over those that one node fetches in the order of the loop, counted (median)",
    "simulated_remote_over_serial": "Of these, lines that lie with another node, where each page lies with the node that touched it first (median)",
    "simulated_remote_of_blocks_over_serial": "The same, where each node has an equal part of the rows (median)",
    "kib_per_worker": "Size of the schedule's file without times, KiB a worker (median)",
    "refinements": "Rounds until the schedule had converged (median)",
    "beats_asked": "Beats asked for in a sample, of all workers that were at work (median)",
    "beats_delivered": "Beats that came in a sample (median)",
    "rate_reached": "Rate of beats reached over rate asked for (median)",
    "ns_per_step": "Nanoseconds a step with nothing in it (median)",
    "splice_steps": "Steps of a splice (median)",
    "splice_checks": "Effects compared (median)",
    "splice_switches": "Switches between stacks (median)",
    "splice_delayed": "Steps that had to wait (median)",
    "splice_dependences": "Dependences that they waited for (median)",
    "splice_extra_kib": "Memory for calls, delayed steps and stacks, KiB (median)",
    "splice_block": "Block of a tree, indices (0: none)",
    "splice_blocks_tried": "Sizes of blocks that were tried",
    "splice_shift": "Shift between the first tree and the last, indices",
    "last_level_misses_over_serial": "Misses of a simulated last-level cache of 1 MiB over serial, one worker, counted",
    "peak_mib": "Peak memory, MiB",
}
WIDEST = 150
DIGITS = {
    "peak_mib": 1,
    "seconds": 4,
    "ns_per_node": 1,
    "bytes_per_node": 1,
    "over_serial": 3,
    "over_plain": 3,
    "over_best": 3,
    "over_parlay": 3,
    "over_bound": 3,
    "idle_share": 3,
    "us_to_first_work": 1,
    "us_to_first_work_last": 1,
    "instructions_over_serial": 4,
    "remote_share": 4,
    "remote_node_share": 4,
    "nodes_at_work": 0,
    "simulated_miss_share": 4,
    "simulated_tight_miss_share": 4,
    "refinements": 0,
    "beats_asked": 0,
    "beats_delivered": 0,
    "rate_reached": 3,
}


def tables(results):
    """All tables as one text; what failed is marked in them and explained below."""
    present = {record["metric"] for record in results}
    blocks = [
        _table(metric, [r for r in results if r["metric"] == metric])
        for metric in TITLES
        if metric in present and metric != colorings.METRIC
    ]
    return "\n\n".join(blocks + colorings.tables(results) + _notes(results))


def label(record):
    return record["system"] if record["variant"] == "default" else f"{record['system']} {record['variant']}"


def rows(records):
    """The labels in the order of the records, a system's variants together."""
    systems = list(dict.fromkeys(record["system"] for record in records))
    by_system = sorted(records, key=lambda record: systems.index(record["system"]))
    return list(dict.fromkeys(label(record) for record in by_system))


def _table(metric, records):
    """One below the other where a person's screen would not take all kernels side by side."""
    kernels = list(dict.fromkeys(record["kernel"] for record in records))
    blocks, taken = [], []
    for kernel in kernels:
        block = _block(metric, [record for record in records if record["kernel"] in (*taken, kernel)])
        if taken and len(block[0]) > WIDEST:
            blocks.append(_block(metric, [record for record in records if record["kernel"] in taken]))
            taken = []
        taken.append(kernel)
    blocks.append(_block(metric, [record for record in records if record["kernel"] in taken]))
    return "\n".join([TITLES[metric], *(line for block in blocks for line in block)])


def _block(metric, records):
    columns = list(dict.fromkeys((record["kernel"], record["workers"]) for record in records))
    cells = {
        (label(record), record["kernel"], record["workers"]): _cell(metric, record) for record in records
    }
    grid = [["", *(kernel for kernel, _ in columns)], ["workers", *(str(workers) for _, workers in columns)]]
    grid += [[row, *(cells.get((row, *column), "") for column in columns)] for row in rows(records)]
    lines = _aligned(grid)
    rule = "-" * len(lines[0])
    return [rule, *lines[:2], rule, *lines[2:]]


def grid_lines(grid):
    """Rows of texts of which the first one is the head, in columns of which the first one begins at the left."""
    lines = _aligned(grid)
    rule = "-" * len(lines[0])
    return [rule, lines[0], rule, *lines[1:]]


def _aligned(grid):
    widths = [max(len(line[i]) for line in grid) for i in range(len(grid[0]))]
    return [
        line[0].ljust(widths[0]) + "".join("  " + text.rjust(width) for text, width in zip(line[1:], widths[1:]))
        for line in grid
    ]


def _cell(metric, record):
    if not record["ok"]:
        return "FAILED"
    if record["median"] is None:
        return "-"
    return f"{record['median']:.{DIGITS.get(metric, 2)}f}" + ("*" if "interval" in record else "")


def _notes(results):
    notes = []
    intervals = [record for record in results if record["ok"] and "interval" in record]
    if intervals:
        notes.append("* within 2% of 1; 95% intervals of the ratio:")
        notes += [
            f"  {_where(record)}, {record['metric']}: {record['interval'][0]:.3f} to {record['interval'][1]:.3f}"
            for record in intervals
        ]
    fastest = dict.fromkeys(
        f"  {record['kernel']}, {record['workers']}w: {record['params']['best']}"
        for record in results
        if record["metric"] == "over_best" and "best" in record["params"]
    )
    if fastest:
        notes += ["The fastest of the peers:", *fastest]
    failures = dict.fromkeys(
        f"  {_where(record)}: {record['error']}" for record in results if not record["ok"]
    )
    if failures:
        notes += ["FAILED, and so without figures:", *failures]
    return ["\n".join(notes)] if notes else []


def _where(record):
    return f"{record['kernel']}, {label(record)}, {record['workers']}w"
