// Sections with a user's name.
#include "process/settings.hpp"
#include "trace/tracer.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/named.hpp>

#include <exception>

namespace sennit::detail {

namespace {

// Of the runtime that the calling thread runs in, or else of the default one as far as that is known.
unsigned workers_here() noexcept {
  if (worker* const here = worker::current()) return here->core().workers();
  unsigned workers = 0;
  attempt<std::exception>([&] { workers = resolve({}).workers; });
  return workers;
}

}  // namespace

bool may_be_traced() noexcept { return tracer::may_be_on(); }

traced_body* begin_named(std::string_view name) noexcept {
  tracer* const all = tracer::current(workers_here());
  return all != nullptr
             ? all->name_begins(name, reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - 1)
             : nullptr;
}

void end_named(traced_body& section) noexcept {
  if (tracer* const all = tracer::current(0)) all->name_ends(section);
}

}  // namespace sennit::detail
