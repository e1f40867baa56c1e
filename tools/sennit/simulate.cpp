// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/simulate.hpp"

#include "engine/simulate.hpp"
#include "machine/machine_file.hpp"
#include "tools/output.hpp"
#include "tools/sennit/lanes.hpp"
#include "tools/sennit/progress.hpp"
#include "tools/sennit/table.hpp"
#include "tools/sennit/trace_events.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

namespace command {
namespace {

namespace sim = sennit::sim;
using nlohmann::ordered_json;

// By sim::activity.
constexpr std::array<std::string_view, sim::activities> doing{
    "work",  "forks and joins", "searching for work", "steals", "waiting for barriers", "waking and parking",
    "asleep"};

double seconds(sim::picoseconds time) { return static_cast<double>(time) * 1e-12; }
double share(double part, double whole) { return whole > 0 ? part / whole : 0; }
std::string percent(double part) { return fmt::format("{:.1f}%", 100 * part); }

sim::picoseconds spent(const sim::run_result& r, unsigned activity) {
  sim::picoseconds all = 0;
  for (const sim::worker_result& w : r.workers) all += w.spent[activity];
  return all;
}

double share_of(const sim::run_result& r, unsigned activity) {
  return share(static_cast<double>(spent(r, activity)),
               static_cast<double>(r.makespan) * static_cast<double>(r.workers_used));
}

struct policy {
  std::string_view name;
  sim::options how;
};

std::vector<policy> policies_of(const simulate_options& options) {
  std::vector<policy> all{{"", options.engine}};
  if (!options.compare) return all;
  const auto add = [&](std::string_view name, auto change) {
    sim::options how = options.engine;
    change(how);
    how.timeline = false;
    all.push_back({name, how});
  };
  add("barriers", [](sim::options& how) { how.by = sim::steal::barrier; });
  add("fences", [](sim::options& how) { how.by = sim::steal::fence; });
  add("nearest victims", [](sim::options& how) { how.from = sim::victims::nearest; });
  add("loops along places", [](sim::options& how) { how.cut = sim::loops::places; });
  add("loops in halves", [](sim::options& how) { how.cut = sim::loops::halves; });
  add("paced promotion", [](sim::options& how) { how.how = sim::promotion::paced; });
  add("heartbeats", [](sim::options& how) { how.how = sim::promotion::heartbeat; });
  return all;
}

// All of them, before a run that may take long.
std::vector<sim::machine> machines_of(const simulate_options& options) {
  std::vector<sim::machine> machines;
  for (const std::string& name : options.machines) {
    const sim::machine& on = machines.emplace_back(sim::find_machine(name));
    if (on.network.ranks > 1) {
      throw std::runtime_error(
          fmt::format("the machine {} has {} ranks, and a trace is of one; name a machine of one rank",
                      on.name, on.network.ranks));
    }
    if (options.engine.workers > on.where.cores()) {
      throw std::runtime_error(
          fmt::format("the machine {} has {} cores, not {}; leave out --workers for all of them", on.name,
                      on.where.cores(), options.engine.workers));
    }
  }
  return machines;
}

std::vector<simulated_run> runs_of(const simulate_options& options, const sim::program& p) {
  std::vector<simulated_run> runs;
  progress shown;
  for (const sim::machine& on : machines_of(options)) {
    sim::options one = options.engine;
    one.workers = 1;
    one.timeline = false;
    shown.detail(fmt::format("simulating one worker of {}", on.name));
    const sim::picoseconds alone = sim::simulate(p, on, one).makespan;
    for (policy each : policies_of(options)) {
      each.how.timeline = each.how.timeline && runs.empty();  // that of the first run is shown
      shown.detail(fmt::format("simulating {} {}", on.name, each.name));
      runs.push_back({on.name, std::string(each.name), alone, sim::simulate(p, on, each.how)});
    }
  }
  shown.clear();
  return runs;
}

std::string name_of(const simulated_run& r) { return r.policy.empty() ? r.machine : "  " + r.policy; }

std::string details_of(const simulated_run& r) {
  table lines({fmt::format("{}: the workers' time", r.machine), "", ""},
              {table::left, table::right, table::right});
  for (unsigned a = 0; a < sim::activities; ++a) {
    lines.add(
        {std::string(doing[a]), show_seconds(seconds(spent(r.result, a))), percent(share_of(r.result, a))});
  }
  std::string out = lines.str();
  if (r.result.local_accesses + r.result.remote_accesses > 0) {
    out += fmt::format("{} accesses to memory, {} of them remote; {} of {} are moved from other nodes.\n",
                       show_count(r.result.local_accesses + r.result.remote_accesses),
                       show_count(r.result.remote_accesses), show_bytes(r.result.remote_bytes),
                       show_bytes(r.result.local_bytes + r.result.remote_bytes));
  }
  return out;
}

// Of a site's constructs: where its strands are in the colors of a timeline.
std::vector<lane_kind> kinds_of(const program_trace& t) {
  const sim::program& p = t.made.what;
  std::vector<lane_kind> kinds(p.sites(), lane_kind::work);
  for (sim::node_number n = 0; n < p.size(); ++n) {
    const sim::node& at = p.at(n);
    lane_kind& kind = kinds[at.site];
    if (at.what == sim::part::loop) kind = lane_kind::leaf;
    if (at.what == sim::part::fork || at.what == sim::part::spawn || at.what == sim::part::graph)
      kind = lane_kind::child;
  }
  for (std::uint32_t s = 0; s < p.sites(); ++s)
    if (t.made.origins[s].name != 0) kinds[s] = lane_kind::section;
  return kinds;
}

std::vector<lane_slice> slices_of(const sim::run_result& r, const program_trace& t) {
  std::vector<lane_slice> slices;
  const std::vector<lane_kind> kinds = kinds_of(t);
  for (const sim::slice& s : r.timeline) {
    const bool works = s.what == sim::activity::working;
    if (s.what == sim::activity::searching || s.what == sim::activity::asleep) continue;
    const site at = works ? t.named(s.site) : site{};
    slices.push_back({s.worker, s.begin, s.end, works ? kinds[s.site] : lane_kind::overhead,
                      works ? (at.function.empty() ? "work" : at.function)
                            : std::string(doing[static_cast<unsigned>(s.what)]),
                      at.line});
  }
  return slices;
}

}  // namespace

std::string text(const std::vector<simulated_run>& runs, const program_trace& t, const std::string& name) {
  table lines({"machine", "workers", "makespan", "speed-up", "steals", "in vain", "remote", "busy",
               "searching", "asleep"},
              {table::left, table::right, table::right, table::right, table::right, table::right,
               table::right, table::right, table::right, table::right});
  for (const simulated_run& r : runs) {
    const double accesses = static_cast<double>(r.result.local_accesses + r.result.remote_accesses);
    lines.add({name_of(r), show_count(r.result.workers_used), show_seconds(seconds(r.result.makespan)),
               fmt::format("{:.2f}", r.speedup()), show_count(r.result.steals),
               show_count(r.result.failed_steals),
               accesses > 0 ? percent(static_cast<double>(r.result.remote_accesses) / accesses)
                            : "not in the trace",
               percent(share_of(r.result, static_cast<unsigned>(sim::activity::working))),
               percent(share_of(r.result, static_cast<unsigned>(sim::activity::searching))),
               percent(share_of(r.result, static_cast<unsigned>(sim::activity::asleep)))});
  }
  std::string out = fmt::format("{}: {}, simulated\n{}\n", name,
                                t.events.program.empty() ? "a program" : t.events.program, lines.str());
  if (runs.size() == 1) out += details_of(runs.front());
  for (const std::string& sentence : t.remarks) out += sentence + "\n";
  return out;
}

std::string json_of(const std::vector<simulated_run>& runs, const program_trace& t, const std::string& name) {
  ordered_json out{
      {"name", name}, {"program", t.events.program}, {"remarks", t.remarks}, {"runs", ordered_json::array()}};
  for (const simulated_run& r : runs) {
    ordered_json run{{"machine", r.machine},
                     {"policy", r.policy.empty() ? "default" : r.policy},
                     {"workers", r.result.workers_used},
                     {"makespan_s", seconds(r.result.makespan)},
                     {"one_worker_s", seconds(r.alone)},
                     {"speedup", r.speedup()},
                     {"efficiency", r.result.efficiency()},
                     {"forks", r.result.forks},
                     {"steals", r.result.steals},
                     {"failed_steals", r.result.failed_steals},
                     {"wakes", r.result.wakes},
                     {"barriers", r.result.barriers},
                     {"promotions", r.result.promotions},
                     {"local_accesses", r.result.local_accesses},
                     {"remote_accesses", r.result.remote_accesses},
                     {"local_bytes", r.result.local_bytes},
                     {"remote_bytes", r.result.remote_bytes},
                     {"events", r.result.events}};
    for (unsigned a = 0; a < sim::activities; ++a)
      run["spent_s"][std::string(doing[a])] = seconds(spent(r.result, a));
    out["runs"].push_back(std::move(run));
  }
  return out.dump(1, ' ', true, ordered_json::error_handler_t::replace) + "\n";
}

void simulate_program(const simulate_options& options) {
  const tools::outputs to({options.trace_events, options.json, options.html}, {options.file});
  const std::string name = std::filesystem::path(options.file).filename().string();
  const program_trace t = load_program_trace(options.file);
  simulate_options asked = options;
  asked.engine.timeline = !options.trace_events.empty() || !options.html.empty();
  const std::vector<simulated_run> runs = runs_of(asked, t.made.what);
  fmt::print(to.messages(), "{}", text(runs, t, name));
  if (!options.json.empty()) to.save(options.json, json_of(runs, t, name));
  if (!asked.engine.timeline) return;
  const simulated_run& first = runs.front();
  const lanes shown{fmt::format("{} on {}", name, first.machine), worker_names(first.result.workers_used),
                    first.result.makespan, slices_of(first.result, t)};
  if (!options.trace_events.empty()) to.save(options.trace_events, lane_events(shown), trace_remark);
  if (!options.html.empty()) to.save(options.html, page(shown), "; open it in a browser.");
}

}  // namespace command
