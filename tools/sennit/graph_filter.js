// SPDX-License-Identifier: Apache-2.0
// Which nodes of a graph are shown: those that fit all that is asked for. Others are pale. For graph.html.
const in_chain = new Set(data.chain?.nodes ?? []);
const chain_only = by_id("chain-only"), window_only = by_id("window-only");
const of_worker = by_id("of-worker"), of_color = by_id("of-color");
let matches = [], current = -1, found = new Set(), filtering = false;

// Words between slashes are a regular expression. Null: it is none.
function key_test(query) {
  const pattern = /^\/(.+)\/(i?)$/.exec(query);
  if (!pattern) {
    const lower = query.toLowerCase();
    return (key) => key.toLowerCase().includes(lower);
  }
  try {
    const expression = new RegExp(pattern[1], pattern[2]);
    return (key) => expression.test(key);
  } catch {
    return null;
  }
}
const shown_times = () =>
    [data.length * view.from / whole, data.length * (view.from + view.size) / whole];
// Finds the nodes, and draws nothing.
function find_matches() {
  const query = by_id("search").value.trim(), fits_key = key_test(query);
  const worker = of_worker.value, color = of_color.value, [begin, end] = shown_times();
  filtering = query !== "" || worker !== "" || color !== "" || chain_only.checked || window_only.checked;
  matches = fits_key === null ? [] : !filtering ? nodes : nodes.filter(
      (node) => fits_key(node.key) && (worker === "" || node.worker === Number(worker)) &&
          (color === "" || (color === "none" ? node.colors.length === 0 : node.colors.includes(Number(color)))) &&
          (!chain_only.checked || in_chain.has(node.index)) &&
          (!window_only.checked || (node.end >= begin && node.begin <= end)));
  found = new Set(filtering ? matches : []);
  by_id("matches").textContent = fits_key === null ? "That is no regular expression." :
      !filtering                                   ? "" :
      matches.length === 1                         ? "1 node" :
                                                     `${matches.length} nodes`;
}
function filter() {
  current = -1;
  find_matches();
  show_tables();
  show_view();
}
function step(by) {
  if (matches.length === 0) return;
  current =
      current < 0 ? (by > 0 ? 0 : matches.length - 1) : (current + by + matches.length) % matches.length;
  by_id("matches").textContent = `${current + 1} of ${matches.length}`;
  reveal(matches[current]);
}
function listen_for_filters() {
  const option = (value, words) => make("option", {value}, words);
  data.shares.forEach((_, worker) => of_worker.append(option(worker, `worker ${worker}`)));
  if (data.colors !== null) {
    const used = [...new Set(nodes.flatMap((node) => node.colors))].sort((a, b) => a - b);
    of_color.append(...used.map((color) => option(color, `color ${color}`)), option("none", "of no color"));
  }
  of_color.hidden = data.colors === null;
  by_id("of-chain").hidden = in_chain.size === 0;
  for (const input of [of_worker, of_color, chain_only, window_only]) input.addEventListener("change", filter);
  by_id("search").addEventListener("input", filter);
  by_id("search").addEventListener("keydown", (event) => {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
  });
  by_id("next").addEventListener("click", () => step(1));
  by_id("previous").addEventListener("click", () => step(-1));
}
