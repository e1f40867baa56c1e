# SPDX-License-Identifier: Apache-2.0
"""Sentences that numbers decide, so that they are as true after the next measurement."""


def listed(names):
    """a, b and c"""
    names = list(names)
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)


def those(values, holds):
    """The names of `values`, a dictionary, whose number `holds`: 'all', 'none', or which; numbers that are not known do not count."""
    known = {name: value for name, value in values.items() if value is not None}
    found = [name for name, value in known.items() if holds(value)]
    if not known or not found:
        return "none"
    return "all" if len(found) == len(known) > 1 else listed(found)


def spread(values):
    """0.95 to 1.26, of those that are known."""
    known = [value for value in values if value is not None]
    if not known:
        return "not known"
    least, most = (
        f"{value:.0f}" if value >= 100 else f"{value:.2g}" if value < 0.1 else f"{value:.2f}"
        for value in (min(known), max(known))
    )
    return least if least == most else f"{least} to {most}"


def firsts(plot):
    """Which series of bars is highest in how many groups, and by how much."""
    best, leads = [], []
    for at in range(len(plot.groups)):
        known = sorted(((plot.series[name][at], name) for name in plot.series if plot.series[name][at]), reverse=True)
        best.append(known[0][1] if known else None)
        leads += [known[0][0] / known[1][0]] if len(known) > 1 else []
    counts = [f"{name} is first in {best.count(name)}" for name in plot.series if name in best]
    known = sum(name is not None for name in best)
    lead = f", {spread(leads)} times the next" if leads else ""
    return f"Measured on two workers, {listed(counts)} of {known} programs{lead}." if counts else ""


def compared(claims, most=3):
    """How many of the numbers are the paper's, and which are farthest from it."""
    both = [claim for claim in claims if claim.word()]
    if not both:
        return ""
    near = [claim for claim in both if claim.word() == "within 25%"]
    far = sorted((claim for claim in both if claim not in near and claim.theirs), key=lambda claim: -claim.distance())
    if len(both) == 1:
        ratio = f"{both[0].ours / both[0].theirs:.2g} of the paper's" if both[0].theirs else "not the paper's"
        return f"The number is {ratio}."
    if len(both) == len(near):
        return f"All {len(near)} numbers are the paper's within 25%."
    verb = "is" if len(near) == 1 else "are"
    head = f"{len(near)} of {len(both)} numbers {verb} the paper's within 25%"
    tail = listed(f"{claim.what} ({claim.ours / claim.theirs:.2g} of it)" for claim in far[:most])
    return f"{head}; farthest from it: {tail}." if tail else f"{head}."
