// SPDX-License-Identifier: Apache-2.0
// Forks by hand only where there is enough to do: a way with a grain, set by `--variant grainN`.
#pragma once

#include "common/serial_way.hpp"

#include <cstddef>

namespace bench {

template <class Way>
class coarse_way : public Way {
 public:
  using serial = serial_way;

  explicit coarse_way(program& program) : Way(program) { grain = program.grain(); }

  static bool small(std::size_t size) { return size <= grain; }

 private:
  inline static std::size_t grain = 0;
};

}  // namespace bench
