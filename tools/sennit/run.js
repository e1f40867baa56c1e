// SPDX-License-Identifier: Apache-2.0
// What a schedule says of a run, and its phases. For page.html.

// As src/schedule/steal_tree.hpp has them, by their number.
const kinds = ["fork", "child", "wait", "loop"];

// Forks that cut a loop, by the rule of observed_cut(); others in the loop's list are the program's.
function mark_cuts(node) {
  const leaf = Math.ceil(Number(node.size) / 256);
  const lists = [[node.children, 0, Number(node.size)]];
  while (lists.length > 0) {
    let [list, first, last] = lists.pop(), next = 0;
    for (let at = 0; last - first > leaf; ++at) {
      const middle = first + Math.floor(Math.floor((last - first + leaf) / leaf) / 2) * leaf;
      const fork = list[next]?.at === at ? list[next++] : null;
      if (fork && fork.kind !== "fork") break;
      if (fork) {
        fork.part = true;
        lists.push([fork.children, first, middle]);
      }
      first = middle;
      if (next === list.length) break;
    }
  }
}
// Places that have one name and no line get numbers, in serial order.
function number_sites(nodes) {
  const alike = new Map();
  for (const {part, site} of nodes) {
    if (part || !site || site[1]) continue;
    const all = alike.get(site[0]) ?? alike.set(site[0], new Set()).get(site[0]);
    all.add(site);
  }
  for (const [name, all] of alike)
    if (all.size > 1) [...all].forEach((site, index) => site[0] = `${name} (place ${index + 1})`);
}
// What the file says of a run, with names for the columns. Times are in nanoseconds.
function read_run(from) {
  const nodes = from.nodes.map(([parent, kind, at, size, begun, resumed, site], index) => ({
    index, parent, kind: kinds[kind], at, size, begun, resumed, site: from.sites?.[site - 1] ?? null, children: [],
    part: false, from: Infinity, to: 0, steals: begun ? 1 : 0
  }));
  const roots = [];
  for (const node of nodes) (node.parent < 0 ? roots : nodes[node.parent].children).push(node);
  for (const node of nodes) if (node.kind === "loop") mark_cuts(node);
  number_sites(nodes);
  // A cut is at the place of its loop.
  for (const node of nodes) {
    const around = nodes[node.parent];
    if (!around?.site) continue;
    // A loop with a grain is cut elsewhere. Only a cut has no place of its own.
    if (node.kind === "fork" && !node.site) node.part ||= around.kind === "loop" || around.part;
    if (node.part) node.site = around.site;
  }
  for (const node of nodes.toReversed()) {
    for (const event of [node.begun, node.resumed]) {
      if (!event) continue;
      node.from = Math.min(node.from, event[2]);
      node.to = Math.max(node.to, event[3]);
    }
    const around = nodes[node.parent];
    if (!around) continue;
    around.from = Math.min(around.from, node.from);
    around.to = Math.max(around.to, node.to);
    around.steals += node.steals;
  }
  const strands = from.strands.map(([node, parent, stretches], index) => ({index, node, parent, stretches}));
  // What each worker ran: sorted, with the sum of the times before.
  const lanes = from.shares.map(() => []);
  for (const strand of strands) {
    const node = nodes[strand.node];
    const kind = !node ? "region" : node.part ? "part" : node.kind;
    strand.stretches.forEach(([role, , begin, end], part) => lanes[role].push({strand, part, kind, begin, end}));
  }
  for (const lane of lanes) {
    lane.sort((a, b) => a.begin - b.begin);
    let sum = 0;
    for (const stretch of lane) {
      stretch.before = sum;
      sum += stretch.end - stretch.begin;
    }
  }
  const run = {name: from.name, length: from.length, shares: from.shares, nodes, roots, strands, lanes};
  run.phases = phases_of(run);
  return run;
}
// The first stretch of a lane that ends behind that time.
function first_behind(lane, time) {
  let low = 0, high = lane.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane[middle].end > time) high = middle;
    else low = middle + 1;
  }
  return low;
}
function busy_until(lane, time) {
  const stretch = lane[first_behind(lane, time)];
  if (stretch) return stretch.before + Math.max(0, time - stretch.begin);
  const last = lane.at(-1);
  return last ? last.before + last.end - last.begin : 0;
}
const idle_in = (run, from, to) => run.lanes.reduce(
    (sum, lane) => sum + (to - from) - (busy_until(lane, to) - busy_until(lane, from)), 0);

// A construct whose time begins before the one before has ended is in its right branch. Children of a group are one
// phase with its wait.
function phases_of(run) {
  const phases = [];
  for (const node of run.roots) {
    if (node.to === 0) continue;
    const last = phases.at(-1);
    const goes_on = last && (node.from < last.to ||
                             (last.nodes.at(-1).kind === "child" && ["child", "wait"].includes(node.kind)));
    if (goes_on) {
      last.nodes.push(node);
      last.to = Math.max(last.to, node.to);
      last.steals += node.steals;
    } else {
      phases.push({nodes: [node], from: node.from, to: node.to, steals: node.steals});
    }
  }
  for (const phase of phases) phase.idle = idle_in(run, phase.from, phase.to);
  return phases;
}

