// SPDX-License-Identifier: Apache-2.0
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
#include <numeric>
#include <stdexcept>
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
constexpr double quiet = 0.95;
// If the costs are so uncertain that the longest period is so many times the shortest one, and a few us more, nothing
// is proposed.
constexpr double most_uncertainty = 1.5;
constexpr nanoseconds rounding = microseconds(10);
constexpr unsigned most_attempts = 3;
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

  // Measures, and measures again as long as nothing can be proposed, a few times.
  void measure() {
    for (unsigned attempt = 1;; ++attempt) {
      measure_once();
      doubt_ = doubt(measured_, promotions_us(), options_.share);
      if (doubt_.empty() || attempt == most_attempts) return;
      shown_.step(fmt::format("measuring again, as {}", doubt_));
    }
  }

  // Empty if something has been proposed.
  const std::string& in_doubt() const { return doubt_; }

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
    if (doubt_.empty()) propose(to);
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
        {"share", options_.share / 100}, {"period_without_beats_us", nullptr}, {"set", nullptr}};
    if (!doubt_.empty()) {
      chosen["doubt"] = doubt_;
    } else {
      chosen["period_without_beats_us"] = as_us(period_without_beats(promotion_us(), options_.share));
    }
    if (const auto c = choose(measured_, promotions_us(), options_.share); c && doubt_.empty())
      chosen["set"] = fmt::format("SENNIT_BEAT={}us,{}", as_us(c->period), name(c->source));
    return fmt::format("{{\n\"suite\": \"tune\",\n\"version\": \"{}\",\n\"machine\": {},\n"
                       "\"choice\": {},\n\"results\": [\n{}\n]\n}}\n",
                       sennit::version(), machine_record(), chosen.dump(), fmt::join(lines, ",\n"));
  }

 private:
  void measure_once() {
    measured_.clear();
    refusals_.clear();
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

  // The cost of a stolen fork, if there is more than one worker.
  const std::vector<double>& promotions_us() const { return stolen_us_.empty() ? children_us_ : stolen_us_; }
  double promotion_us() const { return median(promotions_us()); }

  void propose(std::FILE* to) const {
    fmt::print(to,
               "Promotions take at most {}% of the time, where no beats are needed, with\n\n"
               "  SENNIT_PROMOTION=heartbeat:{}us\n\n",
               options_.share, as_us(period_without_beats(promotion_us(), options_.share)));
    if (const auto chosen = choose(measured_, promotions_us(), options_.share)) {
      fmt::print(to, "With beats, whose cost counts, too, set\n\n  SENNIT_BEAT={}us,{}\n\n{}",
                 as_us(chosen->period), name(chosen->source), governed(*chosen));
    } else {
      fmt::print(
          to, "No source reaches {:.0f}% of a rate that was asked for: set SENNIT_BEAT=polled, and poll.\n",
          100 * least_rate);
    }
  }

  // What the library's limit makes of the choice.
  std::string governed(const choice& c) const {
    const auto period_with = [&](double share) {
      return sennit::beats({.period = c.period, .source = c.source, .workers = false, .most_share = share})
          .period();
    };
    std::string text =
        fmt::format("Beats alone take about {:.1f}% of the time then, promotions the rest of the {}%.\n",
                    100 * c.beat_us * 1000 / static_cast<double>(c.period.count()), options_.share);
    if (const nanoseconds now = period_with(0); now > c.period) {
      text += fmt::format(
          "But beats come each {} us, as they may take no more than SENNIT_BEAT_SHARE says.\n", as_us(now));
      const double share = options_.share / 100;
      if (const nanoseconds then = period_with(share); then < now)
        text += fmt::format("With SENNIT_BEAT_SHARE={} they come each {} us.\n", share, as_us(then));
    } else {
      text += "The limit on the share of beats (SENNIT_BEAT_SHARE) leaves the period as it is.\n";
    }
    return text;
  }

  static std::string show_workers(unsigned workers) {
    return workers == 1 ? "1 worker" : fmt::format("{} workers", workers);
  }

  const tune_options options_;
  const unsigned workers_;
  std::vector<unsigned> counts_;
  std::vector<tuned> measured_;
  std::string refusals_;
  std::string doubt_;
  std::vector<double> stolen_us_;
  std::vector<double> children_us_;
  progress shown_;
};

}  // namespace

nanoseconds period_without_beats(double promotion_us, double share) {
  constexpr nanoseconds most = std::chrono::seconds(1);  // the limit of heartbeat()
  return std::min(rounded_up(promotion_us / (share / 100)), most);
}

std::optional<choice> choose(const std::vector<tuned>& measured, const std::vector<double>& promotions_us,
                             double share) {
  const double promotion_us = median(promotions_us);
  const interval promotion = interval_of_median(promotions_us);
  const auto period_for = [share](double beat_us, double with_us) {
    return rounded_up((std::max(beat_us, 0.0) + with_us) / (share / 100));
  };
  unsigned most_workers = 0;
  for (const tuned& t : measured) most_workers = std::max(most_workers, t.workers);
  std::optional<choice> best;
  for (const beat_source_kind source : sources) {
    if (source == beat_source_kind::polled) continue;  // only the program can choose it
    // From the measured period that is nearest to the period which results from its own cost.
    double nearest = std::numeric_limits<double>::max();
    std::optional<choice> candidate;
    for (const tuned& t : measured) {
      if (t.source != source || t.workers != most_workers || t.measured.us_per_beat.empty()) continue;
      const double beat_us = median(t.measured.us_per_beat);
      const nanoseconds wanted = period_for(beat_us, promotion_us);
      const double apart =
          std::abs(std::log(static_cast<double>(wanted.count()) / static_cast<double>(t.period.count())));
      if (apart >= nearest) continue;
      nearest = apart;
      candidate.reset();
      if (t.measured.rate_reached < least_rate) continue;
      const interval beat = interval_of_median(t.measured.us_per_beat);
      candidate = {wanted, source, beat_us, period_for(beat.low, promotion.low),
                   period_for(beat.high, promotion.high)};
    }
    if (candidate && (!best || candidate->period < best->period)) best = candidate;
  }
  return best;
}

std::string doubt(const std::vector<tuned>& measured, const std::vector<double>& promotions_us,
                  double share) {
  const double had = std::accumulate(measured.begin(), measured.end(), 0.0, [&](double sum, const tuned& t) {
    return sum + t.measured.had_cpu / static_cast<double>(measured.size());
  });
  if (!measured.empty() && had < quiet)
    return fmt::format("the machine is busy: the workers had a CPU for {:.0f}% of the time", 100 * had);
  const auto uncertain = [](nanoseconds least, nanoseconds most) {
    return static_cast<double>((most - rounding).count()) >
           most_uncertainty * static_cast<double>(least.count());
  };
  const auto between = [&](const char* what, nanoseconds least, nanoseconds most) {
    return fmt::format("what {} cost varies too much: periods from {} us to {} us would follow from it", what,
                       as_us(least), as_us(most));
  };
  const interval promotion = interval_of_median(promotions_us);
  const nanoseconds least = period_without_beats(promotion.low, share);
  const nanoseconds most = period_without_beats(promotion.high, share);
  if (uncertain(least, most)) return between("promotions", least, most);
  const auto chosen = choose(measured, promotions_us, share);
  if (chosen && chosen->beat_us <= 0) return "work with beats took no longer than without";
  if (chosen && uncertain(chosen->least, chosen->most)) return between("beats", chosen->least, chosen->most);
  return "";
}

bool tune(const tune_options& options) {
  const tools::outputs to({options.json}, {});
  tuning t(options);
  t.measure();
  t.print(to.messages());
  std::fflush(to.messages());  // before what is said of it
  if (!options.json.empty()) tools::write_file(options.json, t.records());
  if (t.in_doubt().empty()) return true;
  fmt::print(
      stderr,
      "sennit: no setting is proposed, as {}; ask again when nothing else runs, with more --seconds, or "
      "with fewer --workers\n",
      t.in_doubt());
  return false;
}

}  // namespace command
