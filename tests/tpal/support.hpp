// SPDX-License-Identifier: Apache-2.0
// Programs from text to answers, in one call.
#pragma once

#include "tools/tpal/c_functions.hpp"
#include "tools/tpal/data.hpp"
#include "tools/tpal/diagnostics.hpp"
#include "tools/tpal/machine.hpp"
#include "tools/tpal/parser.hpp"
#include "tools/tpal/report.hpp"
#include "tools/tpal/workers.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpal {

inline image loaded(std::string_view text, const std::vector<std::string>& inputs = {}) {
  image start = load(assemble(text, "test.tpal"), inputs);
  find_functions(start.code, {});
  return start;
}

// A program of programs/.
inline image loaded_file(const std::string& name, const std::vector<std::string>& inputs = {}) {
  return load(assemble_file(std::string(TPAL_PROGRAMS "/") + name + ".tpal"), inputs);
}

inline settings beating(std::optional<std::uint64_t> heart, std::uint64_t seed = 0) {
  settings how;
  how.heart = heart;
  how.seed = seed;
  return how;
}

inline std::string answer(const image& start, const settings& how = {}) {
  return outputs(start, run(start, how));
}

// "LINE:COLUMN: what" of what is wrong, one a line.
inline std::string complaints_of(std::string_view text) {
  try {
    assemble(text, "test.tpal");
  } catch (const program_error& error) {
    std::string all;
    for (const complaint& c : error.complaints()) {
      all += fmt::format("{}:{}: {}\n", c.at.line, c.at.column, c.what);
    }
    return all;
  }
  return "";
}

// "LINE:COLUMN: what" of the failure of a run.
inline std::string failure_of(const image& start, const settings& how = {}) {
  try {
    run(start, how);
  } catch (const run_error& error) {
    return fmt::format("{}:{}: {}", error.at().line, error.at().column, error.what());
  }
  return "";
}
inline std::string failure_of(std::string_view text) { return failure_of(loaded(text)); }

}  // namespace tpal
