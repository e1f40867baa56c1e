# SPDX-License-Identifier: Apache-2.0
"""The kept numbers: docs/evidence/data/PAPER.paper.json (transcribed), .measured.json, .simulated.json."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/evidence"
DATA = PAGES / "data"
TIMES = ("seconds", "us_to_first_work")
PAPERS = ("000", "001", "002", "003", "004")


def text(value, depth=0):
    """JSON with a line for each entry that has no entries of its own, so that a change of a number is a change of a line."""
    pad = " " * (depth + 1)
    inner = isinstance(value, (dict, list)) and (depth == 0 or any(isinstance(part, (dict, list)) for part in parts(value)))
    if not inner:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        lines = [f"{pad}{json.dumps(key, ensure_ascii=False)}: {text(part, depth + 1)}" for key, part in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + " " * depth + "}"
    return "[\n" + ",\n".join(pad + text(part, depth + 1) for part in value) + "\n" + " " * depth + "]"


def parts(value):
    return value.values() if isinstance(value, dict) else value


def read(paper, kind):
    path = DATA / f"{paper}.{kind}.json"
    return json.loads(path.read_text()) if path.is_file() else {}


def write(paper, kind, runs):
    DATA.mkdir(parents=True, exist_ok=True)
    (DATA / f"{paper}.{kind}.json").write_text(text(dict(sorted(runs.items()))) + "\n")


class Kept:
    """All that is known of a paper's figures."""

    def __init__(self, paper):
        self.name = paper
        self.paper = read(paper, "paper")
        self.measured = read(paper, "measured")
        self.simulated = read(paper, "simulated")

    def said(self, figure, key):
        """(value, where in the paper)."""
        entry = self.paper[figure][key]
        return entry["value"], entry["from"]

    def run(self, name):
        """A measurement, or None."""
        return self.measured.get(name)

    def median(self, run, kernel, system, metric, workers, variant="default"):
        """None if it was not measured. Where others were at work on the machine, the least of the samples, which they disturb least."""
        taken = self.measured.get(run, {})
        for record in taken.get("records", ()):
            if record[:5] == [kernel, system, variant, metric, workers]:
                return record[5 if taken["quiet"] or metric not in TIMES else 6]
        return None

    def ratio(self, run, kernel, above, below, workers, metric="seconds"):
        """Of two (system, variant), each with its own number of workers if there are two."""
        mine, its = workers if isinstance(workers, tuple) else (workers, workers)
        one = self.median(run, kernel, above[0], metric, mine, above[1])
        other = self.median(run, kernel, below[0], metric, its, below[1])
        return one / other if one and other else None

    def over_serial(self, run, kernel, system, workers, variant="default"):
        return self.ratio(run, kernel, (system, variant), ("serial", "default"), (workers, 1))

    def curve(self, run, *keys):
        """Points by number of workers; [] if it was not simulated."""
        value = self.figure_of_run(run, *keys)
        return [(int(workers), number) for workers, number in value.items()] if value else []

    def figure_of_run(self, run, *keys):
        """An entry of what was simulated, or None."""
        value = self.simulated.get(run)
        for key in keys:
            if not isinstance(value, dict) or key not in value:
                return None
            value = value[key]
        return value


def mean(values):
    """Geometric, of those that are there; None of none."""
    there = [value for value in values if value]
    if not there:
        return None
    product = 1.0
    for value in there:
        product *= value
    return product ** (1 / len(there))


def inverse(value):
    return 1 / value if value else None
