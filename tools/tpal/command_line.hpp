// SPDX-License-Identifier: Apache-2.0
// The tpal command: its words, its options and its exit codes.
#pragma once

namespace tpal {

enum exit_code {
  success = 0,
  failed_run = 1,  // the program did something that the machine does not have
  unfinished = 3,  // an exploration that was given up, and has found nothing
  bad_usage = 2,   // the arguments, the inputs or the program's text do not allow what was asked for
};

int command_line(int argc, const char* const* argv);

}  // namespace tpal
