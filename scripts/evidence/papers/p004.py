# SPDX-License-Identifier: Apache-2.0
"""Lifflander, Krishnamoorthy and Kalé, 2014: schedules."""

from figures import COUNTED, MEASURED, SIMULATED, Bars, Claim, Figure, Lines, again, claim, verdict
from kept import inverse, mean
from measure import Suite
from words import compared, firsts, spread

TITLE = "004: schedules (SC 2014)"
KERNELS = ("heat", "fdtd-2d", "floyd-warshall-phases", "cg", "mg", "scan")
NAMES = ("heat", "fdtd-2d", "floyd-warshall", "cg", "mg", "scan")
SIZES = ("seconds", "over_serial", "over_plain", "kib_per_worker", "refinements", "ns_per_recorded_fork")
RUNS = {
    "fib": Suite("schedules", ("fib", "fib-fine", "fib-slowed"), SIZES),
    "phases": Suite("schedules", (*KERNELS, "memcpy"), SIZES),
    "coarsening": Suite("schedules", ("heat-coarsening",), SIZES),
    "remote-share": Suite("schedules", ("remote-share",), ("remote_share", "nodes_at_work", "simulated_miss_share")),
}


def simulated(figure):
    return again("SIMULATE", f"004/{figure}")


def measured(run):
    return again("MEASURE", f"004/{run}")


def figures(kept):
    return (fig2a(kept), fig2b(kept), fig2c(kept), fig3(kept), fig4(kept), fig5(kept), fig6(kept), fig7(kept), trees(kept))


def fig2a(kept):
    def fib(variant, over="default", workers=2, kernel="fib"):
        return kept.ratio("fib", kernel, ("sennit", variant), ("sennit", over), workers)

    said = kept.paper["figure-2a"]
    claims = tuple(
        claim(said, key, what, fib(variant, over), note="2 workers")
        for what, key, variant, over in (
            ("recording, over the plain run", "trace", "record", "default"),
            ("strict ordered, over recording", "ordered", "ordered", "record"),
            ("strict unordered, over the plain run", "unordered", "unordered", "default"),
            ("relaxed, over the plain run", "relaxed", "relaxed", "default"),
            ("a larger problem by a smaller one's schedule, relaxed", "larger_relaxed", "larger", "default"),
        )
    )
    variants = ("record", "ordered", "unordered", "relaxed", "larger")
    plot = Bars(
        "figure-2a",
        "fib with a cut-off: time over the run without a schedule",
        "ratio (lower is faster)",
        variants,
        {"1 worker": [fib(v, workers=1) for v in variants], "2 workers": [fib(v) for v in variants]},
        "no schedule",
    )
    return Figure(
        "figure-2a",
        "Figure 2a",
        "What it costs to record a schedule of fib(48) and to follow it in three ways.",
        claims,
        "",
        "",
        (measured("fib"),),
        (plot,),
        runs=("fib",),
        setting="fib(42), serial below about a microsecond, on 1 and 2 workers (quick: fib(36)). `larger` follows the schedule of fib(n - 6).",
        measured=f"On two workers recording and following take {spread([fib(v) for v in variants])} times as long as the plain run. {compared(claims)}",
    )


def fig2b(kept):
    said = kept.paper["figure-2b"]
    ratios = {workers: kept.figure_of_run("figure-2b", "followed_over_native", workers) for workers in said}
    claims = tuple(
        claim(said, w, f"{w} workers by the schedule of {int(w) - 10}, relaxed, over a native run", ratios[w], SIMULATED)
        for w in said
    )
    series = {
        "by p - 10 workers": kept.curve("figure-2b", "seconds_before"),
        "by p workers": kept.curve("figure-2b", "seconds"),
        "p workers, schedule of p - 10": kept.curve("figure-2b", "seconds_followed"),
    }
    plots = (
        (Lines("figure-2b", "fib(48) by schedules of fewer workers, simulated", "workers", "seconds", series),)
        if series["by p workers"]
        else ()
    )
    return Figure(
        "figure-2b",
        "Figure 2b",
        "A schedule of p - 10 workers is followed by p workers, relaxed.",
        claims,
        "A schedule of fewer workers costs some percent at most, as there.",
        verdict(claims),
        (simulated("figure-2b"),),
        plots,
        setting="fib(48) with a serial leaf at fib(30), on the simulated 8 x 10 cores.",
    )


def fig2c(kept):
    said = kept.paper["figure-2c"]

    def over(variant):
        return kept.ratio("fib", "fib-slowed", ("sennit", variant), ("sennit", "default"), 2)

    claims = (
        claim(
            said,
            "ordered",
            "strict ordered, with a slow worker, over the run that is free to steal",
            over("ordered"),
            note="2 workers, one slowed four times, so 2.5 at most",
        ),
        Claim("relaxed, over the same", 1.0, said["relaxed"]["from"], over("relaxed"), note="2 workers"),
    )
    at80 = kept.figure_of_run("figure-2c", "over_native")
    if at80:
        claims += (
            claim(
                said,
                "ordered",
                "strict ordered at 80 workers, over the run before one became slow",
                at80["ordered"],
                SIMULATED,
            ),
            Claim("relaxed at 80 workers", 1.0, said["relaxed"]["from"], at80["relaxed"], SIMULATED),
        )
    variants = ("ordered", "unordered", "relaxed")
    plot = Bars(
        "figure-2c",
        "fib whose worker 1 is slow: time over the run without a schedule",
        "ratio (lower is faster)",
        variants,
        {"2 workers": [over(v) for v in variants]},
        "no schedule",
    )
    return Figure(
        "figure-2c",
        "Figure 2c",
        "One worker becomes slow: a strict schedule suffers, a relaxed one recovers.",
        claims,
        "In the simulation what a schedule gives to the "
        "slow worker cannot be stolen from it before it has begun, so less comes back than there.",
        "partly",
        (measured("fib"), simulated("figure-2c")),
        (plot,),
        runs=("fib",),
        setting="fib(40) (quick: fib(35)), branches of worker 1 take four times as long. With two workers no schedule can lose more than 2.5 times.",
        measured=(
            f"With one of two workers slow, following in order takes {over('ordered'):.2f} times as long as the run that is free to steal, and relaxed {over('relaxed'):.2f} times."
            if over("ordered") and over("relaxed")
            else ""
        ),
    )


def fig3(kept):
    said = kept.paper["figure-3"]
    series = {
        name: [kept.ratio("phases", k, ("sennit", v), ("sennit", plain), 2) for k in KERNELS]
        for name, v, plain in (
            ("refined, then strict", "refine", "default"),
            ("designed", "designed", "forked"),
            ("by blocks", "blocks", "default"),
        )
    }
    costs = kept.median("fib", "fib-fine", "sennit", "ns_per_recorded_fork", 1, "record")
    relaxed = kept.ratio("fib", "fib", ("sennit", "relaxed"), ("sennit", "default"), 2)
    claims = (
        claim(
            said,
            "trace",
            "recording, over the plain run",
            kept.ratio("fib", "fib", ("sennit", "record"), ("sennit", "default"), 2),
            note="fib, 2 workers",
        ),
        claim(
            said,
            "ordered",
            "strict ordered (refined), over the plain run, at best",
            min((value for value in series["refined, then strict"] if value), default=None),
            note="of six programs, 2 workers",
        ),
        claim(
            said,
            "unordered",
            "strict unordered, over the plain run, at most",
            kept.ratio("fib", "fib", ("sennit", "unordered"), ("sennit", "default"), 2),
            note="fib, 2 workers",
        ),
        claim(said, "relaxed", "relaxed, over the plain run, at most", relaxed, note="fib, 2 workers"),
    )
    plot = Bars(
        "figure-3",
        "Programs with phases by schedules: time over the run without one",
        "ratio (lower is faster)",
        NAMES,
        series,
        "no schedule",
    )
    recorded = f" A recorded fork costs {costs:.1f} ns more." if costs else ""
    return Figure(
        "figure-3",
        "Figure 3",
        "What recording and the three ways to follow cost in six programs, at 80 cores.",
        claims,
        "On one node there is no locality to be gained, so following a schedule may cost a little.",
        "",
        (measured("phases"), measured("fib")),
        (plot,),
        runs=("phases", "fib"),
        setting="The gallery's kernels, smaller, on 2 workers; a schedule is refined before the time is taken.",
        measured=f"Refined schedules take {spread(series['refined, then strict'])} times as long as no schedule in the six programs. {compared(claims)}{recorded}",
    )


def fig4(kept):
    said = kept.paper["figure-4"]
    best = kept.figure_of_run("figure-4", "best_over_cilk")
    claims = [
        claim(said, "over_cilk", "schedules, iterated, over Cilk with first touch at 80 cores, at most", best, SIMULATED),
        claim(
            said,
            "cilk",
            "speedup of Cilk, first touch, 80 cores",
            kept.figure_of_run("figure-4", "cilk_speedup"),
            SIMULATED,
            "geometric mean of the programs",
        ),
        claim(
            said,
            "user_specified",
            "speedup of user-specified schedules, 80 cores, at most",
            kept.figure_of_run("figure-4", "user_specified_speedup"),
            SIMULATED,
        ),
        claim(
            said,
            "scan",
            "scan by the schedule of its initialization, over Cilk",
            kept.figure_of_run("figure-4", "programs", "scan", "ratios", "unordered_over_cilk"),
            SIMULATED,
        ),
    ]

    def at80(name, *ways):
        return max(
            (x for way in ways if (x := kept.figure_of_run("figure-4", "programs", name, "speedups", way, "80"))), default=None
        )

    theirs = [
        at80(name, "iterated (RelWS, then strict)", "user-specified (StUWS)", "by the initialization (StUWS)")
        for name in NAMES
    ]
    if all(theirs):
        for way, words in (("Sennit: loops dealt along places", ""), ("the same, workers stay awake", ", workers stay awake")):
            ratios = [at80(name, way) / best for name, best in zip(NAMES, theirs)]
            claims.append(
                Claim(
                    f"Sennit's loops, dealt along places{words}, over the best of the paper's schedulers",
                    "—",
                    "not in the paper",
                    min(ratios),
                    SIMULATED,
                    f"the least of six programs; geometric mean {mean(ratios):.2f}",
                )
            )
        claims.append(
            claim(
                said,
                "over_cilk",
                "schedules over Cilk if links were as slow as the paper's copy of 8 GB implies, at most",
                kept.figure_of_run("figure-4", "links_as_copied_most"),
                SIMULATED,
                "what if: 6 GB/s a node in place of the machine file's 17",
            )
        )
    most = kept.curve("links", "most")
    for links, gain in most:
        if links in (12000, 8000):
            claims.append(
                claim(
                    said,
                    "over_cilk",
                    f"schedules, iterated, over Cilk if a node's links carry {links // 1000} GB/s, at most",
                    gain,
                    SIMULATED,
                    "what if",
                )
            )
    for way, key in (("static", "static_ms"), ("cilk", "cilk_ms")):
        entry = kept.paper["memcpy"][key]
        claims.append(
            Claim(
                f"copy of 8 GB, {'static loop' if way == 'static' else 'Cilk'}, ms",
                entry["value"],
                entry["from"],
                kept.figure_of_run("memcpy", "milliseconds", "8x10", way),
                SIMULATED,
            )
        )
    shares = [kept.median("remote-share", "remote-share", "sennit", "remote_share", 8, v) for v in ("default", "refine")]
    if all(shares):
        claims.append(
            Claim(
                "remote accesses of heat, 8 nodes: refined over unscheduled",
                "much fewer",
                "section V",
                shares[1] / shares[0],
                COUNTED,
                "8 workers",
            )
        )
    systems = (
        ("Sennit, no schedule", "sennit", "default"),
        ("refined", "sennit", "refine"),
        ("designed", "sennit", "designed"),
        ("OpenMP static", "openmp", "default"),
        ("OpenMP tasks", "openmp", "tasks"),
    )
    here = Bars(
        "figure-4-measured",
        "Speedup over the serial program on 2 workers",
        "speedup (higher is faster)",
        NAMES,
        {name: [inverse(kept.over_serial("phases", k, s, 2, v)) for k in KERNELS] for name, s, v in systems},
        "serial",
    )
    plots = [here]
    programs = kept.figure_of_run("figure-4", "programs") or {}
    for program, found in programs.items():
        series = {way: [(int(w), x) for w, x in points.items()] for way, points in found["speedups"].items()}
        plots.append(Lines(f"figure-4-{program}", f"{program}, simulated on 8 x 10 cores", "workers", "speedup", series))
    by_links = kept.figure_of_run("links", "programs") or {}
    if by_links:
        series = {p: [(int(links) / 1000, x) for links, x in points.items()] for p, points in by_links.items()}
        plots.append(
            Lines("figure-4-links", "Iterated schedules over Cilk, 80 cores", "what a node's links carry, GB/s", "ratio", series)
        )
    return Figure(
        "figure-4",
        "Figure 4",
        "Speedup of six programs on up to 80 cores under nine schedulers.",
        tuple(claims),
        "The order of the schedulers is the paper's in all programs: user-specified schedules first, iterated ones close, random stealing last, and alike within a node. "
        "The gain is 1.4 where the paper has 2.5, and the assumption that differs is what the links between nodes carry: 17 GB/s in the machine file, some 6 by the paper's own copy of 8 GB. "
        + (f"The gain is the paper's with links of {crossing(most, said['over_cilk']['value']) / 1000:.1f} GB/s. " if most else "")
        + "Sennit's loops without any schedule are as fast as the best of these within 5%, whether or not workers sleep between loops: sleepers have their parts, too. "
        "[All of Sennit's ways](combination.md#004) are set beside these.",
        "partly",
        (measured("phases"), measured("remote-share"), simulated("figure-4")),
        tuple(plots),
        runs=("phases", "remote-share"),
        missing="OpenMP static and OpenMP tasks at 80 cores: the first is a user-specified schedule here, the second Cilk with interleaved pages.",
        measured=firsts(here),
        setting="Measured: smaller sizes on 2 workers. Simulated: the paper's sizes on 8 x 10 cores. "
        "Cilk is random stealing with loops by halves; pages lie where the initialization touched them first.",
    )


def crossing(curve, value):
    """Where a falling curve has the value, between its points."""
    points = sorted(curve)
    for (x, above), (other, below) in zip(points, points[1:]):
        if above >= value >= below:
            return x + (other - x) * (above - value) / (above - below)
    return points[0][0]


def fig5(kept):
    said = kept.paper["figure-5"]
    variants = ("block1", "block2", "forked", "block32", "block128", "coarse")
    names = ("1 row", "2 rows", "8 rows", "32 rows", "128 rows", "dynamic, from 1 row")

    def over(variant, workers):
        fastest = min(
            (
                v
                for x in variants[:-1]
                if (
                    v := kept.median(
                        "coarsening", "heat-coarsening", "sennit", "seconds", workers, x if x != "forked" else "default"
                    )
                )
            ),
            default=None,
        )
        own = kept.median("coarsening", "heat-coarsening", "sennit", "seconds", workers, variant)
        return own / fastest if own and fastest else None

    claims = (
        Claim(
            "dynamic, over the fastest static block",
            1.0,
            said["dynamic"]["from"] + ": " + said["dynamic"]["value"],
            over("coarse", 2),
            note="2 workers",
        ),
    )
    plot = Bars(
        "figure-5",
        "heat by forks: time over that of the fastest static block",
        "ratio (lower is faster)",
        names,
        {f"{w} worker{'s' * (w > 1)}": [over(v, w) for v in variants] for w in (1, 2)},
        "fastest static block",
    )
    return Figure(
        "figure-5",
        "Figure 5",
        "Dynamic coarsening against static block sizes, three programs.",
        claims,
        "",
        "",
        (measured("coarsening"),),
        (plot,),
        runs=("coarsening",),
        missing="two of the three programs: Sennit coarsens `heat` only in its benchmarks.",
        setting="`heat`, 2048 x 2048 cells (quick: 1024), by forks.",
        measured=(
            f"From blocks of one row dynamic coarsening comes to {over('coarse', 2):.2f} times the time of the best block chosen by hand; those by hand take up to "
            f"{max(x for v in variants[:-1] if (x := over(v, 2))):.2f} times as long."
            if over("coarse", 2)
            else ""
        ),
    )


def fig6(kept):
    said = kept.paper["figure-6"]
    found = kept.figure_of_run("figure-6", "seconds") or {}
    claims = (
        claim(said, "shape", "time to redistribute the data, by threads", "falls up to 80" if found else None, SIMULATED),
    )
    plots = (
        (
            Lines(
                "figure-6",
                "Redistribution of the data by the schedule, simulated on 8 x 10 cores",
                "workers",
                "seconds",
                {p: [(int(w), x) for w, x in points.items()] for p, points in found.items()},
                log=True,
            ),
        )
        if found
        else ()
    )
    return Figure(
        "figure-6",
        "Figure 6",
        "Time of the initializer that copies the data to where the schedule wants it.",
        claims,
        "The time falls up to a node, as there, but it goes on falling here.",
        "differs",
        (simulated("figure-6"),),
        plots,
        missing="the rise beyond one node. The paper names the kernel, which gives out pages in parallel, as a cause; the simulator has no kernel, and its links are wide.",
        setting="a strict ordered copy of all data, each block read where it lay and written where the schedule computes.",
    )


def fig7(kept):
    said = kept.paper["figure-7"]
    found = kept.figure_of_run("figure-7", "grains") or {}
    claims = (
        claim(
            said,
            "shape",
            "sizes of what is stolen after five iterations",
            "most of 8 to 32 blocks, few of 64; alike in three runs" if found else None,
            SIMULATED,
        ),
    )
    plots = tuple(
        Bars(
            f"figure-7-{p}",
            f"{p}: grains after pruning and replay, simulated on 80 cores",
            "count",
            tuple(runs[0]),
            {f"run {i + 1}": list(r.values()) for i, r in enumerate(runs)},
        )
        for p, runs in found.items()
    )
    return Figure(
        "figure-7",
        "Figure 7",
        "How large the blocks are that dynamic coarsening ends with, three runs a program.",
        claims,
        "The three runs are alike, as there. Pruning keeps the steals near the root, so no small blocks stay, while the paper has one set of them.",
        "partly",
        (simulated("figure-7"),),
        plots,
        missing="what the coarser blocks gain: a block of the simulator takes the same time in any grain.",
        setting="blocks as in Table I, pruned to 15% and followed, relaxed, five times; three seeds for three executions.",
    )


def trees(kept):
    said = kept.paper["steal-trees"]
    claims = []
    for name, kernel in zip(NAMES, KERNELS):
        for way, variant, key in (("refined", "refine", "relaxed"), ("user-specified", "designed", "user_specified")):
            if name in said[key]:
                ours = kept.median("phases", kernel, "sennit", "kib_per_worker", 2, variant)
                claims.append(Claim(f"{name}, {way}, KiB a worker", said[key][name], said["from"], ours, note="2 workers"))
    at80 = kept.figure_of_run("steal-trees", "kib_per_worker") or {}
    claims += [
        Claim(f"{name}, refined, KiB a worker, 80 workers", said["relaxed"][name], said["from"], x, SIMULATED)
        for name, x in at80.items()
        if name in said["relaxed"]
    ]
    return Figure(
        "steal-trees",
        "Steal-tree sizes",
        "How much memory a schedule takes after five iterations.",
        tuple(claims),
        "In the simulation a schedule has a record of eight bytes for each steal and nothing else.",
        "",
        (measured("phases"), simulated("steal-trees")),
        runs=("phases",),
        setting="measured: the file form of a schedule, without times. Simulated: eight bytes a steal.",
        measured=f"Measured, a schedule of two workers takes {spread([c.ours for c in claims if c.how == MEASURED])} KiB a worker.",
    )
