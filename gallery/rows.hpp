// Calls body(y) for each y in [first, last), splitting the range in halves down to single rows.
// There is at least one row.
#pragma once

#include <cstddef>

namespace gallery {

template <class P, class Body>
void each_row(std::size_t first, std::size_t last, const Body& body) {
  if (last - first == 1) return body(first);
  const std::size_t middle = first + (last - first) / 2;
  P::join([&] { each_row<P>(first, middle, body); }, [&] { each_row<P>(middle, last, body); });
}

}  // namespace gallery
