// SPDX-License-Identifier: Apache-2.0
#include "process/settings.hpp"

#include "process/contract.hpp"
#include "stack/stack.hpp"
#include "system/barrier.hpp"
#include "topology/cpus.hpp"

#include <sennit/detail/config.hpp>
#include <sennit/detail/failure.hpp>

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace sennit::detail {

namespace {

constexpr unsigned most_workers = runtime_options::most_workers;
constexpr std::size_t least_stack = std::size_t{64} << 10;
constexpr std::size_t most_stack = std::size_t{1} << 40;

std::string allowed_workers() { return "a whole number from 1 to " + std::to_string(most_workers); }

unsigned worker_limit(unsigned asked) {
  const std::string allowed = allowed_workers();
  if (asked > most_workers) refuse_workers(std::to_string(asked));
  if (asked != 0) return asked;
  if (const auto text = variable("SENNIT_WORKERS")) {
    const auto value = parse_number(*text);
    if (!value || *value == 0 || *value > most_workers) refuse("SENNIT_WORKERS", *text, allowed);
    return static_cast<unsigned>(*value);
  }
  return std::min(topology::default_workers(), most_workers);
}

// "8M", "512K", "1G", or bytes.
std::optional<std::size_t> parse_size(std::string_view text) {
  constexpr std::string_view units = "kKmMgG";
  const std::size_t unit = text.empty() ? units.npos : units.find(text.back());
  const std::size_t shift = unit == units.npos ? 0 : 10 * (unit / 2 + 1);
  if (shift != 0) text.remove_suffix(1);
  const auto value = parse_number(text);
  if (!value || *value > (most_stack >> shift)) return std::nullopt;
  return static_cast<std::size_t>(*value) << shift;
}

std::size_t stack_limit(std::size_t asked) {
  const std::string allowed = "a size from 64K to 1024G, in bytes or with K, M or G";
  if (asked != 0) {
    if (asked < least_stack || asked > most_stack)
      refuse("runtime_options::stack_bytes", std::to_string(asked), allowed);
    return asked;
  }
  if (const auto text = variable("SENNIT_STACK")) {
    const auto value = parse_size(*text);
    if (!value || *value < least_stack || *value > most_stack) refuse("SENNIT_STACK", *text, allowed);
    return *value;
  }
  return default_stack_bytes();
}

// What a runtime uses, which is never `automatic`.
steal_barrier available_barrier(steal_barrier asked) {
  if (asked == steal_barrier::membarrier && !membarrier_available()) {
    fail<std::invalid_argument>("sennit: barrier=membarrier (SENNIT_BARRIER or runtime_options::barrier) was "
                                "asked for, but the kernel refuses the expedited membarrier; use `automatic` "
                                "or `fence`");
  }
  if (asked != steal_barrier::automatic) return asked;
  // ThreadSanitizer does not model a barrier that other threads are forced to execute. It understands the
  // fence variant.
  if (SENNIT_TSAN) return steal_barrier::fence;
  return membarrier_available() ? steal_barrier::membarrier : steal_barrier::fence;
}

steal_barrier barrier_choice(steal_barrier asked) {
  if (asked == steal_barrier::automatic) {
    if (const auto text = variable("SENNIT_BARRIER")) {
      if (*text == "membarrier") return available_barrier(steal_barrier::membarrier);
      if (*text == "fence") return steal_barrier::fence;
      if (*text != "automatic") refuse("SENNIT_BARRIER", *text, "automatic, membarrier or fence");
    }
  }
  return available_barrier(asked);
}

pin_mode pin_choice(pin_mode asked) {
  if (asked != pin_mode::automatic) return asked;
  if (const auto text = variable("SENNIT_PIN")) {
    if (*text == "none") return pin_mode::none;
    if (*text == "node") return pin_mode::node;
    if (*text == "core") return pin_mode::core;
    if (*text != "automatic") refuse("SENNIT_PIN", *text, "automatic, none, node or core");
  }
  return pin_mode::automatic;
}

bool can_be_beat(std::chrono::nanoseconds period) {
  using namespace std::chrono_literals;
  return period >= 1us && period <= 1s;
}

std::optional<promotion> parse_promotion(std::string_view text) {
  if (text == "on_demand") return on_demand;
  constexpr std::string_view prefix = "heartbeat:";
  if (!text.starts_with(prefix)) return std::nullopt;
  const auto period = parse_period(text.substr(prefix.size()));
  if (!period || !can_be_beat(*period)) return std::nullopt;
  return heartbeat(*period);
}

std::uint64_t beat_choice(const std::optional<promotion>& asked) {
  if (asked) return beat_ns_of(*asked, "runtime_options::promotion");
  if (const auto text = variable("SENNIT_PROMOTION")) {
    const auto value = parse_promotion(*text);
    if (!value)
      refuse("SENNIT_PROMOTION", *text,
             "on_demand, or heartbeat: and a period from 1us to 1s, such as heartbeat:100us");
    return static_cast<std::uint64_t>(value->period.count());
  }
  return 0;
}

bool contract_choice() {
  if (const auto text = variable("SENNIT_CHECK")) {
    if (*text == "0") return false;
    if (*text == "1" && can_check_contract()) return true;
    refuse("SENNIT_CHECK", *text,
           can_check_contract() ? "0 or 1"
                                : "0: this build of the library cannot see locks (use sennit-checked)");
  }
  return can_check_contract();
}

std::uint64_t watchdog_choice() {
  const auto text = variable("SENNIT_WATCHDOG");
  if (!text) return 0;
  using namespace std::chrono_literals;
  const auto period = parse_period(*text);
  if (!period || *period < 10ms) refuse("SENNIT_WATCHDOG", *text, "a period from 10ms to 3600s, such as 5s");
  return static_cast<std::uint64_t>(period->count());
}

int beat_signal_choice() {
  if (const auto text = variable("SENNIT_BEAT_SIGNAL")) {
    if (*text == "URG") return SIGURG;
    const auto value = parse_number(*text);
    const auto least = static_cast<unsigned>(SIGRTMIN);
    const auto most = static_cast<unsigned>(SIGRTMAX);
    if (value && *value >= least && *value <= most) return static_cast<int>(*value);
    refuse("SENNIT_BEAT_SIGNAL", *text,
           "a number from " + std::to_string(least) + " to " + std::to_string(most) + ", or URG");
  }
  // From above, as programs tend to count from below; the last two are often debuggers'.
  for (int number = SIGRTMAX - 2; number > SIGRTMIN; --number) {
    struct sigaction now{};
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) return number;
  }
  return SIGRTMIN;
}

std::atomic<int> chosen_beat_signal{0};

}  // namespace

std::uint64_t beat_ns_of(promotion when, const char* what) {
  if (when != on_demand && !can_be_beat(when.period)) {
    refuse(what, std::to_string(when.period.count()) + " ns",
           "0, which is on demand, or a period from 1 us to 1 s");
  }
  return static_cast<std::uint64_t>(when.period.count());
}

int beat_signal() noexcept { return chosen_beat_signal.load(std::memory_order_relaxed); }

int choose_beat_signal() {
  const int found = beat_signal_choice();
  int chosen = 0;
  return chosen_beat_signal.compare_exchange_strong(chosen, found, std::memory_order_relaxed) ? found
                                                                                              : chosen;
}

void refuse_workers(const std::string& number) {
  refuse("runtime_options::workers", number, allowed_workers());
}

settings resolve(const runtime_options& options) {
  settings result{};
  result.workers = worker_limit(options.workers);
  result.stack_bytes = stack_limit(options.stack_bytes);
  result.barrier = barrier_choice(options.barrier);
  result.pin = pin_choice(options.pin);
  result.topology = options.topology;
  if (result.topology.empty()) result.topology = std::string(variable("SENNIT_TOPOLOGY").value_or(""));
  result.beat_ns = beat_choice(options.promotion);
  result.check_contract = contract_choice();
  (void)choose_beat_signal();  // threads that are started from now on take it
  result.watchdog_ns = watchdog_choice();
  return result;
}

}  // namespace sennit::detail
