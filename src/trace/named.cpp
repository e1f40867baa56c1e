// SPDX-License-Identifier: Apache-2.0
// Sections with a user's name.
#include "trace/tracer.hpp"

#include <sennit/named.hpp>

namespace sennit::detail {

bool may_be_traced() noexcept { return tracer::may_be_on(); }

traced_body* begin_named(std::string_view name) noexcept {
  tracer* const all = tracer::current(0);
  return all != nullptr
             ? all->name_begins(name, reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - 1)
             : nullptr;
}

void end_named(traced_body& section) noexcept {
  if (tracer* const all = tracer::current(0)) all->name_ends(section);
}

}  // namespace sennit::detail
