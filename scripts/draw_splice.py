#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of splices in docs/pictures: sweeps over an array in the order of the loop, in whole blocks, and in shifted ones
(splice-light.svg, splice-dark.svg), and which data these use when (orders-light.svg, orders-dark.svg).

The orders are found as the library finds them: a block runs as soon as what it needs of the sweep before is there.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench"))

from driver import svg  # noqa: E402

PICTURES = ROOT / "docs/pictures"
SWEEPS, LENGTH, BLOCK, REACH = 8, 120, 12, 1.5
UNIT, ROW, GAP, LEFT, TOP = 2, 20, 36, 64, 66
# From dark to bright in the order of time, as on the page of `sennit view splice`.
RAMP = ((68, 1, 84), (65, 68, 135), (42, 120, 142), (34, 168, 132), (122, 209, 81), (253, 231, 37))
ORDERS = (
    ("The loop", "all data", "from memory: once a sweep"),
    ("A splice of whole blocks", "as many blocks as sweeps", "from memory: once"),
    ("A splice of shifted blocks", "little more than one block", "from memory: once"),
)


def blocks(shift):
    """For each sweep its parts [first, last), which begin further and further to the left."""
    sweeps = []
    for sweep in range(SWEEPS):
        cuts = [place - shift * sweep for place in range(0, LENGTH + int(shift * SWEEPS) + BLOCK, BLOCK)]
        parts = [(max(first, 0), min(first + BLOCK, LENGTH)) for first in cuts]
        sweeps.append([part for part in parts if part[0] < part[1]])
    return sweeps


def in_the_order_of_the_loop(sweeps):
    return [[(sweep, part) for part in range(len(parts))] for sweep, parts in enumerate(sweeps)]


def spliced(sweeps):
    """Tiles: the next part of each sweep that can run, from the first sweep to the last."""
    done = [0] * len(sweeps)
    tiles = []
    while any(count < len(parts) for count, parts in zip(done, sweeps)):
        tile = []
        for sweep, parts in enumerate(sweeps):
            if done[sweep] < len(parts) and _has_its_input(sweeps, done, sweep):
                tile.append((sweep, done[sweep]))
                done[sweep] += 1
        tiles.append(tile)
    return tiles


def _has_its_input(sweeps, done, sweep):
    if sweep == 0 or done[sweep - 1] == len(sweeps[sweep - 1]):
        return True
    return sweeps[sweep][done[sweep]][1] + REACH <= sweeps[sweep - 1][done[sweep - 1]][0]


def in_use(sweeps, tile):
    """What the parts of a tile touch."""
    touched = [sweeps[sweep][part] for sweep, part in tile]
    return max(0, min(first for first, _ in touched) - REACH), min(LENGTH, max(last for _, last in touched) + REACH)


def color(share):
    at = share * (len(RAMP) - 1)
    low = min(int(at), len(RAMP) - 2)
    return "#" + "".join(f"{round(a + (at - low) * (b - a)):02x}" for a, b in zip(RAMP[low], RAMP[low + 1]))


def _panel(left, words, sweeps, tiles, used):
    """With the tile in the middle, and what it uses, in another color."""
    title, data, memory = words
    parts = [svg.text(left, TOP - 12, title, "name")]
    steps = [step for tile in tiles for step in tile]
    tile_of = {step: number for number, tile in enumerate(tiles) for step in tile}
    for number, (sweep, part) in enumerate(steps):
        first, last = sweeps[sweep][part]
        fill = color(number / (len(steps) - 1))
        parts.append(
            f'<rect x="{left + first * UNIT:.1f}" y="{TOP + sweep * ROW}" width="{(last - first) * UNIT:.1f}" height="{ROW - 1}" fill="{fill}"/>'
        )
    parts += _outlines(left, sweeps, tile_of)
    middle_tile = tiles[len(tiles) // 2]
    for sweep in sorted({sweep for sweep, _ in middle_tile}):
        own = [sweeps[sweep][part] for of, part in middle_tile if of == sweep]
        first, last = own[0][0], own[-1][1]
        parts.append(
            f'<rect class="s1" style="fill: none; stroke-width: 2" x="{left + first * UNIT:.1f}" y="{TOP + sweep * ROW}" width="{(last - first) * UNIT:.1f}" height="{ROW - 1}"/>'
        )
    bottom = TOP + SWEEPS * ROW
    begin, end = used
    parts.append(f'<rect class="s1" x="{left + begin * UNIT:.1f}" y="{bottom + 4}" width="{(end - begin) * UNIT:.1f}" height="5"/>')
    middle = left + LENGTH * UNIT / 2
    return [*parts, svg.text(middle, bottom + 26, f"used at a time: {data}", "small", "middle"), svg.text(middle, bottom + 41, memory, "small", "middle")]


def _outlines(left, sweeps, tile_of):
    way = ""
    for (sweep, part), tile in tile_of.items():
        first, last = sweeps[sweep][part]
        top = TOP + sweep * ROW - 0.5
        if part + 1 < len(sweeps[sweep]) and tile_of[sweep, part + 1] != tile:
            way += f"M{left + last * UNIT:.1f},{top}v{ROW}"
        if sweep + 1 == SWEEPS:
            continue
        for other, (begin, end) in enumerate(sweeps[sweep + 1]):
            begin, end = max(first, begin), min(last, end)
            if begin < end and tile_of[sweep + 1, other] != tile:
                way += f"M{left + begin * UNIT:.1f},{top + ROW}H{left + end * UNIT:.1f}"
    return [f'<path d="{way}" fill="none" stroke="#ffffff" stroke-width="1.6"/>']


def draw(theme):
    whole, shifted = blocks(0), blocks(REACH)
    orders = [(whole, in_the_order_of_the_loop(whole)), (whole, spliced(whole)), (shifted, spliced(shifted))]
    width = LEFT + len(orders) * (LENGTH * UNIT + GAP)
    height = TOP + SWEEPS * ROW + 56
    parts = [svg.text(LEFT, 24, "Eight sweeps over an array: which part runs when", "title")]
    for sweep in range(SWEEPS):
        parts.append(svg.text(LEFT - 8, TOP + sweep * ROW + 14, f"sweep {sweep + 1}", "small", "end"))
    for number, (words, (sweeps, tiles)) in enumerate(zip(ORDERS, orders)):
        used = (0, LENGTH) if number == 0 else in_use(sweeps, tiles[len(tiles) // 2])
        parts += _panel(LEFT + number * (LENGTH * UNIT + GAP), words, sweeps, tiles, used)
    ramp = width - GAP - 150
    parts.append(svg.text(ramp - 8, 24, "first", "small", "end"))
    parts += [f'<rect x="{ramp + 6 * i}" y="15" width="6.5" height="10" fill="{color(i / 19)}"/>' for i in range(20)]
    parts.append(svg.text(ramp + 128, 24, "last", "small"))
    return svg.document(int(width), int(height), parts, theme)


def times_fetched(sweeps, steps, room):
    """How often each index comes from memory, on average, if the cache has so many and keeps those used last."""
    cache, fetched = {}, 0
    for sweep, part in steps:
        for index in range(*(int(place) for place in sweeps[sweep][part])):
            if index not in cache:
                fetched += 1
                if len(cache) == room:
                    del cache[next(iter(cache))]
            cache.pop(index, None)
            cache[index] = True
    return fetched / LENGTH


def draw_orders(theme):
    """As on the page of `sennit view splice`: data down, time across."""
    wide, high, left, gap, top = 390, 168, 40, 44, 66
    whole, shifted = blocks(0), blocks(REACH)
    panels = (
        ("The order of the loop", "s1", whole, in_the_order_of_the_loop(whole)),
        ("The order of a splice", "s0", shifted, spliced(shifted)),
    )
    room = LENGTH // 2
    parts = [svg.text(left, 24, "Eight sweeps over an array: which data is used when", "title")]
    parts.append(f'<text class="small" text-anchor="middle" transform="translate({left - 12},{top + high / 2}) rotate(-90)">data</text>')
    for number, (title, series, sweeps, tiles) in enumerate(panels):
        x, steps = left + number * (wide + gap), [step for tile in tiles for step in tile]
        parts.append(svg.text(x, top - 12, title, "name"))
        parts.append(f'<rect class="box" fill="none" x="{x}" y="{top}" width="{wide}" height="{high}"/>')
        for turn, (sweep, part) in enumerate(steps):
            first, last = sweeps[sweep][part]
            parts.append(
                f'<rect class="{series}" stroke="none" style="stroke: none" x="{x + turn * wide / len(steps):.1f}" y="{top + first * high / LENGTH:.1f}" '
                f'width="{wide / len(steps):.1f}" height="{(last - first) * high / LENGTH:.1f}"/>'
            )
        times = times_fetched(sweeps, steps, room)
        often = "once" if times == 1 else f"{times:.0f} times"
        parts.append(svg.text(x + wide / 2, top + high + 18, "time", "small", "middle"))
        parts.append(svg.text(x + wide / 2, top + high + 36, f"with a cache for half of the data, all data comes from memory {often}", "small", "middle"))
    return svg.document(left + 2 * wide + gap + 24, top + high + 50, parts, theme)


def main():
    for theme in ("light", "dark"):
        for name, drawn in (("splice", draw(theme)), ("orders", draw_orders(theme))):
            path = PICTURES / f"{name}-{theme}.svg"
            path.write_text(drawn)
            print(f"Drew {path}")


if __name__ == "__main__":
    main()
