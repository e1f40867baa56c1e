#pragma once

#define SENNIT_VERSION_MAJOR 0
#define SENNIT_VERSION_MINOR 1
#define SENNIT_VERSION_PATCH 0

namespace sennit {

// The version of the library linked, "major.minor.patch". The macros are that of the headers.
const char* version() noexcept;

}  // namespace sennit
