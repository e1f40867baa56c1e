// SPDX-License-Identifier: Apache-2.0
// parallel_sort.
#pragma once

#include <sennit/parallel_sort.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/setting.hpp>

#include <functional>
#include <iterator>
#include <utility>

namespace tbb {
namespace on_sennit {

template <class Iterator, class Compare>
void parallel_sort(Iterator first, Iterator last, const Compare& less) {
  construct(nullptr, [&](const setting&) { sennit::parallel_sort(first, last, less); });
}
template <class Iterator>
  requires requires(Iterator i) { *i; }
void parallel_sort(Iterator first, Iterator last) {
  parallel_sort(first, last, std::less<typename std::iterator_traits<Iterator>::value_type>());
}
template <class Range, class Compare>
  requires requires(Range& r) { std::begin(r); }
void parallel_sort(Range&& range, const Compare& less) {
  parallel_sort(std::begin(range), std::end(range), less);
}
template <class Range>
void parallel_sort(Range&& range) {
  parallel_sort(std::begin(range), std::end(range));
}

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::parallel_sort;
}  // namespace v1
}  // namespace tbb
