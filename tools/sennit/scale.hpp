// SPDX-License-Identifier: Apache-2.0
// `sennit scale PROGRAM.trace`
#pragma once

#include "scale/scale.hpp"
#include "tools/sennit/program_trace.hpp"
#include "tools/sennit/speedup_curve.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace command {

struct scale_options {
  std::string file;
  std::string machine = "64x16";  // whose costs count, and that is simulated
  std::uint64_t seed = 1;
  bool simulate = true;
  // Files to write; empty: none.
  std::string json{};
  std::string html{};
  std::string svg{};
};

void show_scale(const scale_options& options);

// What is known of how a program scales.
struct scale_report {
  std::string name;  // of the file
  program_trace trace;
  std::string machine;
  sennit::sim::scalability limits;
  std::vector<curve_point> curve;
  std::vector<std::string> findings;  // sentences: what limits it
};

scale_report scale_report_of(const scale_options& options);
std::string text(const scale_report& r);
std::string json_of(const scale_report& r);
std::string page(const scale_report& r);

// "loop in step", "section assemble".
std::string name_of(const sennit::sim::construct& c, const program_trace& t);

}  // namespace command
