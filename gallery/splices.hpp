// SPDX-License-Identifier: Apache-2.0
// Splices whose order can be looked at.
#pragma once

#include <sennit/memoized_splice.hpp>
#include <sennit/splice.hpp>
#include <sennit/splice_schedule.hpp>

#include <cstdint>

namespace gallery {

// A splice of declared trees. The order in which their blocks are run goes to `order`, unless that is null.
template <class Body>
void splice_noting(sennit::splice_schedule* order, const sennit::splicing& how, std::int64_t n, Body body) {
  if (order == nullptr) {
    sennit::splice(how, n, body);
  } else {
    sennit::memoized_splice all(body, how);
    all.note_memory();
    all.run(n);
    *order = all.schedule();
  }
}

}  // namespace gallery
