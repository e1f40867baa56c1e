// SPDX-License-Identifier: Apache-2.0
// What ParlayLib's header of this name declares for its schedulers to define, and how it includes one of
// them.
#ifndef PARLAY_PARALLEL_H_
#define PARLAY_PARALLEL_H_

#include <cstddef>
#include <type_traits>
#include <utility>

namespace parlay {

using std::size_t;

inline size_t num_workers();
inline size_t worker_id();

template <typename F>
inline void parallel_for(size_t start, size_t end, F&& f, long granularity = 0, bool conservative = false);

template <typename Lf, typename Rf>
inline void par_do(Lf&& left, Rf&& right, bool conservative = false);

// Used before it is defined, as there.
template <typename Lf, typename Rf>
inline void parallel_do(Lf&& left, Rf&& right, bool conservative = false) {
  par_do(std::forward<Lf>(left), std::forward<Rf>(right), conservative);
}

template <typename F>
inline void blocked_for(size_t start, size_t end, size_t block, F&& f, bool conservative = false) {
  static_assert(std::is_invocable_v<F&, size_t, size_t, size_t>);
  if (start >= end) return;
  parallel_for(
      0, (end - start + block - 1) / block,
      [&](size_t i) {
        const size_t from = start + i * block;
        f(i, from, end - from < block ? end : from + block);
      },
      0, conservative);
}

}  // namespace parlay

#if defined(PARLAY_SENNIT)
// The two lines that a user may add.
#include <sennit/parlay.hpp>
#elif defined(PARLAY_SEQUENTIAL)
#include "internal/scheduler_plugins/sequential.h"
#endif

#endif
