// SPDX-License-Identifier: Apache-2.0
// What other programs take of the machine.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace command {

// A program, and how many CPUs' worth of time it takes.
struct busy_program {
  std::string name;  // with its process number
  double cpus = 0;
};

struct machine_load {
  unsigned cpus = 1;
  double others = 0;                   // CPUs' worth of time that others take
  std::vector<busy_program> programs;  // those that take most, first; short-lived ones are missing
};

// As seen for so long, while the caller sleeps. Nobody, if the system does not tell.
machine_load measure_load(std::chrono::milliseconds time);

// Why nothing can be measured on such a machine, and what helps; "" if others take no more than a twentieth of it.
std::string why_busy(const machine_load& load);

}  // namespace command
