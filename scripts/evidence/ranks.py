# SPDX-License-Identifier: Apache-2.0
"""docs/evidence/ranks.md: weak and strong scaling of the programs on ranks, on simulated clusters."""

import figures
import kept
import pages
import words

TITLE = "Programs on 1,024 ranks"
OURS = "Sennit"
CLUSTERS = {"100g": "100 Gb/s InfiniBand", "10g": "10 Gb/s Ethernet"}
SCALINGS = {"strong": "the same work on more ranks", "weak": "as much memory on each rank; the work of cholesky grows faster than that, and the longest chain of sw with the table"}
HEAD = """None of this was measured. [The simulator](../design/simulator.md#ranks) ran graphs with the shape of the programs of
[integrations/mpi](../../integrations/mpi/README.md), on clusters that nobody here has: 1,024 ranks of 48 cores. The nodes are not
those of the programs: nodes of `cholesky` have 4 to 8 equal pieces inside, and those of `sw` have 16, for Sennit and for OpenMP. The
programs' nodes are serial today. A block of `sw` that is cut would also take time to fill its wavefront, which is left out.
What a system costs for a task, a barrier or a submission is known or estimated, and stands in one place,
`sim/evidence/ranks.cpp`; what a message costs stands in the machine files `cluster-100g` and `cluster-10g`.
[The numbers of all](data/ranks.simulated.json).

| system | as |
| --- | --- |
| Sennit | nodes with loops inside; idle workers receive messages; `heat` exchanges once in eight steps |
| StarPU-MPI alone | each rank goes through all tasks of all ranks; one core for messages; no loops inside tasks |
| MPI + OpenMP | phases: a barrier of the rank's threads and an exchange after each of them |

Sizes are small, so that a simulation takes minutes: `cholesky` has 96 tiles in a row (weak: 4 on one rank, times the root of the ranks),
`heat` 12,288 blocks and 16 steps (48 on each rank), `sw` 512 tiles in a row (16 on one rank, times the root), `pagerank` 12,288 blocks of vertices and 2 steps (48 on each rank).

Some of what the model leaves out favors Sennit. Sennit's search for the nodes, with its questions between ranks, costs
nothing here. A message costs Sennit what it costs the others, 2 us on `cluster-100g`, and an idle rank notices it at once. Between
two ranks of the machine here an edge takes [14 us in a chain](../../integrations/mpi/README.md#against-programs-by-hand), and 0.36 us
by hand.

All three send a value to its readers one by one, except that MPI + OpenMP has `MPI_Allgather` by recursive doubling in `pagerank`.
Sennit's program calls `MPI_Allgather`, too, and would send as many messages as that. So what is said of `cholesky` on many ranks, where a tile
goes to a whole row and column, holds for no program whose broadcasts go along a tree, as `MPI_Bcast` does.
A worker that is idle later takes no part of a loop that has begun. Blocks of `heat` have no loop inside: 256 ranks have a block for each
core, and 1,024 have nothing more to do. `sw` is bound by its longest chain beyond some 256 ranks.""".splitlines()
INDEX = ["[Programs on 1,024 ranks](ranks.md): weak and strong scaling on simulated clusters, beside StarPU-MPI and MPI + OpenMP.", ""]


def milliseconds(runs):
    """System to (ranks, milliseconds)."""
    return {system: [(int(ranks), cell[0]) for ranks, cell in of.items()] for system, of in runs.items()}


def plot(cluster, scaling, program, runs):
    return figures.Lines(
        f"{cluster}-{scaling}-{program}",
        f"{program}, {scaling} scaling, {CLUSTERS[cluster]}",
        "ranks",
        "milliseconds",
        milliseconds(runs),
        log_x=True,
        log=True,
    )


def beside(runs):
    """(the best other system's time over Sennit's, ranks, that system), for each number of ranks that all have."""
    of = {system: dict(points) for system, points in milliseconds(runs).items()}
    others = [system for system in of if system != OURS]
    made = []
    for ranks in of[OURS]:
        there = [system for system in others if ranks in of[system]]
        if there:
            best = min(there, key=lambda system: of[system][ranks])
            made.append((of[best][ranks] / of[OURS][ranks], ranks, best))
    return made


def on(all_of):
    return words.listed(f"{ranks:,} ({system}, {1 / ratio:.2f} times as fast)" for ratio, ranks, system in all_of)


def sentence(runs, scaling):
    """Where Sennit is first and where it loses, by more than 2%."""
    made = beside(runs)
    first = [x for x in made if x[0] > 1.02]
    lost = [x for x in made if x[0] < 0.98]
    said = []
    if first:
        most = max(first)
        said.append(
            f"Sennit is first on {words.listed(f'{ranks:,}' for _, ranks, _ in first)} ranks, "
            f"at most {most[0]:.2f} times as fast as the next (on {most[1]:,}: {most[2]})."
        )
    if lost:
        said.append(f"Sennit loses on {on(lost)}.")
    if len(first) + len(lost) < len(made):
        rest = [x for x in made if x not in first and x not in lost]
        said.append(f"The best other system is within 2% on {words.listed(f'{ranks:,}' for _, ranks, _ in rest)}.")
    best = min(milliseconds(runs)[OURS], key=lambda point: point[1])
    last = milliseconds(runs)[OURS][-1]
    if scaling == "strong" and last[1] > 1.02 * best[1]:
        said.append(f"Sennit's least time is on {best[0]:,}; on {last[0]:,} it takes {last[1] / best[1]:.2g} times that.")
    return " ".join(said)


def table(runs):
    counts = list(next(iter(runs.values())))
    lines = ["| ms | " + " | ".join(f"{int(ranks):,}" for ranks in counts) + " |", "| --- |" + " --- |" * len(counts)]
    for system, of in runs.items():
        cells = [pages.shown(of[ranks][0]) if ranks in of else "—" for ranks in counts]
        lines.append(f"| {system} | " + " | ".join(cells) + " |")
    sent = [f"{of[ranks][1]:,}" if ranks in of else "—" for of in (runs[OURS],) for ranks in counts]
    lines.append("| messages, Sennit | " + " | ".join(sent) + " |")
    return lines


def parts():
    """(cluster, scaling, program, runs) of what was simulated."""
    for cluster, made in kept.read("ranks", "simulated").items():
        for scaling in SCALINGS:
            for program, runs in made[scaling].items():
                yield cluster, scaling, program, runs


def pictures():
    made = (plot(*part) for part in parts())
    return {f"ranks-{drawn.name}": drawn for drawn in made}


def page():
    if not kept.read("ranks", "simulated"):
        return None
    lines, before = [f"# {TITLE}", *HEAD, ""], None
    for cluster, scaling, program, runs in parts():
        if (cluster, scaling) != before:
            lines += [f"## {CLUSTERS[cluster]}, {scaling} scaling", f"{SCALINGS[scaling][0].upper()}{SCALINGS[scaling][1:]}.", ""]
            before = (cluster, scaling)
        drawn = plot(cluster, scaling, program, runs)
        lines += [f"### {program}, {scaling}, {cluster}", sentence(runs, scaling), "", *table(runs), "", *pages.pictured(f"ranks-{drawn.name}", drawn.title)]
    lines += ["```", "make evidence SIMULATE=1 ONLY=ranks", "```", ""]
    return "\n".join(lines)
