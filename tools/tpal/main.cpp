// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/command_line.hpp"

int main(int argc, char** argv) { return tpal::command_line(argc, argv); }
