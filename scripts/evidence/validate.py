#!/usr/bin/env python3
"""Simulated against measured: each kernel of the gallery is traced on one worker, and run on one and on two.

validate.py --machine FILE [--only KERNEL]... [--rounds N]

Writes docs/evidence/data/validation.json. FILE is of this machine: `sennit doctor --machine FILE`. The trace is of one run on one
worker. Its time is taken for that of the measured runs on one worker, so that what is compared is how well two workers do.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import kept  # noqa: E402

TOOL = kept.ROOT / "build/release/tools/sennit"


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
    out = folder / "scale.json"
    run(["scale", str(trace), "--no-simulation", "--json", str(out)])
    return json.loads(out.read_text())["outside_s"]


def validate(kernel, machine, rounds, folder):
    """Times interleaved: on one worker, on one worker with a trace, on two."""
    trace = folder / f"{kernel}.trace"
    one, two, predicted_one, predicted_two = [], [], [], []
    for _ in range(rounds):
        one.append(seconds(kernel, 1, folder))
        two.append(seconds(kernel, 2, folder))
        run(["run", kernel, "--workers", "1", "--repeat", "1", "--no-forks"], SENNIT_TRACE=str(trace))
        before = outside(trace, folder)
        predicted_one.append(simulated(trace, machine, 1, folder) - before)
        predicted_two.append(simulated(trace, machine, 2, folder) - before)
        trace.unlink()
    median = statistics.median
    return {
        "kernel": kernel,
        "measured_one_s": median(one), "measured_two_s": median(two),
        "simulated_one_s": median(predicted_one), "simulated_two_s": median(predicted_two),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", type=pathlib.Path, required=True)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kernel in options.only or kernels():
            row = validate(kernel, options.machine.resolve(), options.rounds, pathlib.Path(folder))
            rows.append(row)
            got = row["measured_one_s"] / row["measured_two_s"]
            said = row["simulated_one_s"] / row["simulated_two_s"]
            one = row["simulated_one_s"] / row["measured_one_s"] - 1
            two = row["simulated_two_s"] / row["measured_two_s"] - 1
            print(f"{kernel:16} one worker {one:+.1%}, two {two:+.1%}; speed-up {got:.2f}, simulated {said:.2f}", flush=True)
    if not options.only:
        (kept.DATA / "validation.json").write_text(kept.text(rows) + "\n")


if __name__ == "__main__":
    main()
