// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/lanes.hpp"

#include "tools/sennit/lanes_of_ranks.hpp"
#include "tools/sennit/page.hpp"
#include "tools/sennit/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace command {
namespace {

namespace sim = sennit::sim;
using nlohmann::json;

constexpr std::string_view kinds[] = {"work", "section", "leaf", "child", "overhead", "outside"};

// As a wait of no group, which no trace has otherwise.
constexpr std::uint64_t outside = ~std::uint64_t{0};

sim::trace_event as_event(const sim::trace_outside_wait& w) {
  sim::trace_event e;
  e.begin = w.begin;
  e.length = w.length;
  e.a = outside;
  e.worker = w.worker;
  e.name = w.name;
  e.what = sim::traced::wait;
  return e;
}

lane_kind kind_of(const sim::trace_event& e) {
  switch (e.what) {
    case sim::traced::named: return lane_kind::section;
    case sim::traced::leaf:
    case sim::traced::loop:
    case sim::traced::brief: return lane_kind::leaf;
    case sim::traced::child:
    case sim::traced::right:
    case sim::traced::node: return lane_kind::child;
    case sim::traced::wait: return e.a == outside ? lane_kind::outside : lane_kind::overhead;
    default: return lane_kind::work;
  }
}

std::string name_of(const sim::trace_event& e, const program_trace& t, std::uint32_t site) {
  const std::string& user = t.events.names[e.name];
  const std::string in = site == 0 || t.sites[site].function.empty() ? "" : " in " + t.sites[site].function;
  switch (e.what) {
    case sim::traced::region: return "region" + in;
    case sim::traced::fork: return "left branch" + in;
    case sim::traced::right: return "right branch" + in;
    case sim::traced::loop: return "loop" + in;
    case sim::traced::leaf: return fmt::format("loop{}, {} to {}", in, e.a, e.b);
    case sim::traced::child: return "child" + in;
    case sim::traced::wait: return e.a == outside ? user : "wait";
    case sim::traced::brief: return "brief constructs" + in;
    case sim::traced::named: return user.empty() ? "section" : user;
    case sim::traced::graph: return "graph" + in;
    case sim::traced::node: return user.empty() || user == "node" ? "node" + in : user;
  }
  return "";
}

struct body_sum {
  std::string name;
  std::string line;
  std::uint64_t pieces = 0;
  sim::picoseconds time = 0;
};

// By time, those that take most; a leaf without its iterations.
std::vector<body_sum> sums_of(const lanes& l, bool with_overhead, std::size_t most) {
  std::map<std::pair<std::string_view, std::string_view>, body_sum> sums;
  for (const lane_slice& s : l.slices) {
    if (!is_busy(s.kind) && !with_overhead) continue;
    const std::string_view whole = s.name;
    const std::string_view name = s.kind == lane_kind::leaf ? whole.substr(0, whole.find(", ")) : whole;
    body_sum& sum = sums[{name, s.line}];
    ++sum.pieces;
    sum.time += s.end - s.begin;
  }
  std::vector<body_sum> sorted;
  for (auto& [key, sum] : sums)
    sorted.push_back({std::string(key.first), std::string(key.second), sum.pieces, sum.time});
  std::ranges::sort(sorted, std::greater{}, &body_sum::time);
  if (sorted.size() > most) sorted.resize(most);
  return sorted;
}

double seconds(sim::picoseconds time) { return static_cast<double>(time) * 1e-12; }

}  // namespace

std::vector<std::string> worker_names(unsigned workers) {
  std::vector<std::string> names;
  for (unsigned w = 0; w < workers; ++w) names.push_back(fmt::format("worker {}", w));
  return names;
}

std::map<std::uint32_t, std::uint32_t> other_lanes(const sim::trace& t) {
  std::map<std::uint32_t, std::uint32_t> others;
  const auto add = [&](std::uint32_t thread) {
    if (thread >= t.workers) others.emplace(thread, 0);
  };
  for (const sim::trace_event& e : t.events) add(e.worker);
  for (const sim::trace_outside_wait& w : t.outside_waits) add(w.worker);
  for (const sim::trace_message& m : t.messages) add(m.worker);
  std::uint32_t next = t.workers;
  for (auto& [thread, lane] : others) lane = next++;
  return others;
}

lanes lanes_of(const program_trace& t, const std::string& title) {
  std::vector<sim::trace_event> with_waits;
  if (!t.events.outside_waits.empty()) {
    with_waits = t.events.events;
    for (const sim::trace_outside_wait& w : t.events.outside_waits) with_waits.push_back(as_event(w));
  }
  const std::vector<sim::trace_event>& events = with_waits.empty() ? t.events.events : with_waits;
  lanes found{title, worker_names(t.events.workers), 0, {}};
  const std::map<std::uint32_t, std::uint32_t> others = other_lanes(t.events);
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    found.length = std::max(found.length, events[i].end());
    if (events[i].id != 0) numbers.emplace(events[i].id, i);
    order.push_back(i);
  }
  for (const auto& [thread, lane] : others) {
    found.names.push_back(others.size() == 1 ? "outside" : fmt::format("outside {}", thread));
  }
  const auto lane_of = [&](const sim::trace_event& e) {
    const auto other = others.find(e.worker);
    return other == others.end() ? e.worker : other->second;
  };
  // A place of its own, or that of the construct around.
  const auto site_of = [&](const sim::trace_event& e) {
    const auto around = numbers.find(e.in);
    return e.site != 0 || around == numbers.end() ? e.site : events[around->second].site;
  };
  // By worker and begin, and what is around before what is in it.
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    const sim::trace_event& e = events[i];
    return std::tuple(e.worker, e.begin, ~e.length, e.in != 0, e.what != sim::traced::loop, i);
  });
  std::vector<std::uint32_t> open;
  sim::picoseconds now = 0;
  const auto until = [&](sim::picoseconds time) {
    if (open.empty() || time <= now) return;
    const sim::trace_event& e = events[open.back()];
    const std::uint32_t site = site_of(e);
    found.slices.push_back({lane_of(e), now, time, kind_of(e), name_of(e, t, site), t.sites[site].line});
  };
  const auto close = [&](sim::picoseconds time) {
    for (; !open.empty() && events[open.back()].end() <= time; open.pop_back()) {
      until(events[open.back()].end());
      now = std::max(now, events[open.back()].end());
    }
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const sim::trace_event& e = events[order[i]];
    if (i > 0 && events[order[i - 1]].worker != e.worker) {
      close(~sim::picoseconds{0});
      now = 0;
    }
    close(e.begin);
    until(e.begin);
    now = std::max(now, e.begin);
    open.push_back(order[i]);
  }
  close(~sim::picoseconds{0});
  return found;
}

std::vector<lane_slice> joined_slices(const lanes& l, std::size_t most) {
  std::vector<const lane_slice*> all;
  for (const lane_slice& s : l.slices) all.push_back(&s);
  std::ranges::sort(all, {}, [](const lane_slice* s) { return std::pair(s->lane, s->begin); });
  std::vector<lane_slice> found;
  if (all.size() <= most) {
    for (const lane_slice* s : all) found.push_back(*s);
    return found;
  }
  constexpr std::size_t fewest_columns = 50;
  const std::size_t columns = std::max(fewest_columns, most / (2 * std::max<std::size_t>(1, l.names.size())));
  const sim::picoseconds brief = l.length / columns + 1;
  std::array<lane_slice, std::size(kinds)> sums{};
  sim::picoseconds begin = 0;
  const auto end_group = [&] {
    for (lane_slice& sum : sums) {
      if (const sim::picoseconds time = std::exchange(sum.end, 0); time != 0) {
        sum.begin = begin;
        sum.end = begin += time;
        found.push_back(std::exchange(sum, {}));
      }
    }
  };
  const lane_slice* last = nullptr;
  for (const lane_slice* each : all) {
    const lane_slice& s = *each;
    const bool is_brief = s.end - s.begin < brief;
    if (last == nullptr || !is_brief || s.lane != last->lane || s.begin / brief != last->begin / brief) {
      end_group();
      begin = s.begin;
    }
    last = &s;
    if (!is_brief) {
      found.push_back(s);
      begin = s.end;
      continue;
    }
    lane_slice& sum = sums[static_cast<unsigned>(s.kind)];
    if (sum.end == 0) {
      sum = {s.lane, 0, 0, s.kind, s.name, s.line};
    } else if (sum.name != s.name || sum.line != s.line) {
      sum.name = "brief pieces";
      sum.line.clear();
    }
    sum.end += s.end - s.begin;
  }
  end_group();
  return found;
}

std::string page(const lanes& l) {
  constexpr std::size_t most = 60'000;
  const std::vector<lane_slice> shown = joined_slices(l, most);
  json data{{"name", l.title},
            {"lanes", l.names},
            {"length", l.length / sim::nanosecond},
            {"joined", shown.size() < l.slices.size()}};
  add_ranks(l, data);
  std::map<std::tuple<lane_kind, std::string, std::string>, std::size_t> names;
  data["names"] = json::array();
  data["slices"] = json::array();
  for (const lane_slice& s : shown) {
    const auto [name, is_new] = names.try_emplace({s.kind, s.name, s.line}, names.size());
    if (is_new) data["names"].push_back({kinds[static_cast<unsigned>(s.kind)], s.name, s.line});
    data["slices"].push_back({s.lane, s.begin / sim::nanosecond, s.end / sim::nanosecond, name->second});
  }
  std::vector<sim::picoseconds> busy(l.names.size());
  for (const lane_slice& s : l.slices)
    if (is_busy(s.kind)) busy[s.lane] += s.end - s.begin;
  for (const sim::picoseconds b : busy) data["busy"].push_back(b / sim::nanosecond);
  constexpr std::size_t most_sums = 200;
  data["sums"] = json::array();
  for (const body_sum& sum : sums_of(l, true, most_sums))
    data["sums"].push_back({sum.name, sum.line, sum.pieces, sum.time / sim::nanosecond});
  return page_with(lanes_page_template, data);
}

std::string lane_events(const lanes& l) {
  const auto line = [](const json& event) {
    return event.dump(-1, ' ', true, json::error_handler_t::replace);
  };
  const auto microseconds = [](sim::picoseconds time) { return static_cast<double>(time) * 1e-6; };
  std::string out =
      "[\n" + line({{"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"args", {{"name", l.title}}}});
  for (unsigned w = 0; w < l.names.size(); ++w) {
    out +=
        ",\n" +
        line(
            {{"name", "thread_name"}, {"ph", "M"}, {"pid", 1}, {"tid", w}, {"args", {{"name", l.names[w]}}}});
  }
  for (const lane_slice& s : l.slices) {
    json event{{"name", s.name},
               {"cat", kinds[static_cast<unsigned>(s.kind)]},
               {"ph", "X"},
               {"pid", 1},
               {"tid", s.lane},
               {"ts", microseconds(s.begin)},
               {"dur", microseconds(s.end - s.begin)}};
    if (!s.line.empty()) event["args"] = {{"line", s.line}};
    out += ",\n" + line(event);
  }
  return out + "\n]\n";
}

std::string text(const lanes& l) {
  std::vector<sim::picoseconds> busy(l.names.size());
  for (const lane_slice& s : l.slices)
    if (is_busy(s.kind)) busy[s.lane] += s.end - s.begin;
  table workers({"", "busy", ""}, {table::left, table::right, table::right});
  for (unsigned w = 0; w < l.names.size(); ++w) {
    workers.add({l.names[w], show_seconds(seconds(busy[w])),
                 fmt::format("{:.1f}%", l.length == 0 ? 0
                                                      : 100 * static_cast<double>(busy[w]) /
                                                            static_cast<double>(l.length))});
  }
  // Where each rank has one lane, it has been told what that did.
  const std::string of_workers = l.ranks.size() == l.names.size() ? "" : workers.str() + "\n";
  constexpr std::size_t most = 20;
  table bodies({"", "line", "pieces", "time"}, {table::left, table::left, table::right, table::right});
  for (const body_sum& sum : sums_of(l, false, most))
    bodies.add({sum.name, sum.line, show_count(sum.pieces), show_seconds(seconds(sum.time))});
  return fmt::format("{}: {} long\n\n{}{}{}", l.title, show_seconds(seconds(l.length)),
                     text_of_ranks(l, busy), of_workers, bodies.str());
}

}  // namespace command
