#include <sennit/detail/misuse.hpp>

#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string>

namespace sennit::detail {

void misuse(const std::string& message, std::source_location where) {
  std::fprintf(stderr, "sennit: %s:%u: %s\n", where.file_name(), static_cast<unsigned>(where.line()), message.c_str());
  std::abort();
}

void misuse(const std::string& message) {
  std::fprintf(stderr, "sennit: %s\n", message.c_str());
  std::abort();
}

}  // namespace sennit::detail
