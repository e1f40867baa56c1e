// SPDX-License-Identifier: Apache-2.0
// The sennit command: its subcommands, options and exit codes.
#pragma once

#include "gallery/kernel.hpp"

#include <memory>
#include <vector>

namespace command {

enum exit_code {
  success = 0,
  wrong_result = 1,      // a run's result failed its check
  bad_usage = 2,         // the arguments, the input or the machine do not permit the request
  nothing_proposed = 3,  // the machine was too busy
};

int command_line(int argc, const char* const* argv, std::vector<std::unique_ptr<gallery::kernel>> kernels);

}  // namespace command
