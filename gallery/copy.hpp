// SPDX-License-Identifier: Apache-2.0
// copy: bytes copied to a second array and to a third, and that one, moved by one, to a fourth: the example of Lifflander and
// Krishnamoorthy, 2017, Figure 3.
#pragma once

#include "gallery/sweeps.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gallery {

class copy {
 public:
  static constexpr int phases = 3;

  explicit copy(std::int64_t n) : n_(n) {
    for (std::size_t a = 0; a < bytes_.size(); ++a) bytes_[a] = field<char>(n, a);
  }

  void initialize() {
    for (std::int64_t i = 0; i < n_; ++i) bytes_[0].data()[i] = static_cast<char>(i * 2654435761 >> 7);
    for (std::size_t a = 1; a < bytes_.size(); ++a) std::memset(bytes_[a].data(), 0, bytes_[a].size());
  }

  part whole() const { return {{0, n_}}; }
  static constexpr lead ahead(std::int64_t s) { return {s % phases == 2 ? 1 : 0}; }
  SENNIT_GALLERY_SWEEP void sweep(std::int64_t s, const part& part) {
    const auto [from, to, shift] = step(s);
    const std::int64_t last = std::min(part.rows.last, n_ - shift);
    if (last <= part.rows.first) return;
    std::memcpy(bytes_[to].data() + part.rows.first, bytes_[from].data() + part.rows.first + shift,
                static_cast<std::size_t>(last - part.rows.first));
  }
  sennit::effects effects_of(std::int64_t s, range rows) const {
    const auto [from, to, shift] = step(s);
    const auto last = [this](range r) { return r.within({0, n_}); };
    return {sennit::reads(bytes_[from].at(last({rows.first + shift, rows.last + shift}))),
            sennit::writes(bytes_[to].at(last(rows)))};
  }
  std::span<const char> result(std::int64_t) const { return bytes_[3].span(); }

 private:
  struct copied {
    std::size_t from, to;
    std::int64_t shift;
  };
  static constexpr copied step(std::int64_t s) {
    constexpr std::array<copied, 3> steps{{{0, 1, 0}, {0, 2, 0}, {2, 3, 1}}};
    return steps[static_cast<std::size_t>(s % phases)];
  }

  std::int64_t n_;
  std::array<field<char>, 4> bytes_;
};

}  // namespace gallery
