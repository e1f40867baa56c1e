// SPDX-License-Identifier: Apache-2.0
#include "gallery/kernel.hpp"
#include "tools/sennit/command_line.hpp"

int main(int argc, char** argv) { return command::command_line(argc, argv, gallery::kernels()); }
