# SPDX-License-Identifier: Apache-2.0
"""docs/evidence/combination.md: Sennit's combination beside the best of each paper's schedulers, at 80 simulated cores."""

import kept
import pages

TITLE = "Sennit beside each paper's best"
WHAT = {
    "000": "CILK, CILKN, SP and SPN: loops and splices, without and with a schedule that knows the nodes. Sennit's blocks are an eighth of theirs, as Sennit chooses blocks itself.",
    "001": "loop frames (on-the-fly splitting), and halves down to a grain.",
    "002": "Nabbit and NabbitC: task graphs without and with colors.",
    "003": "TPAL on Linux and on Nautilus, and Cilk Plus; with 80 workers on Linux a beat comes each 320 us, as one thread sends all signals.",
    "004": "Cilk, user-specified schedules (StUWS), and iterated ones (RelWS, then strict). Sennit's splices are of 16 sweeps of `heat`, and of 8 steps of `fdtd-2d`.",
}
HEAD = """All at 80 cores of the simulated [8 x 10](../design/simulator.md) that papers 000, 002 and 004 measured on, also the programs of the
other two. The paper's schedulers are simulated, too: so both sides run the same strands on the same machine.

Sennit's way is what [the guide](../guide/README.md) offers: loops dealt along places and split, schedules that are followed as far as
nobody is late (relaxed replay), splices, and a choice of `SENNIT_BARRIER` for each program. Of the ways and settings that were
tried, the table has the fastest one of each side: a bound of what can be reached, and not what a program gets without being tuned.
[The numbers of all](data/combination.simulated.json).""".splitlines()


def rows():
    return {paper: runs["programs"] for paper, runs in kept.read("combination", "simulated").items()}


def ratio(row):
    return min(row["theirs"].values()) / min(row["ours"].values())


def summary(all_rows):
    lines = ["| paper | programs | better | within 2% | behind | geometric mean | least |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for paper, programs in all_rows.items():
        ratios = {name: ratio(row) for name, row in programs.items()}
        least = min(ratios, key=ratios.get)
        better, behind = (sum(test(x) for x in ratios.values()) for test in (lambda x: x > 1.02, lambda x: x < 0.98))
        cells = [f"[{paper}]({paper}.md)", len(ratios), better, len(ratios) - better - behind, behind]
        cells += [f"{kept.mean(ratios.values()):.2f}", f"{ratios[least]:.2f} (`{least}`)"]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return lines


def milliseconds(seconds):
    return pages.shown(float(f"{seconds * 1e3:.3g}"))


def page():
    all_rows = rows()
    if not all_rows:
        return None
    lines = [f"# {TITLE}", *HEAD, "", *summary(all_rows), ""]
    for paper, programs in all_rows.items():
        lines += [f"## {paper}", f"The paper's: {WHAT[paper]}", ""]
        lines += ["| program | the paper's best | ms | Sennit's best | ms | times as fast |", "| --- | --- | --- | --- | --- | --- |"]
        for name, row in programs.items():
            cells = [f"`{name}`"]
            for whose in ("theirs", "ours"):
                best = min(row[whose], key=row[whose].get)
                cells += [best, milliseconds(row[whose][best])]
            lines.append("| " + " | ".join([*cells, f"{ratio(row):.2f}"]) + " |")
        lines += ["", *(NOTES[paper](programs) if paper in NOTES else ()), ""]
    lines += ["```", "make evidence SIMULATE=1 ONLY=combination", "```", ""]
    return "\n".join(lines).replace("\n\n\n", "\n\n")


def on_003(programs):
    default = {name: min(row["theirs"].values()) / row["ours"]["Sennit"] for name, row in programs.items()}
    least = min(default, key=default.get)
    better = sum(x > 1.02 for x in default.values())
    return [
        f"With Sennit's default alone, requests, {better} of {len(default)} are better, and `{least}` has {default[least]:.2f} of the speed of the paper's",
        "best: requests are slow where short rows stand beside a long one. See",
        "[what the simulator found](../design/simulator.md#what-it-found).",
    ]


def on_004(programs):
    cg = programs["cg"]
    longer = cg["ours"]["loops along places"] / min(cg["theirs"].values()) - 1
    return [
        f"In `cg`, loops along places take {longer:.0%} longer than the best schedule, though nobody steals. Perhaps what workers of a node read",
        "of the common vector is in their cache less often; that was not tested.",
    ]


NOTES = {
    "002": lambda programs: [
        "On regular graphs NabbitC leaves next to nothing to gain: nearly all cores are at work, as with OpenMP's static loops",
        "([Figure 6](002.md#figure-6)). On the crawls of `uk` random stealing is ahead of ways that keep tasks with their data, or as fast.",
    ],
    "003": on_003,
    "004": on_004,
}
INDEX = ["[Sennit beside each paper's best](combination.md): at 80 simulated cores, on each paper's own programs.", ""]
