// SPDX-License-Identifier: Apache-2.0
const data = JSON.parse(document.getElementById("data").textContent);
const by_id = (id) => document.getElementById(id);
const make = (tag, attributes = {}, ...inside) => {
  const element = tag.startsWith("svg:") ?
      document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4)) :
      document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
};

const unit_of = (ns) => [["s", 1e9], ["ms", 1e6], ["µs", 1e3]].find(([, size]) => ns >= size) ?? ["ns", 1];
const duration = (ns) => {
  const [unit, size] = unit_of(ns);
  return `${Number((ns / size).toPrecision(3))} ${unit}`;
};
const percent = (part) => `${(100 * part).toFixed(part < 0.1 ? 1 : 0)}%`;

// Head
const figure = (value, what) =>
    by_id("figures").append(make("li", {}, make("b", {}, String(value)), make("span", {}, what)));
const part_of = (part, whole) => Number(whole) > 0 ? percent(part / whole) : "–";

// Timeline: what is shown of [0, 1e6], so that zooming is a matter of the view. Each page has its show_view().
const lane = 24, gap = 4, whole = 1e6;
const plot = by_id("plot"), axis = by_id("axis");
// How much time the whole view is: that of the longer one, where two runs are compared.
const scale = Math.max(data.length, data.against?.run?.length ?? 0);
const across = (ns) => whole * ns / scale;
let view = {from: 0, size: whole};
function clamp_view(most) {
  view.size = Math.min(whole, Math.max(whole / most, view.size));
  view.from = Math.min(whole - view.size, Math.max(0, view.from));
}
function draw_axis(width) {
  axis.setAttribute("viewBox", `0 0 ${width} ${lane}`);
  const ns_shown = scale * view.size / whole, first = scale * view.from / whole;
  const least = ns_shown / Math.max(2, width / 110), power = 10 ** Math.floor(Math.log10(least));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= least);
  const [unit, size] = unit_of(first + ns_shown),
               decimals = Math.max(0, -Math.floor(Math.log10(step / size)));
  const ticks = [];
  for (let at = Math.ceil(first / step) * step; at <= first + ns_shown; at += step) {
    const x = width * (at - first) / ns_shown;
    const anchor = x < 20 ? "start" : x > width - 24 ? "end" : "middle";
    ticks.push(
        make("svg:line", {x1: x, x2: x, y1: lane - 5, y2: lane}),
        make(
            "svg:text", {x, y: lane - 9, "text-anchor": anchor}, `${(at / size).toFixed(decimals)} ${unit}`));
  }
  axis.replaceChildren(...ticks);
}
function zoom(factor, at = 0.5) {
  const fixed = view.from + at * view.size;
  view.size = Math.min(whole, view.size * factor);
  view.from = fixed - at * view.size;
  show_view();
}
function listen_for_zoom(clicked) {
  by_id("closer").addEventListener("click", () => zoom(0.5));
  by_id("farther").addEventListener("click", () => zoom(2));
  by_id("all").addEventListener("click", () => {
    view = {from: 0, size: whole};
    show_view();
  });
  plot.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = plot.getBoundingClientRect();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      view.from += view.size * (event.deltaX || event.deltaY) / box.width;
      show_view();
    } else {
      zoom(Math.exp(event.deltaY / 400), (event.clientX - box.left) / box.width);
    }
  }, {passive: false});
  let grip = null;
  plot.addEventListener("pointerdown", (event) => {
    grip = {x: event.clientX, from: view.from, moved: false};
  });
  window.addEventListener("pointermove", (event) => {
    if (!grip) return;
    grip.moved ||= Math.abs(event.clientX - grip.x) > 3;
    view.from = grip.from - view.size * (event.clientX - grip.x) / plot.clientWidth;
    show_view();
  });
  window.addEventListener("pointerup", (event) => {
    if (grip && !grip.moved) clicked(event);
    grip = null;
  });
}
