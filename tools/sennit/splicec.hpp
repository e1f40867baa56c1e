#pragma once

namespace command {

// Becomes the translator, which is a program of its own beside this one. Returns only by throwing std::runtime_error.
[[noreturn]] void become_splicec(int argc, const char* const* argv);

}  // namespace command
