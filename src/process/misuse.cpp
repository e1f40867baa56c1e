#include "process/contract.hpp"

#include <sennit/detail/misuse.hpp>

#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string>

namespace sennit::detail {

namespace {

void print(const std::string& message) {
#if SENNIT_CHECKED
  if (const construct_site* const site = innermost_site()) {
    std::fprintf(stderr, "sennit: %s:%u: in %s: %s\n", site->where().file_name(),
                 static_cast<unsigned>(site->where().line()), site->construct(), message.c_str());
    return;
  }
#endif
  std::fprintf(stderr, "sennit: %s\n", message.c_str());
}

}  // namespace

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

}  // namespace sennit::detail
