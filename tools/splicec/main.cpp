// SPDX-License-Identifier: Apache-2.0
#include "tools/splicec/command_line.hpp"

int main(int argc, char** argv) { return splicec::command_line(argc, argv); }
