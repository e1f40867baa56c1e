#include "topology/environment.hpp"

#include "beat/settings.hpp"
#include "core/failure.hpp"
#include "core/settings.hpp"
#include "topology/machine.hpp"

#include <sennit/detail/config.hpp>
#include <sennit/runtime.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace sennit::topology {

namespace {

constexpr std::string_view prefix = "SENNIT_";
// The one but last is read by builds for stress tests only, and the last by CMake's find_package.
constexpr std::string_view known[] = {"SENNIT_WORKERS",     "SENNIT_STACK",        "SENNIT_BARRIER",
                                      "SENNIT_PIN",         "SENNIT_TOPOLOGY",     "SENNIT_PROMOTION",
                                      "SENNIT_CHECK",       "SENNIT_WATCHDOG",     "SENNIT_BEAT",
                                      "SENNIT_BEAT_SIGNAL", "SENNIT_PERTURB_SEED", "SENNIT_ROOT"};

// What a runtime would say to this value of the variable; empty if it would take it.
std::string complaint([[maybe_unused]] std::string_view name, [[maybe_unused]] std::string_view value) {
#if SENNIT_EXCEPTIONS
  // An option that is given hides its variable: all but the one in question,
  // SENNIT_CHECK and SENNIT_BEAT_SIGNAL, which have no option.
  runtime_options options{.workers = 1,
                          .stack_bytes = std::size_t{1} << 20,
                          .barrier = steal_barrier::fence,
                          .pin = pin_mode::none,
                          .topology = {},
                          .promotion = on_demand};
  if (name == "SENNIT_WORKERS") options.workers = 0;
  if (name == "SENNIT_STACK") options.stack_bytes = 0;
  if (name == "SENNIT_BARRIER") options.barrier = steal_barrier::automatic;
  if (name == "SENNIT_PIN") options.pin = pin_mode::automatic;
  if (name == "SENNIT_PROMOTION") options.promotion.reset();
  try {
    if (name == "SENNIT_TOPOLOGY") {
      machine::detect(std::string(value), pin_mode::none);
    } else if (name == "SENNIT_BEAT") {
      detail::resolve(beats_options{});
    } else {
      detail::resolve(options);
    }
  } catch (const std::invalid_argument& error) {
    const std::string_view message = error.what();
    if (message.find(name) == std::string_view::npos) return {};
    // The name and the value, up to "but", are in the finding.
    const std::size_t but = message.rfind(", but ");
    return std::string(but == std::string_view::npos ? message : message.substr(but + 6));
  }
#endif
  return {};
}

// How many letters to insert, drop or replace.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::string advice(std::string_view unknown) {
  const auto closer = [&](std::string_view a, std::string_view b) {
    return distance(unknown, a) < distance(unknown, b);
  };
  const std::string_view nearest = *std::min_element(std::begin(known), std::end(known), closer);
  if (distance(unknown, nearest) <= 3) return "did you mean " + std::string(nearest) + "?";
  std::string all = "unset it; known are";
  for (const std::string_view name : known) all.append(" ").append(name);
  return all;
}

bool is_known(std::string_view name) {
  return std::find(std::begin(known), std::end(known), name) != std::end(known);
}

// Calls f(name, value) for each variable that is meant for the library.
template <class F>
void for_each_variable(F&& f) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    // One that is empty counts as not set.
    if (!text.starts_with(prefix) || equals == std::string_view::npos || equals + 1 == text.size()) continue;
    f(text.substr(0, equals), text.substr(equals + 1));
  }
}

doctor_line line_for(std::string_view name, std::string_view value) {
  using severity = doctor_line::severity;
  const std::string set_to = "set to \"" + std::string(value) + "\"";
  if (!is_known(name)) {
    return {std::string(name), set_to + ", but Sennit reads no such variable", severity::note, advice(name)};
  }
  if (std::string refused = complaint(name, value); !refused.empty()) {
    return {std::string(name), set_to + ", which no runtime takes", severity::missing, std::move(refused)};
  }
  return {std::string(name), set_to, severity::good, {}};
}

}  // namespace

std::vector<doctor_line> examine_environment() {
  std::vector<doctor_line> lines;
  for_each_variable(
      [&](std::string_view name, std::string_view value) { lines.push_back(line_for(name, value)); });
  return lines;
}

void name_unknown_variables() noexcept {
  static constinit std::atomic<bool> done{false};
  if (done.exchange(true, std::memory_order_relaxed)) return;
  detail::attempt<std::exception>([] {
    for_each_variable([](std::string_view name, std::string_view) {
      if (is_known(name)) return;
      const std::string text = "sennit: " + std::string(name) +
                               " is set, but Sennit reads no such variable: " + advice(name) + "\n";
      std::fputs(text.c_str(), stderr);
    });
  });
}

}  // namespace sennit::topology
