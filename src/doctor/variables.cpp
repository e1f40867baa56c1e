// SPDX-License-Identifier: Apache-2.0
#include "doctor/variables.hpp"

#include "beat/settings.hpp"
#include "process/settings.hpp"
#include "topology/machine.hpp"

#include <sennit/detail/config.hpp>
#include <sennit/runtime.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace sennit::detail {

namespace {

// Why a trace cannot be written there. The file itself is left alone.
std::string complaint_of_trace(std::string_view path) {
  const std::filesystem::path file(path);
  std::error_code none;
  const bool is_there = std::filesystem::exists(file, none);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (is_there && std::filesystem::is_directory(file, none)) return "name a file, not a directory";
  if (access(is_there ? file.c_str() : folder.c_str(), W_OK) == 0) return {};
  return "name a file in a directory that can be written to";
}

// What a runtime would say about this value of the variable; empty if it would accept the value.
std::string complaint(std::string_view name, std::string_view value) {
  if (name == "SENNIT_TRACE") return complaint_of_trace(value);
#if SENNIT_EXCEPTIONS
  // An option hides its variable. So all options are given, except the one for this variable. SENNIT_CHECK
  // and SENNIT_BEAT_SIGNAL have no option.
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
      topology::machine::detect(std::string(value), pin_mode::none);
    } else if (name == "SENNIT_BEAT") {
      detail::resolve(beats_options{.most_share = 1});
    } else if (name == "SENNIT_BEAT_SHARE") {
      detail::resolve(
          beats_options{.period = beats_options::most_period, .source = beat_source_kind::polled});
    } else {
      detail::resolve(options);
    }
  } catch (const std::invalid_argument& error) {
    const std::string_view message = error.what();
    if (message.find(name) == std::string_view::npos) return {};
    // The finding already has the name and the value, which come before "but".
    const std::size_t but = message.rfind(", but ");
    return std::string(but == std::string_view::npos ? message : message.substr(but + 6));
  }
#endif
  return {};
}

doctor_line line_for(std::string_view name, std::string_view value) {
  using severity = doctor_line::severity;
  const std::string set_to = "set to \"" + std::string(value) + "\"";
  if (!detail::is_known_variable(name)) {
    return {std::string(name), set_to + ", but Sennit reads no such variable", severity::note,
            detail::advice_for(name)};
  }
  if (std::string refused = complaint(name, value); !refused.empty()) {
    return {std::string(name), set_to + ", which no runtime takes", severity::missing, std::move(refused)};
  }
  return {std::string(name), set_to, severity::good, {}};
}

}  // namespace

std::vector<doctor_line> examine_variables() {
  std::vector<doctor_line> lines;
  for (const auto& [name, value] : detail::variables_set()) lines.push_back(line_for(name, value));
  return lines;
}

}  // namespace sennit::detail
