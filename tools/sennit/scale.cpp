// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/scale.hpp"

#include "engine/simulate.hpp"
#include "machine/machine_file.hpp"
#include "tools/output.hpp"
#include "tools/sennit/page.hpp"
#include "tools/sennit/progress.hpp"
#include "tools/sennit/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <utility>

namespace command {
namespace {

namespace sim = sennit::sim;
using nlohmann::ordered_json;

double seconds(double picoseconds) { return picoseconds * 1e-12; }
double seconds(sim::picoseconds time) { return seconds(static_cast<double>(time)); }

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }
double share_of_work(const sim::construct& c, const scale_report& r) {
  return share(static_cast<double>(c.strands), static_cast<double>(r.limits.all.work));
}
double share_of_span(const sim::construct& c, const scale_report& r) {
  return share(c.on_path, static_cast<double>(r.limits.all.span));
}

std::string percent(double part) { return fmt::format("{:.{}f}%", 100 * part, part < 0.0995 ? 1 : 0); }
std::string times(double factor) {
  return fmt::format("{:.{}f}", factor, factor < 9.995 ? 2 : factor < 99.95 ? 1 : 0);
}

// The whole program's, against what it takes now.
double speedup(const sim::work_and_span& changed, const scale_report& r) {
  return share(static_cast<double>(r.limits.all.work),
               static_cast<double>(std::max<sim::picoseconds>(1, changed.span)));
}

std::string where(const sim::construct& c, const program_trace& t) {
  const std::string line = t.named(c.site).line;
  return line.empty() ? "" : fmt::format(" at {}", line);
}

// What a steal costs between cores that are as far from each other as they can be, with what waking a sleeper takes.
sim::picoseconds burden_of(const sim::machine& m) {
  const sim::distance far = m.where.nodes() > 1    ? sim::distance::other_node
                            : m.where.caches() > 1 ? sim::distance::same_node
                                                   : sim::distance::same_cache;
  return m.costs.steal_hit.at(far) + 2 * m.costs.transfer.at(far) + m.costs.strand + m.costs.wake_latency;
}

std::vector<curve_point> curve_of(const scale_report& r, const sim::machine& on,
                                  const scale_options& options) {
  std::vector<curve_point> curve;
  std::vector<unsigned> counts;
  for (unsigned workers = 1; workers < on.where.cores(); workers *= 2) counts.push_back(workers);
  counts.push_back(on.where.cores());
  progress shown;
  double alone = 0;
  // More workers take longer to simulate, which is worth so much.
  constexpr std::chrono::seconds most{10};
  bool quick = true;
  for (const unsigned workers : counts) {
    const auto begin = std::chrono::steady_clock::now();
    curve_point p{workers, r.limits.least_speedup(workers), std::nullopt, r.limits.most_speedup(workers)};
    if (options.simulate && quick) {
      shown.detail(fmt::format("simulating {} workers", workers));
      sim::options how;
      how.workers = workers;
      how.seed = options.seed;
      const sim::run_result run = sim::simulate(r.trace.made.what, on, how);
      const auto makespan = static_cast<double>(std::max<sim::picoseconds>(1, run.makespan));
      if (workers == 1) alone = makespan;
      p.simulated = alone / makespan;
    }
    curve.push_back(p);
    quick = quick && std::chrono::steady_clock::now() - begin < most;
  }
  shown.clear();
  return curve;
}

// The first number of workers that is as good as any.
std::string enough(const scale_report& r) {
  const auto value = [](const curve_point& p) { return p.simulated.value_or(p.most); };
  double best = 0;
  for (const curve_point& p : r.curve) best = std::max(best, value(p));
  constexpr double nearly = 0.95;
  const auto first =
      std::ranges::find_if(r.curve, [&](const curve_point& p) { return value(p) >= nearly * best; });
  if (first == r.curve.end() || first + 1 == r.curve.end())
    return fmt::format("It gains from all {} workers.", show_count(r.curve.back().workers));
  return first->workers == 1
             ? "It gains nothing from more than one worker."
             : fmt::format("It gains next to nothing from more than {} workers.", show_count(first->workers));
}

std::vector<std::string> findings_of(const scale_report& r) {
  std::vector<std::string> found{enough(r)};
  constexpr double much = 0.2;
  if (!r.limits.constructs.empty()) {
    const sim::construct& worst = r.limits.constructs.front();
    if (const double part = share_of_span(worst, r); part >= much) {
      std::string sentence = fmt::format("{} of the span are strands of {}{}", percent(part),
                                         name_of(worst, r.trace), where(worst, r.trace));
      if (worst.parallel) {
        sentence += fmt::format(
            ": at most {} times as fast now, {} times if they were parallel, {} times if they took half "
            "the time",
            times(r.limits.all.parallelism()), times(speedup(*worst.parallel, r)),
            times(speedup(*worst.twice_as_fast, r)));
      }
      found.push_back(sentence + ".");
    }
  }
  const auto most = std::ranges::max_element(r.limits.constructs, {}, &sim::construct::burden);
  const auto burdened = static_cast<double>(r.limits.burdened_span);
  if (most != r.limits.constructs.end() && most->burden > much * burdened) {
    found.push_back(fmt::format(
        "{} of the burdened span are steals from {}{}: they are worth it only if what is forked takes "
        "longer than {}.",
        percent(most->burden / burdened), name_of(*most, r.trace), where(*most, r.trace),
        show_seconds(seconds(r.limits.costs.burden))));
  }
  constexpr double little = 0.01;
  const auto outside = static_cast<double>(r.trace.made.outside);
  if (outside > little * static_cast<double>(r.limits.all.work)) {
    found.push_back(fmt::format(
        "{} of the work is outside of regions, from the first one's beginning to the last one's end: it "
        "counts as serial.",
        percent(share(outside, static_cast<double>(r.limits.all.work)))));
  }
  return found;
}

ordered_json construct_json(const sim::construct& c, const scale_report& r) {
  const site at = r.trace.named(c.site);
  ordered_json out{{"name", name_of(c, r.trace)},
                   {"function", at.function},
                   {"line", at.line},
                   {"count", c.count},
                   {"strands_s", seconds(c.strands)},
                   {"estimated_s", seconds(r.trace.made.estimated[c.site])},
                   {"share_of_work", share_of_work(c, r)},
                   {"share_of_span", share_of_span(c, r)},
                   {"parallelism", c.all.parallelism()},
                   {"share_of_burdened_span", share(c.burden, static_cast<double>(r.limits.burdened_span))}};
  if (c.parallel) {
    out["if_twice_as_fast"] = {{"span_s", seconds(c.twice_as_fast->span)},
                               {"most_speedup", speedup(*c.twice_as_fast, r)}};
    out["if_parallel"] = {{"span_s", seconds(c.parallel->span)}, {"most_speedup", speedup(*c.parallel, r)}};
  }
  return out;
}

ordered_json data_of(const scale_report& r) {
  ordered_json out{{"name", r.name},
                   {"program", r.trace.events.program},
                   {"traced_workers", r.trace.events.workers},
                   {"machine", r.machine},
                   {"work_s", seconds(r.limits.all.work)},
                   {"span_s", seconds(r.limits.all.span)},
                   {"burdened_span_s", seconds(r.limits.burdened_span)},
                   {"parallelism", r.limits.all.parallelism()},
                   {"burdened_parallelism", r.limits.burdened_parallelism()},
                   {"fork_s", seconds(r.limits.costs.fork)},
                   {"burden_s", seconds(r.limits.costs.burden)},
                   {"outside_s", seconds(r.trace.made.outside)}};
  out["curve"] = ordered_json::array();
  for (const curve_point& p : r.curve) {
    ordered_json point{{"workers", p.workers}, {"least", p.least}, {"most", p.most}};
    if (p.simulated) point["simulated"] = *p.simulated;
    out["curve"].push_back(std::move(point));
  }
  out["constructs"] = ordered_json::array();
  for (const sim::construct& c : r.limits.constructs) out["constructs"].push_back(construct_json(c, r));
  out["findings"] = r.findings;
  out["remarks"] = r.trace.remarks;
  return out;
}

std::string curve_text(const scale_report& r) {
  table lines({"workers", "at least", "simulated", "at most"},
              {table::right, table::right, table::right, table::right});
  for (const curve_point& p : r.curve)
    lines.add(
        {show_count(p.workers), times(p.least), p.simulated ? times(*p.simulated) : "-", times(p.most)});
  return lines.str();
}

std::string constructs_text(const scale_report& r) {
  constexpr std::size_t most = 12;
  table lines({"", "line", "times", "of the work", "of the span", "parallelism", "twice as fast", "parallel"},
              {table::left, table::left, table::right, table::right, table::right, table::right, table::right,
               table::right});
  for (const sim::construct& c :
       std::span(r.limits.constructs).first(std::min(most, r.limits.constructs.size()))) {
    const bool estimated = r.trace.made.estimated[c.site] > 0;
    lines.add({name_of(c, r.trace) + (estimated ? " (estimated)" : ""), r.trace.named(c.site).line,
               show_count(c.count), percent(share_of_work(c, r)), percent(share_of_span(c, r)),
               c.count == 0 ? "-" : times(c.all.parallelism()),
               c.twice_as_fast ? times(speedup(*c.twice_as_fast, r)) : "-",
               c.parallel ? times(speedup(*c.parallel, r)) : "-"});
  }
  return lines.str();
}

}  // namespace

std::string name_of(const sim::construct& c, const program_trace& t) {
  const site at = t.named(c.site);
  const bool section = t.made.origins[c.site].name != 0;
  const std::string in = at.function.empty() ? "" : " in " + at.function;
  switch (c.what) {
    case sim::part::fork: return "fork" + in;
    case sim::part::loop: return "loop" + in;
    case sim::part::spawn: return "group" + in;
    case sim::part::graph: return "graph" + in;
    case sim::part::splice: return "splice" + in;
    case sim::part::series: return section ? "section " + at.function : "region" + in;
    case sim::part::work:
    case sim::part::wait: break;
  }
  return !section && t.made.origins[c.site].site == 0 && c.site != 0 ? at.function : "strands" + in;
}

scale_report scale_report_of(const scale_options& options) {
  const sim::machine on = sim::find_machine(options.machine);
  if (on.network.ranks > 1) {
    throw std::runtime_error(
        fmt::format("the machine {} has {} ranks, and a trace is of one; name a machine of one rank", on.name,
                    on.network.ranks));
  }
  scale_report r;
  r.name = std::filesystem::path(options.file).filename().string();
  r.trace = load_program_trace(options.file);
  r.machine = on.name;
  r.limits = sim::scale(r.trace.made.what, {.fork = on.costs.fork, .burden = burden_of(on)});
  r.curve = curve_of(r, on, options);
  r.findings = findings_of(r);
  return r;
}

std::string text(const scale_report& r) {
  const sim::scalability& s = r.limits;
  table figures({"", "", ""}, {table::left, table::right, table::left});
  figures.add({"work", show_seconds(seconds(s.all.work)), "on one worker"});
  figures.add({"span", show_seconds(seconds(s.all.span)), "with a worker for all that could run"});
  figures.add(
      {"burdened span", show_seconds(seconds(s.burdened_span)),
       fmt::format("if each fork on the way takes a steal, of {}", show_seconds(seconds(s.costs.burden)))});
  figures.add({"parallelism", times(s.all.parallelism()),
               fmt::format("work by span; burdened {}", times(s.burdened_parallelism()))});
  const std::string lines = figures.str();
  std::string out = fmt::format("{}: {}, {} events on {} worker{}\n{}\nSpeed-up on {}:\n{}\n", r.name,
                                r.trace.events.program.empty() ? "a program" : r.trace.events.program,
                                show_count(r.trace.events.events.size()), r.trace.events.workers,
                                r.trace.events.workers == 1 ? "" : "s", lines.substr(lines.find('\n') + 1),
                                r.machine, curve_text(r));
  out += fmt::format("What is on the critical path, and how many times as fast the program could be at most, "
                     "now {}, if that took\n"
                     "half the time or were parallel:\n{}\n",
                     times(s.all.parallelism()), constructs_text(r));
  for (const std::string& sentence : r.findings) out += sentence + "\n";
  for (const std::string& sentence : r.trace.remarks) out += sentence + "\n";
  return out;
}

std::string json_of(const scale_report& r) {
  return data_of(r).dump(1, ' ', true, ordered_json::error_handler_t::replace) + "\n";
}

std::string page(const scale_report& r) {
  ordered_json data = data_of(r);
  data["picture"] = speedup_curve(r.curve, fmt::format("Speed-up of {} on {}", r.name, r.machine));
  return page_with(scale_page_template, data);
}

void show_scale(const scale_options& options) {
  const tools::outputs to({options.json, options.html, options.svg}, {options.file});
  const scale_report r = scale_report_of(options);
  fmt::print(to.messages(), "{}", text(r));
  if (!options.json.empty()) to.save(options.json, json_of(r));
  if (!options.svg.empty())
    to.save(options.svg, speedup_curve(r.curve, fmt::format("Speed-up of {} on {}", r.name, r.machine)));
  if (!options.html.empty()) to.save(options.html, page(r), "; open it in a browser.");
}

}  // namespace command
