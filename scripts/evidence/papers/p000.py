# SPDX-License-Identifier: Apache-2.0
"""Lifflander and Krishnamoorthy, 2017: splicing."""

from figures import COUNTED, MEASURED, SIMULATED, Bars, Claim, Figure, Lines, again, claim
from kept import mean
from measure import Suite
from words import compared, listed, spread

TITLE = "000: splicing (PLDI 2017)"

KERNELS = ("jacobi-1d", "jacobi-2d", "jacobi-3d", "seidel-2d", "fdtd-2d", "apop", "mvt", "bicg")
COUNTS = ("splice_steps", "splice_checks", "splice_switches", "splice_delayed", "splice_dependences", "splice_extra_kib")
RUNS = {
    "splice-stencils": Suite("splice", KERNELS[:4], ("seconds", *COUNTS)),
    "splice-others": Suite("splice", KERNELS[4:], ("seconds", *COUNTS)),
    "misses": Suite("splice", tuple(f"{kernel}-misses" for kernel in KERNELS), ("last_level_misses_over_serial",)),
    "remote-splice": Suite(
        "remote-splice",
        ("jacobi-1d-nodes", "jacobi-2d-nodes", "fdtd-2d-nodes"),
        ("simulated_fetched_over_serial", "simulated_remote_over_serial", "nodes_at_work"),
    ),
}


def figures(kept):
    return (fig7(kept), table2(kept), table3(kept), table4(kept))


def simulated(figure):
    return again("SIMULATE", f"000/{figure}")


STENCILS = ("splice-stencils", "splice-others")
SPLICED = {"jacobi-1d": 16, "jacobi-2d": 16, "jacobi-3d": 8, "seidel-2d": 8, "fdtd-2d": 8, "apop": 16, "mvt": 1, "bicg": 1}
SYSTEMS = (  # in the paper, here
    ("CILK", "sennit", "joins"),
    ("CILKN: loops by OpenMP, static", "openmp", "default"),
    ("SP: spliced trees", "sennit", "trees"),
    ("SPN: spliced, by a refined schedule", "sennit", "refined"),
    ("PLUTO: tiled by hand", "tiled", "default"),
)


def seconds(kept, kernel, system, variant, workers):
    for run in STENCILS:
        if found := kept.median(run, kernel, system, "seconds", workers, variant):
            return found
    return None


def speedup(kept, kernel, system, variant, workers):
    """As in the paper: over a serial program that scales perfectly."""
    serial, own = seconds(kept, kernel, "serial", "default", 1), seconds(kept, kernel, system, variant, workers)
    return serial / workers / own if serial and own else None


def over_spliced(kept, system, variant, workers):
    ratios = []
    for kernel in KERNELS:
        own, spliced = seconds(kept, kernel, system, variant, workers), seconds(kept, kernel, "sennit", "trees", workers)
        ratios.append(own / spliced if own and spliced else None)
    return mean(ratios)


WITHIN, ACROSS = (1, 2, 4, 8), (16, 32, 64)  # cores, simulated


def over_sp(kept, way, cores, at=("figure-7", "programs"), programs=KERNELS):
    """The arithmetic mean of simulated times over those of SP."""
    speedups = [
        (kept.figure_of_run(*at, p, "SP", str(c)), kept.figure_of_run(*at, p, way, str(c)))
        for p in programs
        for c in cores
    ]
    ratios = [sp / own for sp, own in speedups if sp and own]
    return sum(ratios) / len(ratios) if ratios else None


def over(kept, way, other, cores, **of):
    """A ratio of two columns of Table 2, as the paper's text forms it."""
    own, others = over_sp(kept, way, cores, **of), over_sp(kept, other, cores, **of)
    return own / others if own and others else None


def fig7(kept):
    said = kept.paper["figure-7"]

    here = over_spliced(kept, "sennit", "joins", 2)
    claims = (
        claim(said, "spn_over_cilk", "CILK over SPN, 16 to 64 cores", over(kept, "CILK", "SPN", ACROSS), SIMULATED),
        claim(said, "spn_over_cilkn", "CILKN over SPN, 16 to 64 cores", over(kept, "CILKN", "SPN", ACROSS), SIMULATED),
        claim(
            said,
            "spn_over_cilk",
            "CILK over SPN, the same without jacobi-3d",
            over(kept, "CILK", "SPN", ACROSS, programs=[k for k in KERNELS if k != "jacobi-3d"]),
            SIMULATED,
        ),
        Claim(
            "SPN over Sennit's splices, relaxed, along places, 16 to 64 cores",
            "—",
            "not in the paper",
            over(kept, "SPN", "Sennit", ACROSS),
            SIMULATED,
        ),
        claim(said, "sp_over_cilk", "CILK over SP", here, note="2 workers, geometric mean of eight programs"),
    )
    links = sorted(map(int, kept.figure_of_run("links", "programs by links") or {}))
    by_links = {
        way: [
            (x / 1000, gain)
            for x in links
            if (gain := over(kept, way, "SPN", (16, 64), at=("links", "programs by links", str(x))))
        ]
        for way in ("CILK", "CILKN")
    }
    claims += tuple(
        claim(said, key, f"{way} over SPN, 16 and 64 cores, if a node's links carry {x:.0f} GB/s", gain, SIMULATED, "what if")
        for way, key in (("CILK", "spn_over_cilk"), ("CILKN", "spn_over_cilkn"))
        for x, gain in by_links[way]
    )
    plots = [
        Bars(
            f"figure-7-{w}",
            f"Speedup over a serial program that scales perfectly, {w} worker{'s' * (w > 1)}",
            "speedup (higher is faster)",
            KERNELS,
            {name: [speedup(kept, k, s, v, w) for k in KERNELS] for name, s, v in SYSTEMS},
            "serial, scaled",
        )
        for w in (1, 2)
    ]
    for program, found in (kept.figure_of_run("figure-7", "programs") or {}).items():
        plots.append(
            Lines(
                f"figure-7-{program}",
                f"{program}, simulated on 8 x 10 cores",
                "cores",
                "speedup over scaled serial",
                {way: [(int(w), x) for w, x in points.items()] for way, points in found.items()},
                log_x=True,
            )
        )
    if links:
        plots.append(
            Lines("figure-7-links", "SPN's gain beyond a node", "what a node's links carry, GB/s", "ratio of times", by_links)
        )
    return Figure(
        "figure-7",
        "Figure 7",
        "Speedup of eight programs under Cilk, splicing, Pluto and Pochoir, over a serial program that scales perfectly.",
        claims,
        "Splicing is faster than loops at each number of cores, by as much as there over CILKN beyond a node. Over CILK it gains less beyond a node. "
        "SP over CILK is within a tenth of Table 2; what is less is the gain of SPN over SP, as the links of the machine file, 17 GB/s a node, make remote data cheap for who needs little. "
        + ("The table varies them. " if links else "That this is the assumption was not checked by varying it. ")
        + "jacobi-3d gains nothing at 8 cores and more: eight planes of two arrays, 8 MiB, do not fit a core's part of the cache.",
        "partly",
        (again("MEASURE", "000/splice-stencils"), again("MEASURE", "000/splice-others"), simulated("figure-7")),
        tuple(plots),
        runs=STENCILS,
        missing="Pochoir and Pluto are not run: `tiled`, by hand, stands for Pluto, and only where it is measured.",
        measured=(
            f"Measured on two workers, loops take {here:.2f} times as long as splices, where the paper has 2 to 3 times overall."
            if here
            else ""
        ),
        setting="Measured: the same programs with smaller data. Simulated: the sizes, blocks, steps and serial times of Table 1, at 1 to 64 cores. Calls are interleaved by slices of 64 KiB (apop 32 KiB, a plane of jacobi-3d), "
        "which wait for their neighbors; in seidel-2d they do not, as each sweep would be a chain.",
    )


def table2(kept):
    said = kept.paper["table-2"]
    claims = []
    for key, name, system, variant in (
        ("spn", "SPN", "sennit", "refined"),
        ("cilkn", "CILKN", "openmp", "default"),
        ("pluto", "PLUTO", "tiled", "default"),
        ("cilk", "CILK", "sennit", "joins"),
    ):
        ratios = [r for w in (1, 2) if (r := over_spliced(kept, system, variant, w))]
        note = "1 and 2 workers; " + {"cilkn": "OpenMP, static, stands for it", "pluto": "tiled by hand stands for it"}.get(
            key, f"`{variant}`"
        )
        claims.append(
            Claim(
                f"{name} over SP within a node, geometric mean",
                said["within_node"]["geometric"][key],
                said["from"],
                mean(ratios),
                note=note,
            )
        )
    within = tuple(claims)
    for key in ("spn", "cilkn", "cilk"):
        claims.append(
            Claim(
                f"{key.upper()} over SP across nodes, arithmetic mean",
                said["across_nodes"]["arithmetic"][key],
                said["from"],
                over_sp(kept, key.upper(), ACROSS),
                SIMULATED,
                "16 to 64 cores",
            )
        )
    for key in ("spn", "cilkn", "cilk"):
        claims.append(
            Claim(
                f"{key.upper()} over SP within a node, arithmetic mean",
                said["within_node"]["arithmetic"][key],
                said["from"],
                over_sp(kept, key.upper(), WITHIN),
                SIMULATED,
                "1 to 8 cores",
            )
        )
    counted = [
        kept.median("remote-splice", k, "sennit", "simulated_remote_over_serial", 16, v)
        for k in ("jacobi-1d-nodes", "jacobi-2d-nodes", "fdtd-2d-nodes")
        for v in ("refined", "loops")
    ]
    if all(counted):
        claims.append(
            Claim(
                "remote lines of SPN over those of CILK",
                "—",
                "not in the paper",
                mean(counted[::2]) / mean(counted[1::2]),
                COUNTED,
                "8 nodes, 16 workers" + (", quick sizes" if kept.run("remote-splice")["quick"] else ""),
            )
        )
    return Figure(
        "table-2",
        "Table 2",
        "Mean times over those of SP, within a node and across nodes.",
        tuple(claims),
        "Within a node a schedule changes nothing, and loops take longer than splices, by as much as there. Across nodes the order is the paper's; a schedule helps splices less, and loops less, than there.",
        "partly",
        (again("MEASURE", "000/splice-stencils"), again("MEASURE", "000/remote-splice"), simulated("figure-7")),
        runs=(*STENCILS, "remote-splice"),
        missing="Pochoir is not run, and Pluto only as `tiled` on one node.",
        measured=f"Within a node: {compared(within)}" if compared(within) else "",
    )


def table3(kept):
    said = kept.paper["table-3"]["programs"]
    claims, theirs, ours = [], [], []
    for kernel in KERNELS:
        their = said[kernel]["splice"]["l3_misses"] / said[kernel]["serial"]["l3_misses"]
        our = kept.median("misses", f"{kernel}-misses", "sennit", "last_level_misses_over_serial", 1, "chosen")
        claims.append(
            Claim(
                f"{kernel}: last-level misses, spliced over serial",
                their,
                "Table 3, L3 misses, as printed",
                our,
                COUNTED,
                "cache of 1 MiB, by cachegrind",
            )
        )
        theirs.append(their)
        ours.append(our)
    for kernel in KERNELS:
        claims.append(
            Claim(
                f"{kernel}: bytes from memory, spliced over loops",
                said[kernel]["splice"]["l3_misses"] / said[kernel]["serial"]["l3_misses"],
                "Table 3, L3 misses, as printed",
                kept.figure_of_run("table-3", "programs", kernel),
                SIMULATED,
                "at the paper's size",
            )
        )
    plot = Bars(
        "table-3",
        "Last-level misses of the spliced program over the serial one",
        "ratio (lower is better)",
        KERNELS,
        {"the paper": theirs, "here": ours},
        "serial",
    )
    return Figure(
        "table-3",
        "Table 3",
        "Accesses and misses of L1, L3 and TLB, and instructions, on one core.",
        tuple(claims),
        f"A spliced program has {spread(ours)} of the misses of a serial one, there {spread(theirs)}. {compared(claims)} Simulated, it spares more, as a slice is in the cache as a whole.",
        "",
        (again("MEASURE", "000/misses"), simulated("table-3")),
        (plot,),
        runs=("misses",),
        missing="counters of L1, TLB and instructions: a virtual machine has no counters, and cachegrind's first-level cache would tell of another machine. "
        "For jacobi-1d the paper's columns of Splice and Cilk seem exchanged, as its Splice misses what Serial misses.",
    )


def table4(kept):
    said = kept.paper["table-4"]["programs"]
    claims = []
    for kernel in KERNELS:
        for key, metric, words in (
            ("checks", "splice_checks", "interference checks"),
            ("switches", "splice_switches", "context switches"),
            ("delayed", "splice_delayed", "delayed steps"),
        ):
            ours = next(
                (found for run in STENCILS if (found := kept.median(run, kernel, "sennit", metric, 2)) is not None), None
            )
            claims.append(
                Claim(
                    f"{kernel}: {words}",
                    said[kernel][key],
                    "Table 4, 64 cores",
                    ours,
                    note="2 workers, smaller data, functions with effects",
                )
            )
            claims.append(
                Claim(
                    f"{kernel}: {words}",
                    said[kernel][key],
                    "Table 4, 64 cores",
                    kept.figure_of_run("table-4", "programs", kernel, key),
                    SIMULATED,
                    f"64 cores, a splice of {SPLICED[kernel]} steps",
                )
            )

    def extremes(how):
        counted = {c.what: c.ours for c in claims if c.how == how and c.ours is not None}
        idle = [k for k in KERNELS if counted.get(f"{k}: delayed steps") == 0]
        stencils = [k for k in KERNELS[:6] if f"{k}: interference checks" in counted]
        least = sorted(stencils, key=lambda k: counted[f"{k}: interference checks"])[:2]
        return f"nothing is delayed in {listed(idle) or 'no program'}, and of the stencils {listed(least)} check least"

    return Figure(
        "table-4",
        "Table 4",
        "What the splicing scheduler does: checks, switches, delayed steps, and memory for these.",
        tuple(claims),
        "The counts cannot be compared as numbers, for the sizes differ. In the paper nothing is delayed in mvt and bicg, and of the stencils "
        f"apop and jacobi-1d check least. Simulated, {extremes(SIMULATED)}.",
        "partly",
        (again("MEASURE", "000/splice-stencils"), again("MEASURE", "000/splice-others"), simulated("table-4")),
        runs=STENCILS,
        missing="the memory by number of cores.",
        measured=f"Measured, {extremes(MEASURED)}.",
    )
