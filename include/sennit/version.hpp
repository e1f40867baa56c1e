// SPDX-License-Identifier: Apache-2.0
// version: the version of Sennit.
#pragma once

#include <sennit/detail/config.hpp>

// The version of the headers. Until 1.0.0 a minor version may change the API and the ABI.
#define SENNIT_VERSION_MAJOR 0
#define SENNIT_VERSION_MINOR 1
#define SENNIT_VERSION_PATCH 0

namespace sennit {

// The version of the linked library: "major.minor.patch", in static memory. Any thread may call it.
//
// Example:
//   #include <cstdio>
//
//   void print_version() {
//     std::printf("Sennit %s, headers of %d.%d.%d\n", sennit::version(), SENNIT_VERSION_MAJOR, SENNIT_VERSION_MINOR,
//                 SENNIT_VERSION_PATCH);
//   }
SENNIT_EXPORT const char* version() noexcept;

}  // namespace sennit
