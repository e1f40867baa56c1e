// SPDX-License-Identifier: Apache-2.0
#include "process/environment.hpp"

#include <sennit/detail/failure.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace sennit::detail {

namespace {

constexpr std::string_view prefix = "SENNIT_";
// Only builds for stress tests read the last but one, and only CMake's find_package reads the last one.
constexpr std::string_view known[] = {
    "SENNIT_WORKERS",     "SENNIT_STACK", "SENNIT_BARRIER",      "SENNIT_PIN",  "SENNIT_TOPOLOGY",
    "SENNIT_PROMOTION",   "SENNIT_CHECK", "SENNIT_WATCHDOG",     "SENNIT_BEAT", "SENNIT_BEAT_SHARE",
    "SENNIT_BEAT_SIGNAL", "SENNIT_TRACE", "SENNIT_PERTURB_SEED", "SENNIT_ROOT"};

// The number of letters to insert, remove or replace.
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

}  // namespace

void refuse(const std::string& what, std::string_view value, const std::string& allowed) {
  fail<std::invalid_argument>("sennit: " + what + " is \"" + std::string(value) + "\", but must be " +
                              allowed);
}

std::optional<std::string_view> variable(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return text;
}

std::optional<unsigned long long> parse_number(std::string_view text) {
  unsigned long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::chrono::nanoseconds> parse_period(std::string_view text) {
  constexpr std::pair<std::string_view, long long> units[] = {
      {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
  constexpr long long most_seconds = 3600;
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_number(text.substr(0, digits));
  for (const auto& [unit, size] : units) {
    const auto most = static_cast<unsigned long long>(most_seconds * (1'000'000'000 / size));
    if (number && *number <= most && text.substr(digits) == unit)
      return std::chrono::nanoseconds(static_cast<long long>(*number) * size);
  }
  return std::nullopt;
}

bool is_known_variable(std::string_view name) {
  return std::find(std::begin(known), std::end(known), name) != std::end(known);
}

std::string advice_for(std::string_view unknown) {
  const auto closer = [&](std::string_view a, std::string_view b) {
    return distance(unknown, a) < distance(unknown, b);
  };
  const std::string_view nearest = *std::min_element(std::begin(known), std::end(known), closer);
  if (distance(unknown, nearest) <= 3) return "did you mean " + std::string(nearest) + "?";
  std::string all = "unset it; known are";
  for (const std::string_view name : known) all.append(" ").append(name);
  return all;
}

std::vector<std::pair<std::string_view, std::string_view>> variables_set() {
  std::vector<std::pair<std::string_view, std::string_view>> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    // An empty variable counts as not set.
    if (!text.starts_with(prefix) || equals == std::string_view::npos || equals + 1 == text.size()) continue;
    found.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

void name_unknown_variables() noexcept {
  static constinit std::atomic<bool> done{false};
  if (done.exchange(true, std::memory_order_relaxed)) return;
  attempt<std::exception>([] {
    for (const auto& [name, value] : variables_set()) {
      if (is_known_variable(name)) continue;
      const std::string text = "sennit: " + std::string(name) +
                               " is set, but Sennit reads no such variable: " + advice_for(name) + "\n";
      std::fputs(text.c_str(), stderr);
    }
  });
}

}  // namespace sennit::detail
