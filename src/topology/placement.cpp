// SPDX-License-Identifier: Apache-2.0
#include <sennit/placement.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace sennit {

namespace detail {

std::size_t bytes_of_page() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::vector<int> nodes_of_pages(const void* memory, std::size_t bytes) {
  const std::size_t page = bytes_of_page();
  const std::size_t count = (bytes + page - 1) / page;
  std::vector<void*> pages(count);
  for (std::size_t i = 0; i < count; ++i) {
    pages[i] = static_cast<char*>(const_cast<void*>(memory)) + i * page;
  }
  std::vector<int> nodes(count, -1);
  // Without target nodes, move_pages(2) only reports nodes. It is called by its number, because its wrapper
  // is in libnuma. If the call is not allowed, no node is known.
  if (count != 0) (void)syscall(SYS_move_pages, 0, count, pages.data(), nullptr, nodes.data(), 0);
  for (int& n : nodes) n = std::max(n, -1);
  return nodes;
}

}  // namespace detail

std::vector<graph::weighted_color> placement::colors(std::size_t first, std::size_t last) const {
  std::vector<graph::weighted_color> found;
  const std::size_t page = detail::bytes_of_page();
  const std::size_t end = std::min(last, bytes_ / element_) * element_;
  for (std::size_t at = std::min(first, last) * element_; at < end;) {
    const std::size_t next = std::min(end, (at / page + 1) * page);
    if (const int node = nodes_[at / page]; node >= 0) {
      const auto same = std::find_if(found.begin(), found.end(),
                                     [&](const auto& f) { return f.color == static_cast<unsigned>(node); });
      if (same == found.end()) {
        found.push_back({static_cast<unsigned>(node), static_cast<double>(next - at)});
      } else {
        same->weight += static_cast<double>(next - at);
      }
    }
    at = next;
  }
  return found;
}

}  // namespace sennit
