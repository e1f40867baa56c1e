// SPDX-License-Identifier: Apache-2.0
#include "beat/settings.hpp"

#include "beat/roll_forward.hpp"
#include "process/settings.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace sennit::detail {

namespace {

using std::chrono::nanoseconds;

constexpr const char* variable_name = "SENNIT_BEAT";
constexpr const char* share_variable_name = "SENNIT_BEAT_SHARE";
constexpr nanoseconds default_period = std::chrono::microseconds(100);
constexpr double default_share = 0.05;

constexpr std::pair<std::string_view, beat_source_kind> sources[] = {
    {"automatic", beat_source_kind::automatic},     {"posix_timers", beat_source_kind::posix_timers},
    {"ping_thread", beat_source_kind::ping_thread}, {"perf_events", beat_source_kind::perf_events},
    {"polled", beat_source_kind::polled},
};

bool allowed(nanoseconds period) noexcept {
  return period >= beats_options::least_period && period <= beats_options::most_period;
}

bool allowed(double share) noexcept { return share > 0 && share <= 1; }

std::optional<beat_source_kind> parse_source(std::string_view text) {
  for (const auto& [name, kind] : sources) {
    if (text == name) return kind;
  }
  return std::nullopt;
}

// "100us", "ping_thread", or "100us,ping_thread".
void read_variable(beat_settings& into) {
  const auto text = variable(variable_name);
  if (!text) return;
  const auto comma = text->find(',');
  const std::string_view first = text->substr(0, comma);
  const auto period = parse_period(first);
  const auto source =
      comma == std::string_view::npos ? parse_source(first) : parse_source(text->substr(comma + 1));
  const bool both = comma != std::string_view::npos;
  if ((period && !allowed(*period)) || (both ? !period || !source : !period && !source)) {
    refuse(
        variable_name, *text,
        "a period from 10us to 10s (with ns, us, ms or s), a source (automatic, posix_timers, ping_thread, "
        "perf_events, polled), or both as in 100us,posix_timers");
  }
  into.period = period.value_or(into.period);
  into.source = source.value_or(into.source);
}

void read_share(beat_settings& into) {
  const auto text = variable(share_variable_name);
  if (!text) return;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), into.most_share);
  if (error != std::errc{} || end != text->data() + text->size() || !allowed(into.most_share))
    refuse(share_variable_name, *text, "a number above 0, up to 1, such as 0.05 for 5% of the time");
}

}  // namespace

beat_settings resolve(const beats_options& options) {
  beat_settings result{default_period, beat_source_kind::automatic, default_share};
  const bool open = options.source == beat_source_kind::automatic || options.period == nanoseconds(0);
  if (open) read_variable(result);
  if (options.most_share == 0) read_share(result);
  if (options.source != beat_source_kind::automatic) result.source = options.source;
  if (options.period != nanoseconds(0)) {
    if (!allowed(options.period)) {
      refuse("beats_options::period", std::to_string(options.period.count()) + " ns", "from 10 us to 10 s");
    }
    result.period = options.period;
  }
  if (options.most_share != 0) {
    if (!allowed(options.most_share))
      refuse("beats_options::most_share", std::to_string(options.most_share), "above 0, up to 1");
    result.most_share = options.most_share;
  }
  if (!rolls_forward && result.source == beat_source_kind::automatic)
    result.source = beat_source_kind::polled;
  return result;
}

}  // namespace sennit::detail
