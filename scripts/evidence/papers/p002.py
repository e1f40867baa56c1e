# SPDX-License-Identifier: Apache-2.0
"""Maglalang, Krishnamoorthy and Agrawal, 2016: colored task graphs."""

from figures import COUNTED, SIMULATED, Bars, Claim, Figure, Lines, again, claim
from measure import Suite
from words import compared, firsts, spread

TITLE = "002: colored task graphs (2016)"

KERNELS = ("cg", "mg", "heat", "fdtd-2d", "life", "sw", "swn2", "pagerank-web", "pagerank-twitter")
RUNS = {
    "graphs": Suite("graphs", KERNELS[:5], ("seconds", "us_to_first_work")),
    "graphs-irregular": Suite("graphs", KERNELS[5:], ("seconds", "us_to_first_work")),
    "remote": Suite(
        "graphs", ("remote-heat", "remote-life", "remote-fdtd-2d"), ("remote_share", "remote_node_share", "nodes_at_work")
    ),
}

NAMES = {"pagerank-web": "page-uk-2002", "pagerank-twitter": "page-twitter-2010"}
MEASUREMENTS = ("graphs", "graphs-irregular")
WAYS = {"nabbit": "no colors (Nabbit)", "nabbitc": "colored (NabbitC)", "colors are nodes": "colors are nodes"}
REMOTE = ("remote-heat", "remote-life", "remote-fdtd-2d")


def simulated(figure):
    return again("SIMULATE", f"002/{figure}")


def figures(kept):
    return (fig6(kept), fig7(kept), fig8(kept), fig9(kept), table(kept, 2, "bad"), table(kept, 3, "invalid"))


def median(kept, kernel, system, metric, workers, variant="default"):
    return next(
        (x for run in MEASUREMENTS if (x := kept.median(run, kernel, system, metric, workers, variant)) is not None), None
    )


def speedup(kept, kernel, system, variant, workers=2):
    serial, own = median(kept, kernel, "serial", "seconds", 1), median(kept, kernel, system, "seconds", workers, variant)
    return serial / own if serial and own else None


def fig6(kept):
    said = kept.paper["figure-6"]
    found = kept.figure_of_run("figure-6", "programs") or {}

    def order(program):
        at80 = {way: points["80"] for way, points in found[program].items() if "80" in points}
        return ", ".join(f"{WAYS.get(way, way)} {x:.0f}" for way, x in sorted(at80.items(), key=lambda pair: -pair[1]))

    claims = [
        claim(said, key, f"order at 80 cores, {words}", order(program) if program in found else None, SIMULATED, program)
        for key, words, program in (
            ("regular", "regular programs", "heat"),
            ("pagerank", "pagerank", "page-uk-2007-05"),
            ("sw", "Smith-Waterman", "sw"),
        )
    ]
    here = Bars(
        "figure-6-measured",
        "Speedup over the serial program on 2 workers",
        "speedup (higher is faster)",
        KERNELS,
        {
            name: [speedup(kept, k, s, v) for k in KERNELS]
            for name, s, v in (
                ("no colors (Nabbit)", "sennit", "default"),
                ("colored (NabbitC)", "sennit", "colored"),
                ("OpenMP static", "openmp", "default"),
                ("OpenMP guided", "openmp", "guided"),
            )
        },
        "serial",
    )
    plots = [here] + [
        Lines(
            f"figure-6-{program}",
            f"{program}, simulated on 8 x 10 cores",
            "cores",
            "speedup over one core",
            {WAYS.get(way, way): [(int(w), x) for w, x in points.items()] for way, points in ways.items()},
        )
        for program, ways in found.items()
    ]
    return Figure(
        "figure-6",
        "Figure 6",
        "Speedup of ten programs under OpenMP, Nabbit and NabbitC, up to 80 cores.",
        tuple(claims),
        "In the simulation static loops and colors are alike and ahead of random stealing on regular programs, and graphs are ahead of loops for Smith-Waterman, as there. "
        "On pagerank graphs are far ahead of loops, as there, but colors gain nothing: a worker's share of a crawl is uneven, and a worker without tasks of its color waits for some. "
        "Where colors are nodes, it finds some with its neighbors: that is as fast as no colors on the crawls, and somewhat slower on regular programs.",
        "partly",
        (again("MEASURE", "002/graphs"), again("MEASURE", "002/graphs-irregular"), simulated("figure-6")),
        tuple(plots),
        runs=MEASUREMENTS,
        missing="the inputs of the crawls: the simulated links are drawn, near ones and some anywhere, with the paper's numbers of tasks.",
        measured=firsts(here),
        setting="Measured: smaller sizes, `pagerank-web` and `-twitter` for the two crawls. Simulated: the paper's numbers of nodes and serial times.",
    )


def fig7(kept):
    said = kept.paper["figure-7"]
    shares = {
        v: [
            kept.median("remote", k, "sennit", "remote_node_share", 80, v)
            or kept.median("remote", k, "sennit", "remote_share", 80, v)
            for k in REMOTE
        ]
        for v in ("default", "nodes")
    }
    there = {v: [x for x in xs if x is not None] for v, xs in shares.items()}
    most = {v: max(xs, default=None) for v, xs in there.items()}
    sim = kept.figure_of_run("figure-7", "programs") or {}
    regular = [p for p in sim if p in ("mg", "heat", "fdtd-2d", "life")]
    web = [p for p in sim if p.startswith("page-uk")]

    def extreme(way, which, programs=None):
        values = [x for p in programs or sim for x in sim[p].get(way, {}).values()]
        return which(values) if values else None

    claims = (
        claim(
            said,
            "nabbit_most",
            "remote accesses without colors, at most",
            most["default"],
            COUNTED,
            "80 workers, three programs",
        ),
        claim(
            said,
            "nabbitc_most",
            "remote accesses with colors, at most",
            most["nodes"],
            COUNTED,
            "80 workers, three programs",
        ),
        claim(said, "nabbit_least", "without colors, at least, 20 to 80 cores", extreme("nabbit", min), SIMULATED),
        claim(said, "nabbit_most", "without colors, at most", extreme("nabbit", max), SIMULATED),
        claim(said, "nabbitc_most", "with colors, at most, stencils and mg", extreme("nabbitc", max, regular), SIMULATED),
        claim(said, "nabbitc_most", "with colors, at most, pagerank of uk crawls", extreme("nabbitc", max, web), SIMULATED),
    )
    plots = [
        Bars(
            "figure-7-counted",
            "Remote accesses on 8 described nodes of 10 workers",
            "share of all",
            REMOTE,
            {"no colors (Nabbit)": shares["default"], "colored (NabbitC)": shares["nodes"]},
        )
    ]
    for way, words in WAYS.items():
        series = {p: [(int(w), x) for w, x in ways[way].items()] for p, ways in sim.items() if way in ways}
        if series:
            plots.append(Lines(f"figure-7-{way.replace(' ', '-')}", f"Remote accesses, {words}, simulated", "cores", "share of all", series))
    return Figure(
        "figure-7",
        "Figure 7",
        "Share of accesses to data of another node.",
        claims,
        f"Without colors {spread(x for of in sim.values() for x in of['nabbit'].values())} of the accesses are remote, growing with the cores, and with colors less than one in a hundred in stencils and mg, as there. "
        "cg and pagerank differ. The assumption that differs is the links, which are drawn: of page-uk-2002's accesses 19% and of page-uk-2007-05's 18% are remote at 80 cores even if each task runs on the node of its data, "
        "and with nodes as colors 23% and 27% are. With workers as colors more are, as a worker without tasks takes those of any other after a while. In cg each task waits for all of the stage before: "
        "54% are remote at best, and are so with colors. Counted on stencils, a tenth at most is remote.",
        "partly",
        (again("MEASURE", "002/remote"), simulated("figure-7")),
        tuple(plots),
        runs=("remote",),
        setting="an access is remote if a node's data, or a predecessor's, lie with another NUMA node, as the paper counts.",
    )


def fig8(kept):
    said = kept.paper["figure-8"]["fewer"]
    found = kept.figure_of_run("figure-8", "steals") or {}
    ratios = [x["nabbitc"]["80"] / x["nabbit"]["80"] for x in found.values() if x.get("nabbit", {}).get("80")]
    claims = (
        Claim(
            "successful steals at 80 cores, colored over not",
            said["value"],
            said["from"],
            sum(ratios) / len(ratios) if ratios else None,
            SIMULATED,
            "mean of the programs",
        ),
    )
    plots = tuple(
        Lines(
            f"figure-8-{way}",
            f"Successful steals, {words}, simulated",
            "cores",
            "steals",
            {p: [(int(w), x) for w, x in ways[way].items()] for p, ways in found.items()},
            log=True,
        )
        for way, words in (("nabbitc", "colored (NabbitC)"), ("nabbit", "no colors (Nabbit)"))
        if found
    )
    return Figure(
        "figure-8",
        "Figure 8",
        "Successful steals of NabbitC and of Nabbit.",
        claims,
        "Colors spare steals in the stencils and mg, where one in ten is left or less, as there, and change little in cg and on the crawls. In sw and swn2 they cost ten times as many: a worker on the front gets its tasks one by one, as others of its color become ready.",
        "partly",
        (simulated("figure-8"),),
        plots,
        missing="sets of tasks that are stolen at once: what a worker is given at the start counts as one steal of a set.",
    )


def fig9(kept):
    said = kept.paper["figure-9"]["idle"]
    first = {v: [median(kept, k, "sennit", "us_to_first_work", 2, v) for k in KERNELS] for v in ("default", "colored")}
    there = [x for x in first["colored"] if x is not None]
    found = kept.figure_of_run("figure-9", "us") or {}
    claims = [
        Claim(
            "time to the first work, microseconds",
            said["value"],
            said["from"],
            f"{min(there):.0f} to {max(there):.0f}" if there else None,
            note="2 workers, colored",
        )
    ]
    if found:
        claims.append(
            Claim(
                "the same at 80 cores, heat",
                said["value"],
                said["from"],
                found["nabbitc"]["80"],
                SIMULATED,
                "microseconds; not in the text",
            )
        )
    plots = [
        Bars(
            "figure-9-measured",
            "Time to a worker's first node on 2 workers",
            "microseconds",
            KERNELS,
            {"no colors": first["default"], "colored": first["colored"]},
            log=True,
        )
    ]
    if found:
        plots.append(
            Lines(
                "figure-9",
                "heat: mean time to a worker's first node, simulated",
                "cores",
                "microseconds",
                {w: [(int(n), x) for n, x in p.items()] for w, p in found.items()},
            )
        )
    return Figure(
        "figure-9",
        "Figure 9",
        "Idle time of a core until its first colored steal.",
        tuple(claims),
        "To be the first to look for one's own color takes longer than to take anything, as there; how long, the text does not say.",
        "partly",
        (again("MEASURE", "002/graphs"), simulated("figure-9")),
        tuple(plots),
        runs=MEASUREMENTS,
        missing="the paper's times are in its plot only.",
        measured=(
            f"Measured on two workers, a worker's first node begins after {spread(there)} microseconds with colors and {spread(x for x in first['default'])} without."
            if there
            else ""
        ),
    )


def table(kept, number, variant):
    said = kept.paper[f"table-{number}"]["workers"]
    claims, here = [], []
    for kernel in KERNELS:
        name = NAMES.get(kernel, kernel)
        plain, own = median(kept, kernel, "sennit", "seconds", 2), median(kept, kernel, "sennit", "seconds", 2, variant)
        here.append(plain / own if plain and own else None)
        claims.append(
            Claim(
                f"{name}: {variant} colors, speedup over none",
                said["mean"][name],
                f"{kept.paper[f'table-{number}']['from']}, mean",
                here[-1],
                note="2 workers",
            )
        )
    sim = kept.figure_of_run(f"table-{number}", "speedup") or {}
    for program, points in sim.items():
        if "80" in points and program in said["80"]:
            claims.append(
                Claim(
                    f"{program}: the same at 80 cores",
                    said["80"][program],
                    f"{kept.paper[f'table-{number}']['from']}, 80 cores",
                    points["80"],
                    SIMULATED,
                )
            )
    plot = Bars(
        f"table-{number}",
        f"Speedup of {variant} colors over none",
        "speedup (1: no harm)",
        tuple(NAMES.get(k, k) for k in KERNELS),
        {"the paper, mean of 20 to 80 cores": [said["mean"][NAMES.get(k, k)] for k in KERNELS], "here, 2 workers": here},
        "no colors",
    )
    words = {
        "bad": "In the simulation colors of others cost up to a tenth, as there for most programs. mg, which the links limit, gains by any placement that is regular.",
        "invalid": "",
    }
    return Figure(
        f"table-{number}",
        f"Table {'I' * number}",
        f"Speedup over Nabbit where all colors are {variant}.",
        tuple(claims),
        words[variant],
        "partly",
        (
            again("MEASURE", "002/graphs"),
            again("MEASURE", "002/graphs-irregular"),
            *((simulated("table-2"),) if number == 2 else ()),
        ),
        (plot,),
        runs=MEASUREMENTS,
        measured=(
            f"Measured on two workers, graphs with {variant} colors run at {spread(here)} times the speed of those without. {compared(claims[: len(KERNELS)])}"
            if any(here)
            else ""
        ),
        missing="page-uk-2007-05, measured: it needs more memory than this machine has."
        + (" Simulated: the engine knows no color that nobody has." if number == 3 else ""),
    )
