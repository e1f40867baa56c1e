// SPDX-License-Identifier: Apache-2.0
// What was chosen, what comes from memory, and which data is used when.
const bytes = (n) => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  for (; n >= 999.5 && unit + 1 < units.length; ++unit) n /= 1024;
  return `${Number(n.toPrecision(3))} ${units[unit]}`;
};
const grouped = (n) => n.toLocaleString("en-US");
const svg_in = (id, width, height) => {
  const svg = by_id(id);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  return svg;
};
const words = (text, x, y, anchor = "start", more = "") =>
    make("svg:text", {x, y, "text-anchor": anchor, class: more}, text);

// The data down, the order across: a mark where a part of the data is touched.
function draw_footprint(id, rows, columns) {
  const high = 2, svg = svg_in(id, columns, rows.length * high);
  let path = "";
  rows.forEach((lengths, row) => {
    let at = 0;
    lengths.forEach((length, i) => {
      if (i % 2 === 1 && length > 0) path += `M${at} ${row * high}h${length}v${high}h${-length}z`;
      at += length;
    });
  });
  svg.replaceChildren(make("svg:path", {d: path}));
}

// Bars: [name, value, what it says, whether it is the one that counts].
function draw_bars(id, bars) {
  const most = Math.max(...bars.map((bar) => bar[1])), high = 26, left = 150, width = 640, right = 110;
  const svg = svg_in(id, width, high * bars.length);
  svg.replaceChildren(...bars.flatMap(([name, value, text, counts], i) => {
    const long = Math.max(1, (width - left - right) * value / most), y = high * i;
    return [
      words(name, left - 8, y + 17, "end", counts ? "counts" : ""),
      make("svg:rect", {x: left, y: y + 4, width: long, height: high - 8, rx: 3, class: counts ? "bar counts" : "bar"}),
      words(text, left + long + 8, y + 17, "start", counts ? "counts" : ""),
    ];
  }));
}

// What is fetched with caches of other sizes, both on scales that double.
function draw_sizes(id, sizes, cache) {
  const width = 640, height = 230, left = 76, right = 30, top = 14, bottom = 40;
  const values = sizes.flatMap(([, loop, spliced]) => [loop, spliced]);
  const low = Math.floor(Math.log2(Math.min(...values))), high = Math.max(low + 1, Math.ceil(Math.log2(Math.max(...values))));
  const first = Math.log2(sizes[0][0]), last = Math.max(first + 1, Math.log2(sizes[sizes.length - 1][0]));
  const x_of = (size) => left + (width - left - right) * (Math.log2(size) - first) / (last - first);
  const y_of = (n) => top + (height - top - bottom) * (high - Math.log2(n)) / (high - low);
  const inside = [];
  const step = Math.max(1, Math.ceil((high - low) / 5));
  for (let power = low; power <= high; power += step) {
    const y = y_of(2 ** power);
    inside.push(make("svg:line", {x1: left, x2: width - right, y1: y, y2: y}), words(bytes(2 ** power), left - 8, y + 4, "end"));
  }
  sizes.forEach(([size], i) => {
    if (i % 2 === 0 || size === cache) inside.push(words(bytes(size), x_of(size), height - bottom + 18, "middle", size === cache ? "counts" : ""));
  });
  inside.push(words("size of the cache", (left + width - right) / 2, height - 4, "middle"));
  inside.push(make("svg:line", {x1: x_of(cache), x2: x_of(cache), y1: top, y2: height - bottom, class: "now"}));
  [["loop", 1], ["spliced", 2]].forEach(([name, at]) => {
    inside.push(make("svg:polyline", {class: name, points: sizes.map((s) => `${x_of(s[0])},${y_of(s[at])}`).join(" ")}));
    for (const s of sizes) inside.push(make("svg:circle", {class: name, cx: x_of(s[0]), cy: y_of(s[at]), r: 3.5}));
  });
  svg_in(id, width, height).replaceChildren(...inside);
}

function draw_charts() {
  const {choices, memory} = data;
  by_id("headline").textContent = choices?.headline ?? "";
  by_id("fetched").textContent = memory?.sentence ?? "";
  if (memory) {
    const {loop, spliced, columns, is_of_memory} = memory.footprint;
    draw_footprint("loop_footprint", loop, columns);
    draw_footprint("spliced_footprint", spliced, columns);
    const what = is_of_memory ? `${memory.data ? bytes(memory.data) : "all"} of memory, from the lowest address on` :
                                "the blocks, by their numbers, as the file does not say which memory steps touch";
    by_id("footprint_axes").textContent = `Down: ${what}. Across: time, as one worker runs the steps.`;
  }
  by_id("orders").hidden = !memory;
  const now = memory?.sizes?.find(([size]) => size === memory.cache);
  by_id("from_memory").hidden = !now;
  if (now) {
    draw_bars("fetched_bars", [["order of the loop", now[1], bytes(now[1]), false], ["this order", now[2], bytes(now[2]), true]]);
    draw_sizes("fetched_sizes", memory.sizes, memory.cache);
    by_id("memory_remark").textContent = memory.remark;
  }
  by_id("choices").hidden = !choices;
  if (!choices) return;
  by_id("choices_text").replaceChildren(...choices.text.split("\n").map((line) => make("li", {}, line)));
  by_id("tried").hidden = choices.tried.length === 0;
  if (choices.tried.length > 0) {
    draw_bars("tried_bars", choices.tried.map(([size, ns]) => [grouped(size), ns, `${Number(ns.toPrecision(3))} ns`, size === choices.block]));
  }
}
draw_charts();
