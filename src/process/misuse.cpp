// SPDX-License-Identifier: Apache-2.0
#include "process/contract.hpp"

#include <sennit/detail/assert.hpp>
#include <sennit/detail/misuse.hpp>

#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string>

namespace sennit::detail {

namespace {

#if SENNIT_CHECKED
constinit known_sites::innermost innermost_site = nullptr;
#endif

void print(const std::string& message) {
#if SENNIT_CHECKED
  if (const construct_site* const site = innermost_site != nullptr ? innermost_site() : nullptr) {
    std::fprintf(stderr, "sennit: %s:%u: in %s: %s\n", site->where().file_name(),
                 static_cast<unsigned>(site->where().line()), site->construct(), message.c_str());
    return;
  }
#endif
  std::fprintf(stderr, "sennit: %s\n", message.c_str());
}

}  // namespace

#if SENNIT_CHECKED
known_sites::known_sites(innermost find) noexcept { innermost_site = find; }
#endif

void misuse(const std::string& message, std::source_location where) {
  std::fprintf(stderr, "sennit: %s:%u: %s\n", where.file_name(), static_cast<unsigned>(where.line()),
               message.c_str());
  std::abort();
}

void misuse(const std::string& message) {
  print(message);
  std::abort();
}

void warn(const std::string& message) { print(message); }

void broken_invariant(const char* condition, const char* file, unsigned line) noexcept {
  std::fprintf(stderr, "sennit: %s:%u: broken invariant: %s\n", file, line, condition);
  std::fputs("sennit: this is a fault in Sennit, please report it.\n", stderr);
  std::fflush(nullptr);
  std::abort();
}

}  // namespace sennit::detail
