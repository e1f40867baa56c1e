#include "splice/caches.hpp"

#include "topology/cache_sizes.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/runtime.hpp>

namespace sennit::detail {

namespace {

policy::cache_sizes caches_of(const runtime_core& core) {
  static const policy::cache_sizes of_machine = topology::cache_sizes();
  const auto& described = core.described_caches();
  return described ? topology::completed(*described, of_machine) : of_machine;
}

}  // namespace

policy::cache_sizes caches_here() {
  if (const worker* const w = worker::current()) return caches_of(w->core());
  // Those of the first default runtime, as worker_count() is.
  static const policy::cache_sizes of_default =
      runtime::default_runtime().run([] { return caches_of(worker::current()->core()); });
  return of_default;
}

}  // namespace sennit::detail
