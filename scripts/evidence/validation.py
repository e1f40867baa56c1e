# SPDX-License-Identifier: Apache-2.0
"""Simulated against measured: each kernel of the gallery is traced on one worker, and run on one and on two.

The trace is of one run on one worker, and the machine is this one, as `sennit doctor --write-machine` measures it.
"""

import json
import os
import pathlib
import statistics
import subprocess
import tempfile

import kept
import words

TOOL = kept.ROOT / "build/release/tools/sennit"
ROUNDS = 5
# What a splice does in parallel is not in a trace.
SPLICES = (
    "jacobi-1d", "jacobi-2d", "jacobi-3d", "seidel-2d", "apop", "mvt", "bicg", "copy", "wave-1d", "convolution-2d", "gray-scott",
    "stencil-27",
)
MEDIAN_BAR, WORST_BAR, SPEEDUP_BAR = 0.05, 0.15, 0.10


def kernels():
    lines = subprocess.run([TOOL, "list"], check=True, capture_output=True, text=True).stdout.splitlines()
    return [line.split()[0] for line in lines[1:] if line and line[0].isalpha() and not line.startswith("sennit ")]


def run(words, **variables):
    subprocess.run([TOOL, *words], check=True, stdout=subprocess.DEVNULL, env=os.environ | variables)


def seconds(kernel, workers, folder):
    out = folder / "run.json"
    run(["run", kernel, "--workers", str(workers), "--repeat", "1", "--no-forks", "--json", str(out)])
    records = json.loads(out.read_text())["results"]
    return next(r["median"] for r in records if r["system"] == "sennit" and r["metric"] == "seconds")


def simulated(trace, machine, workers, folder):
    out = folder / "sim.json"
    run(["sim", str(trace), "--machine", str(machine), "--workers", str(workers), "--json", str(out)])
    return json.loads(out.read_text())["runs"][0]["makespan_s"]


def outside(trace, folder):
    """What the program did outside of its regions is no part of the kernel's time."""
    out = folder / "scale.json"
    run(["scale", str(trace), "--no-simulation", "--json", str(out)])
    return json.loads(out.read_text())["outside_s"]


def keep_measured(trace):
    """The input is made in another runtime, which comes first: it is no part of the kernel's time."""
    lines = trace.read_text().splitlines(keepends=True)
    events = [json.loads(text) if (text := line.strip().strip("[],")) else {} for line in lines]
    runtimes = {}  # of rows; threads that run no strand have none
    for event in events:
        if event.get("name") == "thread_name":
            runtimes[event["tid"]] = int(event["args"]["name"].partition(" of runtime ")[2] or 1)
    last = max(runtimes.values(), default=1)
    kept_lines = [
        line
        for line, event in zip(lines, events)
        if event.get("ph") != "X" or runtimes.get(event["tid"], last) == last
    ]
    if len(kept_lines) < len(lines):
        trace.write_text("".join(kept_lines))


def compare(kernel, machine, folder):
    """Medians of rounds: on one worker, on two, and on one with a trace."""
    trace = folder / f"{kernel}.trace"
    times = {"measured_1_s": [], "measured_2_s": [], "simulated_1_s": [], "simulated_2_s": []}
    for _ in range(ROUNDS):
        times["measured_1_s"].append(seconds(kernel, 1, folder))
        times["measured_2_s"].append(seconds(kernel, 2, folder))
        run(["run", kernel, "--workers", "1", "--repeat", "1", "--no-forks"], SENNIT_TRACE=str(trace))
        keep_measured(trace)
        before = outside(trace, folder)
        times["simulated_1_s"].append(simulated(trace, machine, 1, folder) - before)
        times["simulated_2_s"].append(simulated(trace, machine, 2, folder) - before)
        trace.unlink()
    return {"kernel": kernel} | {name: statistics.median(of) for name, of in times.items()}


def error(row, workers):
    return row[f"simulated_{workers}_s"] / row[f"measured_{workers}_s"] - 1


def measure(machine, only):
    """Keeps the rows of all kernels, or of those that `only` names beside the others'."""
    known = {row["kernel"]: row for row in rows()}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kernel in [k for k in kernels() if not only or k in only]:
            row = known[kernel] = compare(kernel, machine.resolve(), folder)
            print(f"{kernel}: one worker {error(row, 1):+.1%}, two {error(row, 2):+.1%}", flush=True)
    (kept.DATA / "validation.json").write_text(kept.text([known[k] for k in kernels() if k in known]) + "\n")


def rows():
    path = kept.DATA / "validation.json"
    return json.loads(path.read_text()) if path.is_file() else []


def summary(known, workers):
    errors = [abs(error(row, workers)) for row in known]
    worst = max(known, key=lambda row: abs(error(row, workers)))
    return (
        f"| {workers} | {statistics.median(errors):.1%} | {error(worst, workers):+.1%} (`{worst['kernel']}`) "
        f"| {sum(e <= MEDIAN_BAR for e in errors)} | {sum(e <= WORST_BAR for e in errors)} of {len(errors)} |"
    )


def speedup_error(row):
    simulated, measured = (row[f"{how}_1_s"] / row[f"{how}_2_s"] for how in ("simulated", "measured"))
    return simulated / measured - 1


def speedups(known):
    errors = [abs(speedup_error(row)) for row in known]
    far = sorted((row for row in known if abs(speedup_error(row)) > SPEEDUP_BAR), key=lambda row: -abs(speedup_error(row)))
    names = words.listed(f"`{row['kernel']}` ({speedup_error(row):+.0%})" for row in far)
    return [
        f"The speed-up on two workers that a trace on one predicts is off by {statistics.median(errors):.1%} in the median, and by less than",
        f"{SPEEDUP_BAR:.0%} for {len(errors) - len(far)} of {len(errors)} kernels" + (f"; farthest off: {names}." if far else "."),
    ]


def missed(known):
    far = [row for row in known if abs(error(row, 2)) > WORST_BAR]
    names = words.listed(f"`{row['kernel']}`" for row in far)
    return [f"On two workers the error of {names} is beyond the bar of {WORST_BAR:.0%}." if far else ""]


def page():
    known = rows()
    if not known:
        return None
    forked = [row for row in known if row["kernel"] not in SPLICES]
    lines = [
        "# Simulated against measured",
        "Each kernel of the gallery, traced in one run on one worker, then simulated on this machine, as `sennit doctor --write-machine` measures it,",
        f"beside runs without a trace; medians of {ROUNDS} rounds, interleaved. The bars: a median error of at most {MEDIAN_BAR:.0%}, and none beyond",
        f"{WORST_BAR:.0%}. A trace says nothing of the memory that strands share, so what two workers take from each other there is not predicted.",
        "",
        "`knapsack` does other work with two workers, as its bound is found earlier or later. [Tracing](../guide/tracing.md#cost) says",
        "what a trace has and costs.",
        "",
        "| workers | median error | worst | within 5% | within 15% |",
        "| --- | --- | --- | --- | --- |",
        summary(known, 1),
        summary(forked, 2),
        "",
        f"The last {len(known) - len(forked)} kernels are splices. What a splice does in parallel is not in a trace, so they are simulated as serial programs, and",
        "what is said of two workers leaves them out.",
        *missed(forked),
        *speedups(forked),
        "",
        "| kernel | measured, 1 worker | simulated | error | measured, 2 workers | simulated | error |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in known:
        cells = [f"`{row['kernel']}`"]
        for workers in (1, 2):
            cells += [f"{row[f'measured_{workers}_s'] * 1e3:.1f} ms", f"{row[f'simulated_{workers}_s'] * 1e3:.1f} ms"]
            cells += [f"{error(row, workers):+.1%}"]
        lines.append("| " + " | ".join(cells) + " |")
    lines += [
        "",
        "```",
        "cmake --preset release",
        "cmake --build --preset release --target tools/sennit",
        "build/release/tools/sennit doctor --write-machine this.machine",
        "python3 scripts/evidence/make.py --validate this.machine",
        "```",
        "",
    ]
    return "\n".join(lines)
