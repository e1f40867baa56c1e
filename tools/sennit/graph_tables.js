// SPDX-License-Identifier: Apache-2.0
// Tables of nodes: the longest chain, what waited longest, and a run against another one. For graph.html.
const rows_of_table = 50;

const button_of = (node) => {
  const button = make("button", {class: "key"}, node.key === "" ? "(empty)" : node.key);
  button.addEventListener("click", () => reveal(node));
  return button;
};
// columns: [title, cell of a row]. The first cell of a row is its name.
function fill_table(id, columns, rows) {
  by_id(id).replaceChildren(
      make("thead", {}, make("tr", {}, ...columns.map(([title]) => make("th", {scope: "col"}, title)))),
      make("tbody", {}, ...rows.map(
          (row, index) => make("tr", {}, ...columns.map(([, cell]) => make("td", {}, cell(row, index)))))));
}
const largest = (of, measure) =>
    of.filter((node) => measure(node) > 0).sort((a, b) => measure(b) - measure(a)).slice(0, rows_of_table);
const taken = (node) => node.end - node.begin;
const last_of = (node) => typeof node.last === "number" ? button_of(nodes[node.last]) : node.last ?? "";

function show_chain() {
  const {time, count, nodes: links} = data.chain;
  const fit = links.map((index) => nodes[index]).filter((node) => !filtering || found.has(node));
  const kept = new Set(largest([...fit], taken)), list = fit.length > rows_of_table ? fit.filter((node) => kept.has(node)) : fit;
  by_id("chain-words").textContent = `${count} ${count === 1 ? "node" : "nodes"} that had to be computed one after another took ${
      duration(time)}, ${part_of(time, data.length)} of the run. With more workers the run cannot be shorter than that.${
      list.length < count ? ` The ${list.length} longest of those that are shown, in their order:` : ""}`;
  fill_table("chain-nodes", [
    ["node", button_of], ["worker", (node) => String(node.worker)], ["began", (node) => duration(node.begin)],
    ["took", (node) => duration(taken(node))], ["of the chain", (node) => part_of(taken(node), time)],
    ["waited for a worker", (node) => node.ready === undefined ? "" : duration(waited(node))]
  ], list);
}
function show_waits() {
  const list = largest(matches, waited);
  by_id("waits-words").textContent = list.length === 0 ?
      "None of the nodes that are shown waited for a worker." :
      "A node is ready when the last of the nodes that it needs has ended. Until it began it waited for a worker. " +
          "While a worker was idle, it could have begun, unless nobody had found it yet.";
  fill_table("waits-nodes", list.length === 0 ? [] : [
    ["node", button_of], ["waited", (node) => duration(waited(node))],
    ["while a worker was idle", (node) => duration(node.avoidable)], ["ready", (node) => duration(node.ready)],
    ["when this ended", last_of], ["worker", (node) => String(node.worker)]
  ], list);
}
function show_longest() {
  fill_table("longest-nodes", [
    ["node", button_of], ["took", (node) => duration(taken(node))], ["of the run", (node) => part_of(taken(node), data.length)],
    ["worker", (node) => String(node.worker)], ["began", (node) => duration(node.begin)]
  ], largest([...matches], taken));
}
function show_tables() {
  if (data.chain && data.chain.count > 0) {
    show_chain();
    show_waits();
  }
  show_longest();
}

const signed = (from, to) => from === 0 || from === to ? "" : `${to < from ? "−" : "+"}${percent(Math.abs(to - from) / from)}`;
function show_comparison() {
  const {earlier, now, common, only_now, only_earlier, elsewhere, differences} = data.compared;
  by_id("against-title").textContent = `Against ${earlier.name}`;
  const times = [["length", "length"], ["first work", "first"], ["sum of all nodes", "computing"], ["longest chain", "chain"]]
                    .filter(([, of]) => earlier[of] !== null && now[of] !== null)
                    .map(([what, of]) => [what, duration(earlier[of]), duration(now[of]), signed(earlier[of], now[of])]);
  const counts = [["workers", "workers"], ["nodes", "nodes"]].map(
      ([what, of]) => [what, String(earlier[of]), String(now[of]), signed(earlier[of], now[of])]);
  const busy = ["busy", percent(earlier.busy), percent(now.busy), ""];
  const titles = ["", earlier.name, now.name, "change"];
  fill_table("against-runs", titles.map((title, column) => [title, (row) => row[column]]), [...times, busy, ...counts]);
  by_id("against-words").textContent =
      `${common} keys are in both runs, ${only_now} only in ${now.name}, ${only_earlier} only in ${
          earlier.name}. Another worker computed ${elsewhere} of them.`;
  const by_key = new Map(nodes.map((node) => [node.key, node]));
  fill_table("against-nodes", [
    ["nodes that differ most", ([key]) => by_key.has(key) ? button_of(by_key.get(key)) : key],
    [earlier.name, ([, , before]) => duration(before)], [now.name, ([, , , after]) => duration(after)],
    ["change", ([, , before, after]) => signed(before, after)]
  ], differences);
  const link = (run) => (_, index) => {
    const of = run.links[index];
    return of ? `${of[0]}: ${duration(of[1])}` : "";
  };
  const longer = earlier.links.length > now.links.length ? earlier.links : now.links;
  by_id("against-chains").hidden = longer.length === 0;
  fill_table(
      "against-chains",
      [["longest chain", (_, index) => String(index + 1)], [earlier.name, link(earlier)], [now.name, link(now)]], longer);
}
