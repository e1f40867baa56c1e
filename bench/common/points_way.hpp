// SPDX-License-Identifier: Apache-2.0
// Forks in the vocabulary of common/serial_way.hpp that are plain calls until a beat comes. Variants as in common/points.hpp; with
// beats, something is always promoted.
#pragma once

#include "common/points.hpp"

#include <sennit/latent_join.hpp>

#include <utility>

namespace bench {

class points_way {
 public:
  explicit points_way(program& program) : points_(program) {
    if (program.is("beats100") || program.is("beats20"))
      program.fail("--variant", "must be promote100 or promote20, or nothing");
  }

  template <class F>
  void enter(F&& f) {
    points_.enter(f);
  }
  template <class F, class G>
  SENNIT_BENCH_INLINE static void join(F&& f, G&& g) {
    sennit::latent_join(std::forward<F>(f), std::forward<G>(g));
  }

 private:
  points points_;
};

}  // namespace bench
