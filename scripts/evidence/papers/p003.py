# SPDX-License-Identifier: Apache-2.0
"""Rainey et al., 2021: heartbeats."""

from figures import SIMULATED, Bars, Claim, Figure, Lines, again, claim, verdict
from kept import inverse, mean
from measure import Suite
from words import compared, firsts, spread

TITLE = "003: heartbeats (PLDI 2021)"

LOOPS = (
    "plus-reduce-array",
    "incr-array",
    "mandelbrot",
    "kmeans",
    "srad",
    "spmv-random",
    "spmv-powerlaw",
    "spmv-arrowhead",
    "floyd-warshall-1k",
    "floyd-warshall-2k",
)
FORKS = ("knapsack", "mergesort-uniform", "mergesort-exponential")
METRICS = ("seconds", "beats_asked", "beats_delivered", "rate_reached")
RUNS = {
    "loops-1": Suite("heartbeat", LOOPS[:3], METRICS),
    "loops-2": Suite("heartbeat", LOOPS[3:6], METRICS),
    "loops-3": Suite("heartbeat", LOOPS[6:], METRICS),
    "forks": Suite("heartbeat", FORKS, METRICS),
}

PROGRAMS = (*LOOPS, *FORKS)
MEASUREMENTS = ("loops-1", "loops-2", "loops-3", "forks")
OF_THE_PAPER = tuple(p for p in PROGRAMS if p != "incr-array")


def simulated(figure):
    return again("SIMULATE", f"003/{figure}")


def commands(figure=""):
    return tuple(again("MEASURE", f"003/{run}") for run in MEASUREMENTS) + ((simulated(figure),) if figure else ())


def figures(kept):
    return (fig6(kept), fig7(kept), fig8(kept), fig9(kept), fig10(kept), fig11(kept), fig13(kept), fig14(kept))


def median(kept, program, system, metric, workers, variant="default"):
    return next(
        (x for run in MEASUREMENTS if (x := kept.median(run, program, system, metric, workers, variant)) is not None), None
    )


def over(kept, program, system, variant="default", workers=1):
    """Time over that of the serial program."""
    own, serial = median(kept, program, system, "seconds", workers, variant), median(kept, program, "serial", "seconds", 1)
    return own / serial if own and serial else None


def default_of(program, system):
    return "nested" if program.startswith("spmv") and system != "points" else "default"


def column(kept, system, variant=None, workers=1, of=over):
    return [of(kept, p, system, variant or default_of(p, system), workers) for p in PROGRAMS]


def most(values, without=()):
    return max((v for p, v in zip(PROGRAMS, values) if v is not None and p not in without), default=None)


def task_cost(kept):
    """How much more Cilk Plus takes beyond the serial time than TPAL does without the cost of its beats, one core."""
    found = kept.figure_of_run("figure-6", "over_serial") or {}
    ratios = [
        (x["Cilk Plus"] - 1) / (x["Sennit"] - 1) for x in found.values() if x["Cilk Plus"] > 1.02 and x["Sennit"] > 1.001
    ]
    return mean(ratios)


def fig6(kept):
    said = kept.paper["figure-6"]
    series = {
        "Sennit": column(kept, "sennit"),
        "promotion points": column(kept, "points"),
        "oneTBB": column(kept, "onetbb"),
        "OpenMP": column(kept, "openmp"),
    }
    best = [min((x for x in (a, b) if x is not None), default=None) for a, b in zip(series["oneTBB"], series["OpenMP"])]
    ratio = [b / p if b and p else None for b, p in zip(best, series["promotion points"])]
    claims = (
        claim(
            said,
            "task_cost",
            "a task of Cilk Plus over one of TPAL",
            task_cost(kept),
            SIMULATED,
            "what 1 worker takes beyond serial",
        ),
        claim(
            said,
            "mandelbrot",
            "mandelbrot, TPAL over Cilk Plus",
            inverse(ratio[PROGRAMS.index("mandelbrot")]),
            note="points over the better of oneTBB and OpenMP",
        ),
        Claim(
            "the better of the two others over points, geometric mean",
            "above 1",
            "Figure 6: as fast or faster in all cases but one",
            mean(ratio),
            note="1 worker",
        ),
    )
    plot = Bars(
        "figure-6",
        "Tasks that nobody takes: time over the serial program, 1 worker",
        "ratio (lower is faster)",
        PROGRAMS,
        series,
        "serial",
        log=True,
    )
    return Figure(
        "figure-6",
        "Figure 6",
        "What it costs to make tasks on one core, for Cilk Plus and TPAL.",
        claims,
        (
            f"In the simulation a task of Cilk Plus takes {claims[0].ours:.0f} times as long as one of TPAL, there 13.8 times."
            if claims[0].ours
            else ""
        ),
        "partly",
        commands(),
        (plot,),
        runs=MEASUREMENTS,
        missing="the cost of a single task of Cilk Plus: Cilk Plus is not run. oneTBB and OpenMP stand for systems that make tasks eagerly.",
        setting="`points` are loops with promotion points, TPAL's way; Sennit's own frames are promoted on demand.",
        measured=(
            f"Tasks that nobody takes make programs {spread(series['promotion points'])} times as long with promotion points, {spread(series['Sennit'])} with frames, "
            f"{spread(series['oneTBB'])} with oneTBB and {spread(series['OpenMP'])} with OpenMP. The better of the two others is slower than points "
            f"in {sum(x > 1 for x in ratio if x)} of {sum(bool(x) for x in ratio)} programs; there Cilk Plus is in all but mandelbrot."
            if any(ratio)
            else ""
        ),
    )


def over_cilk(kept):
    means = kept.figure_of_run("figure-14", "geometric_means")
    if not means:
        return None
    loops, recursion = (means[f"tpal_linux_{kind}"] / means[f"cilk_{kind}"] for kind in ("iterative", "recursive"))
    return f"{loops:.1f} for loops, {recursion:.1f} for recursion"


def fig7(kept):
    said = kept.paper["figure-7"]
    ways = (
        ("Sennit", "sennit", None),
        ("points, promotions each 100 us", "points", "promote100"),
        ("oneTBB", "onetbb", None),
        ("OpenMP", "openmp", None),
    )
    series = {name: [inverse(x) for x in column(kept, s, v, 2)] for name, s, v in ways}
    claims = (
        claim(
            said,
            "tpal_over_cilk",
            "TPAL over Cilk Plus, 15 cores, programs that suit it",
            kept.figure_of_run("figure-7", "tpal_over_cilk"),
            SIMULATED,
        ),
        Claim(
            "TPAL over Cilk Plus, all programs",
            "2.1 for loops, 1.3 for recursion",
            "Figure 14's means",
            over_cilk(kept),
            SIMULATED,
        ),
        claim(said, "others", "slowdown of the others", kept.figure_of_run("figure-7", "others"), SIMULATED),
        claim(
            said,
            "floyd_warshall_1k",
            "floyd-warshall, 1k",
            kept.figure_of_run("figure-7", "ratio", "floyd-warshall-1k"),
            SIMULATED,
        ),
    )
    varied = kept.figure_of_run("assumptions", "by_grain") or {}
    if varied:
        fairer = [min(varied[grain]["ratio"][p] for grain in ("0", "32")) for p in varied["0"]["ratio"]]
        suit = [x for x in fairer if x >= 1]
        claims += (
            claim(
                said,
                "tpal_over_cilk",
                "TPAL over Cilk Plus, each loop halved down to the better of 1/(8P) and 32 iterations",
                mean(suit),
                SIMULATED,
                f"what if; the loops that suit it, {len(suit)}",
            ),
        )
    plots = [
        Bars(
            "figure-7-measured",
            "Speedup over the serial program, 2 workers",
            "speedup (higher is faster)",
            PROGRAMS,
            series,
            "serial",
        )
    ]
    return at_scale(
        kept,
        "figure-7",
        "Figure 7",
        "Speedup on 15 cores, Cilk Plus and TPAL on Linux.",
        claims,
        plots,
        "TPAL is ahead where inner loops are short, and behind by 3 to 6% where a loop is large and even, as there, and far behind in knapsack, unlike there; Cilk Plus is slower than serial in a third of the programs, as there. "
        "The mean is larger than the paper's 1.53: a product of sparse matrices spawns for each entry here, since rows have fewer entries than 8P. With leaves of 32 iterations where these are better for Cilk Plus, the three products gain 2 to 2.5 times instead of 5 to 38, and the mean is within 25%.",
        firsts(plots[0]),
    )


def at_scale(kept, name, title, shows, claims, plots, here, measured=""):
    found = kept.figure_of_run(name, "speedups") or {}
    programs = tuple(found)
    if programs:
        ways = tuple(dict.fromkeys(way for of in found.values() for way in of))
        plots = [
            *plots,
            Bars(
                name,
                f"{title}: speedup over serial on 15 cores, simulated",
                "speedup (higher is faster)",
                programs,
                {w: [found[p].get(w) for p in programs] for w in ways},
                "serial",
            ),
        ]
    return Figure(
        name,
        title,
        shows,
        tuple(claims),
        here,
        "partly",
        commands(name) if name == "figure-7" else (simulated(name),),
        tuple(plots),
        runs=MEASUREMENTS if name == "figure-7" else (),
        measured=measured,
        missing="incr-array and mergesort of exponential numbers." if found else "15 cores: their simulation is not kept yet.",
        setting="Simulated: 15 cores of a 16-core EPYC. A spawn of Cilk Plus takes 30 ns, and its loops are halved down to 1/(8P) of their iterations, as there; "
        "a beat of Linux takes what the machine file says, and one of Nautilus 1 us of the receiver. Iterations' times are estimated.",
    )


def fig8(kept):
    said = kept.paper["figure-8"]
    points, frames = column(kept, "points"), column(kept, "sennit")
    slow = ("floyd-warshall-1k", "floyd-warshall-2k", "kmeans", "knapsack")
    claims = (
        claim(
            said,
            "most",
            "TPAL without beats over serial, at most",
            most(points, slow),
            note="points, without the same three",
        ),
        claim(said, "kmeans", "kmeans", points[PROGRAMS.index("kmeans")]),
        claim(said, "knapsack", "knapsack", points[PROGRAMS.index("knapsack")]),
        claim(said, "mergesort", "mergesort", points[PROGRAMS.index("mergesort-uniform")]),
    )
    plot = Bars(
        "figure-8",
        "Parallel programs without beats, 1 worker: time over the serial program",
        "ratio (lower is faster)",
        PROGRAMS,
        {"points, no beats": points, "frames, on demand": frames},
        "serial",
    )
    return Figure(
        "figure-8",
        "Figure 8",
        "What the compilation to TPAL costs, without beats.",
        claims,
        "",
        "",
        commands(),
        (plot,),
        runs=MEASUREMENTS,
        measured=f"Without beats loops with promotion points take {spread(points)} times as long as serial ones. {compared(claims)}",
    )


def fig9(kept):
    said = kept.paper["figure-9"]
    series = {
        name: column(kept, "points", v)
        for name, v in (
            ("beats only, 100 us", "beats100"),
            ("with promotions, 100 us", "promote100"),
            ("beats only, 20 us", "beats20"),
            ("with promotions, 20 us", "promote20"),
        )
    }
    # As there: over the same program without beats.
    plain = column(kept, "points")
    relative = {name: [x / p if x and p else None for x, p in zip(values, plain)] for name, values in series.items()}
    beats100, promote100, beats20, promote20 = relative.values()
    claims = (
        claim(said, "beats_100", "beats only, 100 us", mean(beats100), note="over points without beats"),
        claim(said, "beats_20", "beats only, 20 us", mean(beats20), note="over points without beats"),
        claim(
            said,
            "promote_100",
            "with promotions, 100 us, at most",
            most(promote100, ("kmeans", "knapsack", "spmv-powerlaw")),
            note="over points without beats",
        ),
        claim(said, "promote_20", "with promotions, 20 us", mean(promote20), note="over points without beats"),
    )
    plot = Bars(
        "figure-9",
        "Beats and promotions, 1 worker: time over the serial program",
        "ratio (lower is faster)",
        PROGRAMS,
        series,
        "serial",
    )
    return Figure(
        "figure-9",
        "Figure 9",
        "What interrupts cost on Linux, alone and with promotions, on one core.",
        claims,
        "",
        "",
        commands(),
        (plot,),
        runs=MEASUREMENTS,
        measured=f"Beats make programs {mean(beats100) or 1:.2f} times as long at 100 us and {mean(beats20) or 1:.2f} at 20 us, as far as they come (Figure 10). "
        f"{compared(claims)}",
    )


def fig10(kept):
    said = kept.paper["figure-10"]

    def rate(program, variant):
        """In a sample with few beats, one more or less is all that shows."""
        asked = median(kept, program, "points", "beats_asked", 2, variant)
        return median(kept, program, "points", "rate_reached", 2, variant) if asked and asked >= 20 else None

    series = {
        name: [rate(p, v) for p in PROGRAMS]
        for name, v in (("promotions, 100 us", "promote100"), ("promotions, 20 us", "promote20"))
    }
    at100, at20 = ([x for x in values if x is not None] for values in series.values())
    claims = (
        claim(
            said,
            "least_100",
            "rate reached, 100 us, at least",
            min(at100, default=None),
            note="2 workers, of what workers at work asked for",
        ),
        claim(said, "most_20", "rate reached, 20 us, at most", max(at20, default=None), note="2 workers"),
        claim(said, "least_20", "rate reached, 20 us, at least", min(at20, default=None), note="2 workers"),
    )
    plot = Bars("figure-10", "Beats that came over beats asked for, 2 workers", "ratio", PROGRAMS, series, "asked for")
    return Figure(
        "figure-10",
        "Figure 10",
        "Rate of beats on Linux and on Nautilus, asked for and reached, 15 cores.",
        claims,
        "",
        "",
        commands(),
        (plot,),
        runs=MEASUREMENTS,
        missing="Nautilus, a kernel of its own, and 15 cores.",
        measured=f"Two workers get {spread(at100)} of their beats at 100 us and {spread(at20)} at 20 us, where 15 cores got "
        f"{said['least_100']['value']} and more, and {said['least_20']['value']} to {said['most_20']['value']}.",
    )


def beside(kept, program):
    found = kept.figure_of_run("figure-11", "speedups", program)
    return (
        f"{program} on 15: TPAL on Linux {found['TPAL, Linux']['15']:.1f}, Cilk Plus {found['Cilk Plus']['15']:.1f}"
        if found
        else None
    )


def fig11(kept):
    said = kept.paper["figure-11"]
    found = kept.figure_of_run("figure-11", "speedups") or {}
    claims = (
        claim(said, "mandelbrot", "mandelbrot", beside(kept, "mandelbrot"), SIMULATED),
        claim(said, "others", "the others", beside(kept, "srad"), SIMULATED),
    )
    plots = tuple(
        Lines(
            f"figure-11-{p}",
            f"{p}: speedup over serial, simulated on a 16-core EPYC",
            "cores",
            "speedup",
            {w: [(int(n), x) for n, x in points.items()] for w, points in ways.items()},
        )
        for p, ways in found.items()
    )
    return Figure(
        "figure-11",
        "Figure 11",
        "Speedup of all programs on 1 to 15 cores.",
        claims,
        "The curves are the paper's in kind: TPAL starts near serial and scales, and Cilk Plus starts far below where tasks are small. mandelbrot is behind on Linux, though by less than there.",
        "partly",
        (simulated("figure-11"),),
        plots,
        missing="beats that are lost: in the simulation Linux delivers each beat that one thread can send.",
    )


def fig13(kept):
    said = kept.paper["figure-13"]
    claims = (
        claim(
            said,
            "beats_20",
            "beats only, 20 us, at most",
            kept.figure_of_run("figure-13", "most_20"),
            SIMULATED,
            "signals cost nothing to send and 1 us to take",
        ),
        claim(said, "beats_100", "beats only, 100 us", kept.figure_of_run("figure-13", "mean_100"), SIMULATED),
    )
    found = kept.figure_of_run("figure-13", "over_serial") or {}
    ways = tuple(dict.fromkeys(w for of in found.values() for w in of))
    plots = (
        (
            Bars(
                "figure-13",
                "Beats that cost what an interrupt costs, 1 core, simulated",
                "time over serial",
                tuple(found),
                {w: [found[p].get(w) for p in found] for w in ways},
                "serial",
            ),
        )
        if found
        else ()
    )
    return Figure(
        "figure-13",
        "Figure 13",
        "What beats cost on Nautilus, on one core.",
        claims,
        "An interrupt without a system call hides nearly all of the cost, as there.",
        verdict(claims),
        (simulated("figure-13"),),
        plots,
        missing="Nautilus itself: the simulation takes the cost of a beat from the paper's section 5.1; and beats alone: these have promotions.",
    )


def fig14(kept):
    said = kept.paper["figure-14"]
    claims = [
        claim(said, key, words, kept.figure_of_run("figure-14", "geometric_means", key), SIMULATED)
        for key, words in (
            ("cilk_iterative", "Cilk Plus, loops"),
            ("cilk_recursive", "Cilk Plus, recursion"),
            ("tpal_linux_iterative", "TPAL on Linux, loops"),
            ("tpal_linux_recursive", "TPAL on Linux, recursion"),
            ("tpal_nautilus_iterative", "TPAL on Nautilus, loops"),
            ("tpal_nautilus_recursive", "TPAL on Nautilus, recursion"),
        )
    ]
    found = kept.figure_of_run("figure-14", "speedups") or {}
    ratios = [ways["Sennit"] / max(x for way, x in ways.items() if way != "Sennit") for ways in found.values()]
    if ratios:
        claims.append(
            Claim(
                "Sennit over the best of the three",
                "—",
                "not in the paper",
                min(ratios),
                SIMULATED,
                f"the least of the programs; geometric mean {mean(ratios):.2f}",
            )
        )
    return at_scale(
        kept,
        "figure-14",
        "Figure 14",
        "Speedup on 15 cores: Cilk Plus, TPAL on Linux and on Nautilus.",
        claims,
        [],
        "Cilk Plus's mean over loops is the paper's. TPAL comes out better over loops than there, as no iteration waits for memory in the simulation; Nautilus gains a little over Linux, as there.",
    )
