// SPDX-License-Identifier: Apache-2.0
#include "splice/caches.hpp"

#include "runtime/runtime.hpp"
#include "topology/cache_sizes.hpp"
#include "worker/runtime_core.hpp"

#include <sennit/detail/splice/step_memory.hpp>

namespace sennit::detail {

policy::cache_sizes caches_here() {
  static const policy::cache_sizes of_machine = topology::cache_sizes();
  const auto& described = core_of(nullptr).described_caches();
  return described ? topology::completed(*described, of_machine) : of_machine;
}

splice_caches caches_of_splices() {
  const policy::cache_sizes here = caches_here();
  return {here.first, here.own, here.shared};
}

}  // namespace sennit::detail
