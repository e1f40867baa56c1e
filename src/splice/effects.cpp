// SPDX-License-Identifier: Apache-2.0
#include <sennit/data_regions.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/effects.hpp>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace sennit {

namespace {

// The three arrays of a longer list, in one block of memory.
constexpr std::size_t bytes_each = sizeof(hull) + sizeof(detail::region_kind*) + sizeof(detail::region_data);

}  // namespace

void effects::grow() {
  const std::uint32_t room = 2 * room_;
  auto* const memory = static_cast<std::byte*>(std::malloc(room * bytes_each));
  if (memory == nullptr) detail::fail_for_memory();
  auto* const where = reinterpret_cast<hull*>(memory);
  auto* const kinds = reinterpret_cast<const detail::region_kind**>(where + room);
  auto* const data = reinterpret_cast<detail::region_data*>(kinds + room);
  for (std::uint32_t i = 0; i < count_; ++i) {
    where[i] = where_[i];
    kinds[i] = kinds_[i];
    if (kinds_[i] == nullptr) continue;
    data[i].copy(data_[i], *kinds_[i]);
    data_[i].end(*kinds_[i]);
  }
  if (room_ != inside) std::free(where_);
  where_ = where;
  kinds_ = kinds;
  data_ = data;
  room_ = room;
}

void effects::release() noexcept {
  std::free(where_);
  where_ = own_where_;
  kinds_ = own_kinds_;
  data_ = own_data_;
  room_ = inside;
}

void detail::refuse_index(std::int64_t index) {
  fail<std::length_error>("sennit: memory_box: index " + std::to_string(index) +
                          " does not fit 32 bits: give the address of a later element as the array's begin");
}

}  // namespace sennit
