// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rollforward {

// rollforward in.s -o out.s [--list], or rollforward --compile -- compiler argument...
int command_line(int argc, char** argv);

}  // namespace rollforward
