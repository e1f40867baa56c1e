// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/command_line.hpp"

int main(int argc, char** argv) { return rollforward::command_line(argc, argv); }
