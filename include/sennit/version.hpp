// Which Sennit this is.
#pragma once

#include <sennit/detail/config.hpp>

// That of the headers. Until 1.0.0 a minor version may change the API and the ABI.
#define SENNIT_VERSION_MAJOR 0
#define SENNIT_VERSION_MINOR 1
#define SENNIT_VERSION_PATCH 0

namespace sennit {

// That of the library linked: "major.minor.patch", in static memory. May be called from any thread.
//
// Example:
//   #include <cstdio>
//
//   void print_version() { std::printf("Sennit %s\n", sennit::version()); }
SENNIT_EXPORT const char* version() noexcept;

}  // namespace sennit
