#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/design/layers-light.svg and layers-dark.svg: the folders of src/, and which of them includes which.

What may include what is BELOW of tests/docs/test_layers.py. The words in a box begin the folder's row in docs/design/README.md.
"""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests/docs")]

from driver import svg  # noqa: E402
from test_layers import BELOW  # noqa: E402

DESIGN = ROOT / "docs/design"
BOX, HEIGHT, PASSAGE, BETWEEN, LEVEL, MARGIN, HEAD, LETTERS = 140, 48, 16, 16, 88, 16, 64, 25


def words(folder):
    """What its row says, up to the first stop."""
    row = re.search(rf"^\| `src/{folder}/` \| (.*) \|$", (DESIGN / "README.md").read_text(), re.MULTILINE)
    return re.split(r"[:;,(.]", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", row[1]))[0].strip() if row else ""


def reaches(below, start, end):
    return any(step == end or reaches(below, step, end) for step in below[start])


def reduced(below):
    """Without the arrows that a longer path of arrows stands for."""
    return {
        folder: [to for to in steps if not any(other != to and reaches(below, other, to) for other in steps)]
        for folder, steps in below.items()
    }


def levels(below):
    """Rows from the top, and arrows from one row to the next: a long arrow passes through places (from, to, row)."""
    depth = {}
    for folder, steps in below.items():
        depth[folder] = max((depth[to] for to in steps), default=-1) + 1
    top = max(depth.values())
    rows = [[folder for folder in below if top - depth[folder] == row] for row in range(top + 1)]
    arrows = []
    for folder, steps in reduced(below).items():
        for to in steps:
            path = [folder]
            for row in range(top - depth[folder] + 1, top - depth[to]):
                path.append((folder, to, row))
                rows[row].append(path[-1])
            path.append(to)
            arrows.append(path)
    return rows, arrows


def ordered(rows, arrows):
    """Each row by the mean place of what its members are linked with, so that few arrows cross."""
    links = {}
    for path in arrows:
        for upper, lower in zip(path, path[1:]):
            links.setdefault(upper, []).append(lower)
            links.setdefault(lower, []).append(upper)
    for sweep in range(24):
        down = sweep % 2 == 0
        for number in range(1, len(rows)) if down else range(len(rows) - 2, -1, -1):
            beside = rows[number - 1 if down else number + 1]
            share = {member: (place + 0.5) / len(beside) for place, member in enumerate(beside)}

            def mean(member):
                found = [share[other] for other in links.get(member, ()) if other in share]
                return sum(found) / len(found) if found else 0.5

            rows[number].sort(key=mean)
    return rows


def width(member):
    return BOX if isinstance(member, str) else PASSAGE


def places(rows, total):
    """From each member to the middle of its box; a row's free room is shared out between its members."""
    found = {}
    for row in rows:
        room = (total - sum(map(width, row))) / (len(row) + 1)
        at = room
        for member in row:
            found[member] = MARGIN + at + width(member) / 2
            at += width(member) + room
    return found


def wrapped(text):
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) >= LETTERS:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def draw(below, theme):
    rows, arrows = levels(below)
    rows = ordered(rows, arrows)
    total = max(sum(map(width, row)) + BETWEEN * (len(row) + 1) for row in rows)
    total = max(total, 5 * BOX)
    middle = places(rows, total)
    top = {member: HEAD + (number + 1) * LEVEL - LEVEL // 2 for number, row in enumerate(rows) for member in row}
    across, height = total + 2 * MARGIN, HEAD + LEVEL // 2 + len(rows) * LEVEL - LEVEL + HEIGHT + 30
    parts = [svg.text(MARGIN, 24, "The folders of src/", "title")]
    parts += _box(MARGIN, HEAD - 24, total, 30, "include/sennit/", "what programs include. Its constructs call the folders below.")
    for path in arrows:
        parts += _arrow(path, middle, top)
    for folder in below:
        parts += _box(middle[folder] - BOX / 2, top[folder], BOX, HEIGHT, folder, words(folder))
    parts.append(
        svg.text(MARGIN, height - 8, "An arrow points to a folder that may be included. Longer paths of arrows stand for some more.", "quiet")
    )
    return svg.document(int(across), int(height), parts, theme)


def _box(left, top, across, height, name, about):
    shape = f'<rect class="ground box" x="{left:.1f}" y="{top:.1f}" width="{across:.1f}" height="{height}" rx="4"/>'
    if across > BOX:
        return [shape, svg.text(left + 10, top + 19, f"{name}: {about}")]
    lines = wrapped(about)
    parts = [shape, svg.text(left + across / 2, top + 16, name, "name", "middle")]
    return parts + [svg.text(left + across / 2, top + 29 + 12 * i, line, "quiet", "middle") for i, line in enumerate(lines)]


def _arrow(path, middle, top):
    points = []
    for member in path:
        if points:
            points.append((middle[member], top[member] - (7 if member == path[-1] else 0)))
        if member != path[-1]:
            points.append((middle[member], top[member] + HEIGHT))
    way = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
    for (x, y), (to_x, to_y) in zip(points, points[1:]):
        bend = (to_y - y) / 2 if x != to_x else 0
        way += f"C{x:.1f},{y + bend:.1f} {to_x:.1f},{to_y - bend:.1f} {to_x:.1f},{to_y:.1f}" if bend else f"L{to_x:.1f},{to_y:.1f}"
    x, y = points[-1]
    head = f'<path class="s5" d="M{x:.1f},{y + 6:.1f}l-4,-7h8z"/>'
    return [f'<path class="way" d="{way}"/>', head]


def main():
    for theme in ("light", "dark"):
        path = DESIGN / f"layers-{theme}.svg"
        path.write_text(draw(BELOW, theme))
        print(f"Drew {path}")


if __name__ == "__main__":
    main()
