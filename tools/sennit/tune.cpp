#include "tools/sennit/tune.hpp"

#include "tools/output.hpp"
#include "tools/sennit/measure.hpp"
#include "tools/sennit/progress.hpp"
#include "tools/sennit/records.hpp"
#include "tools/sennit/table.hpp"

#include <sennit/runtime.hpp>
#include <sennit/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>
#include <string_view>

namespace command {
namespace {

using nlohmann::ordered_json;
using sennit::beat_source_kind;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

constexpr beat_source_kind sources[] = {beat_source_kind::posix_timers, beat_source_kind::perf_events,
                                        beat_source_kind::ping_thread, beat_source_kind::polled};
constexpr microseconds periods[] = {microseconds(500), microseconds(100), microseconds(50), microseconds(20)};
// A source that misses more of its beats is not recommended.
constexpr double least_rate = 0.95;
// If workers had a CPU for a smaller share of the time, other programs are running.
constexpr double quiet = 0.9;
constexpr double share_for_promotions = 0.1;  // of the seconds that may be used

std::string_view name(beat_source_kind kind) {
  switch (kind) {
    case beat_source_kind::posix_timers: return "posix_timers";
    case beat_source_kind::ping_thread: return "ping_thread";
    case beat_source_kind::perf_events: return "perf_events";
    case beat_source_kind::polled: return "polled";
    case beat_source_kind::automatic: break;
  }
  return "automatic";
}

long as_us(nanoseconds period) { return std::chrono::duration_cast<microseconds>(period).count(); }

// Rounds up to a multiple of 5 us, and limits to what beats_options allows.
nanoseconds rounded_up(double us) {
  constexpr double step = 5;
  const microseconds whole(static_cast<long>(std::ceil(us / step - 1e-9) * step));
  return std::clamp(nanoseconds(whole), sennit::beats_options::least_period,
                    sennit::beats_options::most_period);
}

std::string show_interval(const std::vector<double>& samples, const char* format, const char* unit) {
  if (samples.empty()) return "no beat came";
  const interval around = interval_of_median(samples);
  const auto digits = [&](double value) { return fmt::format(fmt::runtime(format), value); };
  return fmt::format("{}{} [{}, {}]", digits(median(samples)), unit, digits(around.low), digits(around.high));
}

class tuning {
 public:
  explicit tuning(const tune_options& options)
      : options_(options), workers_(sennit::runtime({.workers = options.workers}).workers()) {
    counts_.push_back(1);
    if (workers_ > 1) counts_.push_back(workers_);
  }

  void measure() {
    const auto cells = std::size(sources) * std::size(periods) * counts_.size();
    constexpr unsigned pairs = 5;
    const nanoseconds slice(static_cast<long>(options_.seconds * (1 - share_for_promotions) * 1e9 /
                                              static_cast<double>(cells * 2 * pairs)));
    for (const beat_source_kind source : sources) {
      shown_.step(fmt::format("measuring {}", name(source)));
      try {
        for (const unsigned workers : counts_) {
          for (const nanoseconds period : periods) {
            shown_.detail(fmt::format("measuring {} every {} us on {}", name(source), as_us(period),
                                      show_workers(workers)));
            measured_.push_back(
                {source, period, workers, measure_beats({source, period, workers, slice, pairs})});
          }
        }
      } catch (const std::exception& refusal) {
        std::string_view why = refusal.what();
        constexpr std::string_view by_whom = "sennit: no beats: ";
        if (why.starts_with(by_whom)) why.remove_prefix(by_whom.size());
        refusals_ += fmt::format("{}\n", why);
      }
    }
    shown_.step("measuring promotions");
    const nanoseconds budget(static_cast<long>(options_.seconds * share_for_promotions * 1e9 / 2));
    children_us_ = measure_children(budget);
    stolen_us_ = measure_stolen_forks(workers_, budget);
    shown_.clear();
  }

  void print(std::FILE* to) const {
    table lines(
        {"source", "workers", "period", "rate reached", "jitter p50", "p99", "cost of a beat", "slow-down"},
        {table::left, table::right, table::right, table::right, table::right, table::right, table::right,
         table::right});
    for (const tuned& t : measured_) {
      const beat_measurement& m = t.measured;
      lines.add({std::string(name(t.source)), std::to_string(t.workers),
                 fmt::format("{} us", as_us(t.period)), fmt::format("{:.1f}%", 100 * m.rate_reached),
                 fmt::format("{:.1f} us", m.jitter_p50_us), fmt::format("{:.1f} us", m.jitter_p99_us),
                 show_interval(m.us_per_beat, "{:.2f}", " us"), show_interval(m.slow_down, "{:.3f}", "")});
    }
    fmt::print(to, "{}\n\n{}", machine_name(), lines.str());
    if (!refusals_.empty()) fmt::print(to, "\nrefused:\n{}", refusals_);
    fmt::print(to, "\nA fork that another worker takes: {}. A child of a group: {}.\n",
               stolen_us_.empty() ? "not measured, as there is one worker"
                                  : show_interval(stolen_us_, "{:.2f}", " us"),
               show_interval(children_us_, "{:.3f}", " us"));
    fmt::print(to, "Medians of pairs of slices, beaten and not, with their 95% intervals.\n\n");
    if (const double had = had_cpu(); had < quiet) {
      fmt::print(
          to,
          "The machine is busy: the workers had a CPU for {:.0f}% of the time, so all of this is rough.\n"
          "Once more when nothing else runs, or with fewer --workers?\n\n",
          100 * had);
    }
    const double cost = promotion_us();
    fmt::print(to,
               "Promotions take at most {}% of the time, where no beats are needed, with\n\n"
               "  SENNIT_PROMOTION=heartbeat:{}us\n\n",
               options_.share, as_us(period_without_beats(cost, options_.share)));
    if (const auto chosen = choose(measured_, cost, options_.share)) {
      fmt::print(to, "With beats, whose cost counts, too, set\n\n  SENNIT_BEAT={}us,{}\n",
                 as_us(chosen->period), name(chosen->source));
    } else {
      fmt::print(
          to, "No source reaches {:.0f}% of a rate that was asked for: set SENNIT_BEAT=polled, and poll.\n",
          100 * least_rate);
    }
  }

  std::string records() const {
    std::vector<std::string> lines;
    const auto add = [&](const ordered_json& parameters, std::string_view kernel, std::string_view variant,
                         unsigned workers, const char* metric, const char* unit,
                         const std::vector<double>& samples) {
      if (samples.empty()) return;
      lines.push_back(ordered_json{
          {"kernel", kernel},
          {"params", parameters},
          {"system", "sennit"},
          {"variant", variant},
          {"workers", workers},
          {"metric", metric},
          {"unit", unit},
          {"samples", samples},
          {"min", *std::min_element(samples.begin(), samples.end())},
          {"median", median(samples)},
          {"ok", true}}.dump());
    };
    for (const tuned& t : measured_) {
      const ordered_json period{{"period_us", as_us(t.period)}};
      const beat_measurement& m = t.measured;
      const auto one = [&](const char* metric, const char* unit, const std::vector<double>& samples) {
        add(period, "beat", name(t.source), t.workers, metric, unit, samples);
      };
      one("rate_reached", "ratio", {m.rate_reached});
      one("jitter_p50", "us", {m.jitter_p50_us});
      one("jitter_p99", "us", {m.jitter_p99_us});
      one("us_per_beat", "us", m.us_per_beat);
      one("had_cpu", "ratio", {m.had_cpu});
      one("over_serial", "ratio", m.slow_down);
    }
    add(ordered_json::object(), "promotion", "stolen fork", workers_, "us_per_promotion", "us", stolen_us_);
    add(ordered_json::object(), "promotion", "child", 1, "us_per_promotion", "us", children_us_);
    ordered_json chosen{
        {"share", options_.share / 100},
        {"period_without_beats_us", as_us(period_without_beats(promotion_us(), options_.share))},
        {"set", nullptr}};
    if (const auto c = choose(measured_, promotion_us(), options_.share))
      chosen["set"] = fmt::format("SENNIT_BEAT={}us,{}", as_us(c->period), name(c->source));
    return fmt::format("{{\n\"suite\": \"tune\",\n\"version\": \"{}\",\n\"machine\": {},\n"
                       "\"choice\": {},\n\"results\": [\n{}\n]\n}}\n",
                       sennit::version(), machine_record(), chosen.dump(), fmt::join(lines, ",\n"));
  }

 private:
  double had_cpu() const {
    double least = 1;
    for (const tuned& t : measured_) least = std::min(least, t.measured.had_cpu);
    return least;
  }

  // The cost of a stolen fork, if there is more than one worker.
  double promotion_us() const { return median(stolen_us_.empty() ? children_us_ : stolen_us_); }

  static std::string show_workers(unsigned workers) {
    return workers == 1 ? "1 worker" : fmt::format("{} workers", workers);
  }

  const tune_options options_;
  const unsigned workers_;
  std::vector<unsigned> counts_;
  std::vector<tuned> measured_;
  std::string refusals_;
  std::vector<double> stolen_us_;
  std::vector<double> children_us_;
  progress shown_;
};

}  // namespace

nanoseconds period_without_beats(double promotion_us, double share) {
  constexpr nanoseconds most = std::chrono::seconds(1);  // the limit of heartbeat()
  return std::min(rounded_up(promotion_us / (share / 100)), most);
}

std::optional<choice> choose(const std::vector<tuned>& measured, double promotion_us, double share) {
  unsigned most_workers = 0;
  for (const tuned& t : measured) most_workers = std::max(most_workers, t.workers);
  std::optional<choice> best;
  for (const beat_source_kind source : sources) {
    if (source == beat_source_kind::polled) continue;  // only the program can choose it
    // From the measured period that is nearest to the period which results from its own cost.
    double nearest = std::numeric_limits<double>::max();
    std::optional<nanoseconds> period;
    for (const tuned& t : measured) {
      if (t.source != source || t.workers != most_workers || t.measured.us_per_beat.empty()) continue;
      const double beat_us = std::max(median(t.measured.us_per_beat), 0.0);
      const nanoseconds wanted = rounded_up((beat_us + promotion_us) / (share / 100));
      const double apart =
          std::abs(std::log(static_cast<double>(wanted.count()) / static_cast<double>(t.period.count())));
      if (apart >= nearest) continue;
      nearest = apart;
      period = t.measured.rate_reached >= least_rate ? std::optional(wanted) : std::nullopt;
    }
    if (period && (!best || *period < best->period)) best = choice{*period, source};
  }
  return best;
}

void tune(const tune_options& options) {
  const tools::outputs to({options.json}, {});
  tuning t(options);
  t.measure();
  t.print(to.messages());
  if (!options.json.empty()) tools::write_file(options.json, t.records());
}

}  // namespace command
