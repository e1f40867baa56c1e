// SPDX-License-Identifier: Apache-2.0
// Timeline: one picture, in pixels. A run has a lane for its phases and one for each worker; the lanes of a second run
// follow below.
const bars = by_id("bars");
const least_bar = 3;  // pixels; what is narrower is drawn as a share of each pixel column
let rows = 0;
for (const run of runs) {
  if (runs.length > 1) run.title_row = rows++;
  run.phase_row = rows++;
  run.first_row = rows;
  rows += run.shares.length;
}
const width = () => plot.clientWidth || 800;
const x_of = (ns) => width() * (across(ns) - view.from) / view.size;
const middle = (run, role) => lane * (run.first_row + role) + lane / 2;
const line = (from, from_role, to, to_role) =>
    `M${x_of(from)} ${middle(main_run, from_role)}L${x_of(to)} ${middle(main_run, to_role)}`;
const rect = (name, from, to, row) => {
  const [x, end] = [Math.max(-9, x_of(from)), Math.min(width() + 9, x_of(to))];
  return make("svg:rect", {class: name, x, y: lane * row + gap / 2, width: Math.max(0, end - x), height: lane - gap});
};
let chosen = null, found = null;  // a strand; what the search fits: a function of a stretch
const is_found = (stretch) => found !== null && found(stretch);
const add = (element, data) => Object.assign(element.dataset, data) && element;

function draw_lane(run, role, shapes) {
  const stretches = run.lanes[role], row = run.first_row + role, right = width();
  const ns_shown = scale * view.size / whole, begin = scale * view.from / whole;
  const column = ns_shown / right, dense = new Map();
  const add_dense = (name, from, to) => {
    const columns = dense.get(name) ?? dense.set(name, new Float64Array(right + 1)).get(name);
    for (let c = Math.max(0, Math.floor((from - begin) / column)); c <= right; ++c) {
      const left = begin + c * column, share = Math.min(to, left + column) - Math.max(from, left);
      if (share > 0) columns[c] += share / column;
      if (left + column >= to) break;
    }
  };
  for (let i = first_behind(stretches, begin); i < stretches.length && stretches[i].begin < begin + ns_shown; ++i) {
    const stretch = stretches[i], {strand, part, kind} = stretch, main = run === main_run;
    const name = main && is_found(stretch) ? `${kind} found` : kind, is_chosen = main && strand === chosen;
    if (stretch.end - stretch.begin < least_bar * column && !is_chosen) {
      add_dense(name, stretch.begin, stretch.end);
      continue;
    }
    const bar = rect(`bar ${name}${is_chosen ? " chosen" : ""}`, stretch.begin, stretch.end, row);
    shapes[is_chosen ? "chosen" : "bars"].push(add(bar, {strand: strand.index, part}));
  }
  const filled = new Float64Array(right + 1), bottom = lane * (row + 1) - gap / 2;
  for (const [name, columns] of dense) {
    let path = "";
    columns.forEach((share, c) => {
      if (share === 0) return;
      const height = Math.max(0.7, Math.min(share, 1 - filled[c]) * (lane - gap));
      path += `M${c} ${(bottom - filled[c] * (lane - gap)).toFixed(2)}h1v${-height.toFixed(2)}h-1z`;
      filled[c] += share;
    });
    shapes.bars.push(make("svg:path", {class: `dense ${name}`, d: path}));
  }
}
function draw_pauses(shapes) {
  const begin = scale * view.from / whole, end = begin + scale * view.size / whole, pauses = [];
  for (const strand of strands) {
    for (let i = 1; i < strand.stretches.length; ++i) {
      const [role, , resumed] = strand.stretches[i], [earlier, , , paused] = strand.stretches[i - 1];
      if (paused < end && resumed > begin)
        pauses.push({strand, d: line(paused, earlier, resumed, role)});
    }
  }
  for (const {strand, d} of pauses) {
    const is_chosen = strand === chosen;
    if (is_chosen || pauses.length <= 250)
      shapes[is_chosen ? "chosen" : "pauses"].push(
          make("svg:path", {class: is_chosen ? "pause chosen" : "pause", d}));
  }
}
function draw_phases(run, shapes) {
  let drawn = -1;  // how far, so that a thousand phases are not a thousand elements of no width
  run.phases.forEach((phase, index) => {
    const [x, end] = [x_of(phase.from), x_of(phase.to)];
    if (end < 0 || x > width() || end < drawn + 1) return;
    drawn = end;
    const box = rect("phase", phase.from, phase.to, run.phase_row);
    if (end - x < 1) box.setAttribute("width", 1);
    shapes.phases.push(add(box, {run: runs.indexOf(run), phase: index}));
    const from = Math.max(0, x), room = Math.floor((Math.min(width(), end) - from - 10) / 6.5);
    if (room < 4) return;
    const title = title_of_phase(phase);
    shapes.phases.push(make(
        "svg:text", {x: from + 5, y: lane * run.phase_row + 16},
        title.length > room ? `${title.slice(0, room - 1)}…` : title));
  });
}
function show_view() {
  clamp_view(1e6);
  bars.setAttribute("viewBox", `0 0 ${width()} ${lane * rows}`);
  draw_axis(width());
  const shapes = {lanes: [], phases: [], pauses: [], bars: [], chosen: []};
  for (const run of runs) {
    draw_phases(run, shapes);
    run.shares.forEach((_, role) => {
      shapes.lanes.push(rect("lane", 0, run.length, run.first_row + role));
      draw_lane(run, role, shapes);
    });
  }
  draw_pauses(shapes);
  bars.classList.toggle("choosing", chosen !== null);
  bars.classList.toggle("searching", found !== null);
  bars.replaceChildren(
      ...shapes.lanes, ...shapes.phases, ...shapes.pauses, ...shapes.bars, ...shapes.chosen, taking_line());
}
function taking_line() {
  let d = "";
  if (chosen && chosen.node >= 0) {
    const [role, , begin] = chosen.stretches[0];
    const victim = strands[chosen.parent].stretches.findLast(([, , start]) => start <= begin);
    if (victim) d = line(begin, victim[0], begin, role);
  }
  return make("svg:path", {class: "taking", d});
}
function label_lanes() {
  bars.style.height = `${lane * rows}px`;
  for (const run of runs) {
    if (runs.length > 1) {
      by_id("workers").append(make("div", {class: "run"}, run.name));
      by_id("idle").append(make("div", {}, run.length ? duration(run.length) : "no times"));
    }
    by_id("workers").append(make("div", {}, "phases"));
    by_id("idle").append(make("div", {}, ""));
    run.shares.forEach((share, role) => {
      by_id("workers").append(make("div", {}, `worker ${role}`));
      by_id("idle").append(make("div", {}, run.length ? `idle ${percent(share.idle / run.length)}` : ""));
    });
  }
}
function zoom_to(from, to) {
  const margin = Math.max(0.02 * (to - from), scale / 1e6);
  view = {from: across(from - margin), size: across(to - from + 2 * margin)};
  show_view();
}
// The phase before (-1) or after (1) the middle of what is shown; the first one where all is shown.
function step_phase(by) {
  const {phases} = main_run;
  if (phases.length === 0) return;
  const center = scale * (view.from + view.size / 2) / whole;
  const here = phases.findIndex((phase) => phase.to >= center);
  let next = by > 0 ? 0 : phases.length - 1;
  if (view.size < whole) {
    const at = here < 0 ? phases.length : here, inside = phases[at]?.from <= center;
    next = by > 0 ? at + (inside ? 1 : 0) : at - 1;
  }
  const phase = phases[Math.min(phases.length - 1, Math.max(0, next))];
  zoom_to(phase.from, phase.to);
}
// What is below the pointer: of a strand, a phase, or the strands of a pixel column.
function at_pointer(event) {
  const box = bars.getBoundingClientRect(), y = event.clientY - box.top, row = Math.floor(y / lane);
  const time = scale * (view.from + view.size * (event.clientX - box.left) / width()) / whole;
  const run = runs.find((one) => row >= one.phase_row && row < one.first_row + one.shares.length);
  if (!run || event.clientX < box.left) return null;
  const column = scale * view.size / whole / width();
  if (row === run.phase_row) {
    const phase = run.phases.find((one) => one.to + column >= time);
    return phase && phase.from - column <= time ? {run, phase} : null;
  }
  const role = row - run.first_row, stretches = run.lanes[role], near = first_behind(stretches, time - column);
  const stretch = stretches[near];
  if (!stretch || stretch.begin > time + column) return null;
  let count = 0, end = near;
  for (; end < stretches.length && stretches[end].begin < time + column; ++end) ++count;
  const wide = stretches.slice(near, end).find(
      (one) => one.begin <= time && one.end >= time && one.end - one.begin >= least_bar * column);
  return {run, role, stretch: wide ?? stretch, count: wide ? 1 : count, time, column};
}
function tip_of({run, phase, role, stretch, count, time, column}) {
  if (phase) {
    const [node] = phase.nodes, long = phase.to - phase.from;
    return `${title_of_phase(phase)}${place_of(node) ? `\n${place_of(node)}` : ""}\n${duration(phase.from)} to ${
        duration(phase.to)}: ${duration(long)}, ${phase.steals} steals, idle ${
        percent(phase.idle / long / run.shares.length)}`;
  }
  if (count > 1) {
    const busy = busy_until(run.lanes[role], time + column) - busy_until(run.lanes[role], time - column);
    return `worker ${role}: ${count} strands in ${duration(2 * column)}, busy ${
        percent(busy / 2 / column)}\nzoom in to see them`;
  }
  const {strand, begin, end} = stretch, node = run.nodes[strand.node];
  return (node ? `${name_of(node)}${site_of(node)}, at ${path_of(node, run.nodes)}${
                     place_of(node) ? `\n${place_of(node)}` : ""}` :
                 "the region's own strand") +
      `\nworker ${role}, ${duration(begin)} to ${duration(end)}: ${duration(end - begin)}`;
}

