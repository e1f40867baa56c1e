// SPDX-License-Identifier: Apache-2.0
#include <sennit/detail/failure.hpp>
#include <sennit/detail/graph/key_text.hpp>

#include <exception>
#include <sstream>
#include <string>
#include <utility>

namespace sennit::detail {

std::string text_by_stream(void (*write)(std::ostream& to, const void* key), const void* key) {
  std::ostringstream text;
  const bool written = attempt<std::exception>([&] { write(text, key); });
  return written ? std::move(text).str() : "(a key whose text throws an exception)";
}

std::string text_of_address(const volatile void* address) {
  std::ostringstream text;
  text << const_cast<const void*>(address);
  return std::move(text).str();
}

}  // namespace sennit::detail
