#pragma once

namespace rollforward {

// rollforward in.s -o out.s [--list], or rollforward --compile -- compiler argument...
int command_line(int argc, char** argv);

}  // namespace rollforward
