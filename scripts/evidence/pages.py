# SPDX-License-Identifier: Apache-2.0
"""The pages: one for each paper, and the index."""

from figures import MEASURED, MISSING
from kept import Kept

FROM_THE_PAPER = "The plots of the papers are not in their texts. Where a figure has no number of the paper beside ours, its text says none."


def shown(value):
    """A number as people read it; words as they are."""
    if value is None:
        return "—"
    if isinstance(value, str):
        return value
    if isinstance(value, int) or float(value).is_integer() and abs(value) >= 100:
        return f"{int(value):,}"
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.3g}"


def section(figure, kept):
    lines = [f"## {figure.name}", figure.shows, ""]
    if figure.setting:
        lines += [f"**Here:** {figure.setting}", ""]
    if figure.claims:
        lines += ["| | the paper | here | | |", "| --- | --- | --- | --- | --- |"]
        for claim in figure.claims:
            how = claim.how if claim.ours is not None else MISSING
            disturbed = how == MEASURED and busy(figure, kept)
            how = f"{how}, busy machine" if disturbed else how
            note = f" ({claim.note})" if claim.note else ""
            word = "" if disturbed else claim.word()
            lines.append(
                f"| {claim.what} | {shown(claim.theirs)} ({claim.where}) | {shown(claim.ours)} | {how}{note} | {word} |"
            )
        lines.append("")
    for plot in figure.drawn():
        lines += pictured(picture(kept.name, plot), f"{figure.name}: {plot.title}")
    lines += [f"**Agreement:** {agreement(figure, kept)}", ""]
    if missing := figure.not_reproduced():
        lines += [f"**Not reproduced:** {missing}", ""]
    notes = [about(kept, run) for run in figure.runs if kept.run(run)]
    if notes:
        lines += ["Measured: " + "; ".join(notes) + ".", ""]
    if figure.commands:
        lines += ["```", *figure.commands, "```", ""]
    return lines


def pictured(stem, says):
    """A picture, light or dark as its reader has it."""
    return [
        "<picture>",
        f'  <source media="(prefers-color-scheme: dark)" srcset="pictures/{stem}-dark.svg">',
        f'  <img src="pictures/{stem}-light.svg" alt="{says}">',
        "</picture>",
        "",
    ]


def agreement(figure, kept):
    """The sentence on what is simulated and counted, and the one on what was measured."""
    if figure.how() == MISSING:
        return "not known yet."
    doubt = "As far as a busy machine can tell: "
    if not figure.on_measured():
        return (doubt if doubtful(figure, kept) else "") + figure.agreement
    measured = (doubt if busy(figure, kept) else "") + figure.measured
    return " ".join(part for part in (figure.agreement, measured) if part)


def busy(figure, kept):
    """Whether others were at work while one of its measurements was taken."""
    return any(not run["quiet"] for name in figure.runs if (run := kept.run(name)))


def doubtful(figure, kept):
    """Whether all that is known of it was measured on a busy machine."""
    return busy(figure, kept) and all(claim.how == MEASURED for claim in figure.claims if claim.ours is not None)


def about(kept, name):
    """When and where a measurement was taken."""
    run = kept.run(name)
    words = [f"`{name}` {run['date']}, {run['cpu']}, {run['cpus']} CPUs", "quick sizes" if run.get("quick") else "full sizes"]
    seen = []
    if run.get("others") is not None:
        seen.append(f"others had {100 * run['others']:.0f}% of it")
    if run.get("noise") is not None:
        seen.append(f"samples of serial runs are {100 * run['noise']:.0f}% over their least")
    rest = "on a machine at rest" if run["quiet"] else "on a busy machine"
    return ", ".join(words + [rest + (f" ({', '.join(seen)})" if seen else "")])


def picture(paper, plot):
    return f"{paper}-{plot.name}"


def page(title, kept, figures):
    lines = [
        f"# {title}",
        f"{kept.paper['paper']}. Measured there on {kept.paper['machine']}.",
        "",
        f"{FROM_THE_PAPER} [How the pages are made](README.md). [The transcribed numbers](data/{kept.name}.paper.json).",
        "",
    ]
    for figure in figures:
        lines += section(figure, kept)
    return "\n".join(lines).rstrip() + "\n"


def first_of(figure):
    """The claim that stands in the index: the first that has a number of both, or the first."""
    both = [claim for claim in figure.claims if claim.ours is not None]
    return (both or list(figure.claims) or [None])[0]


def index(titles, figures_of, kept_of, words):
    lines = [*words]
    for paper, title in titles.items():
        lines += [
            f"## {title}",
            "| figure | what | the paper | here | how | agreement |",
            "| --- | --- | --- | --- | --- | --- |",
        ]
        for figure in figures_of[paper]:
            claim = first_of(figure)
            cells = [claim.what, shown(claim.theirs), shown(claim.ours)] if claim else ["", "—", "—"]
            link = f"[{figure.name}]({paper}.md#{anchor(figure.name)})"
            how = figure.how()
            if claim and claim.how == MEASURED and busy(figure, kept_of[paper]):
                how = how.replace(MEASURED, "measured on a busy machine")
            word = "open" if how == MISSING or doubtful(figure, kept_of[paper]) else figure.index_word()
            lines.append("| " + " | ".join([link, *cells, how, word]) + " |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def anchor(heading):
    return "".join(c for c in heading.lower() if c.isalnum() or c in " -_").replace(" ", "-")


__all__ = ["Kept", "index", "page", "picture"]
