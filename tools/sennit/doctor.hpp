// SPDX-License-Identifier: Apache-2.0
// `sennit doctor`
#pragma once

#include <string>

namespace command {

struct doctor_options {
  std::string machine{};  // where to write the machine for the simulator; empty: standard output
  double seconds = 8;     // approximate time for its measurements
  bool force = false;     // even if other programs take part of the machine
};

void print_doctor();
// Measures the machine. Throws std::runtime_error if the file cannot be written, or if others take part of the machine.
void write_machine(const doctor_options& options);

}  // namespace command
