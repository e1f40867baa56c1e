// How a loop is dealt out to workers that wait for work as it begins.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sennit::policy {

// Contiguous parts of [first, last), in the order of places: the same for each loop of this shape that finds
// as many workers waiting. The first part is for the strand that deals: it is larger by a lead, as that is at
// work before the others know.
class deal {
 public:
  // No part but the first is smaller than `least`, so there may be fewer than asked for.
  deal(std::uint64_t first, std::uint64_t last, std::uint64_t parts, std::uint64_t least,
       std::uint64_t lead) noexcept
      : last_(last) {
    const std::uint64_t n = last - first;
    lead = std::min(lead, n / 8);
    const std::uint64_t worthwhile = (n - lead) / std::max<std::uint64_t>(1, least);
    parts_ = std::max<std::uint64_t>(1, std::min(parts, worthwhile));
    size_ = (n - lead) / parts_;
  }

  [[nodiscard]] std::uint64_t parts() const noexcept { return parts_; }
  // Of parts but the first.
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t part) const noexcept {
    return last_ - (parts_ - part) * size_;
  }

 private:
  std::uint64_t last_;
  std::uint64_t parts_;
  std::uint64_t size_;
};

}  // namespace sennit::policy
