// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/watchdog.hpp"

#include "diagnosis/calls_of_thread.hpp"
#include "diagnosis/strand_report.hpp"
#include "process/library_thread.hpp"
#include "system/nanoseconds.hpp"
#include "worker/runtime_core.hpp"

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace sennit::detail {

namespace {

std::string as_seconds(std::uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", static_cast<double>(ns) / 1e9);
  return text;
}

}  // namespace

void watchdog::prepare() noexcept { prepare_to_ask_threads(); }

watchdog::watchdog(runtime_core& watched, std::uint64_t period_ns) noexcept
    : core_(watched), period_ns_(period_ns) {
  start_thread(thread_, "sennit-watch", 0, [this] { serve(); });
}

watchdog::~watchdog() {
  stopping_.store(true, std::memory_order_relaxed);
  call_.unpark();
  if (thread_.joinable()) thread_.join();
}

void watchdog::serve() noexcept {
  std::uint64_t since = now_ns();
  std::vector<worker_frames::sign> before;
  std::uint64_t progress_before = 0;
  while (!stopping_.load(std::memory_order_relaxed)) {
    call_.park(std::chrono::nanoseconds(period_ns_ / 4));
    std::vector<worker_frames::sign> signs;
    for (unsigned i = 0; i < core_.worker_count(); ++i) {
      signs.push_back(core_.worker_at(i).frames().ask_for_sign());
    }
    const std::uint64_t progress = core_.progress();
    const std::uint64_t now = now_ns();
    if (!core_.in_use() || signs != before || progress != progress_before) {
      since = now;
      before = std::move(signs);
      progress_before = progress;
    } else if (now - since >= period_ns_) {
      const std::string report = "sennit: watchdog: no strand has made progress for " +
                                 as_seconds(now - since) +
                                 "; SENNIT_WATCHDOG asked for this report, which comes once\n" +
                                 strands_as_text(core_) + "sennit: watchdog: end of the report\n";
      std::fputs(report.c_str(), stderr);
      return;
    }
  }
}

}  // namespace sennit::detail
