// SPDX-License-Identifier: Apache-2.0
// latent_range: the remaining iterations of a loop around other code with promotion points. They become a
// task before the remaining iterations of inner loops do.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/latent/call.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace sennit {

// The iterations of a loop, and of the loops around it, that have not begun, as the code inside the loop
// sees them. Pass it inward as a pointer, which is null if there is no loop around. It belongs to a strand;
// what becomes a task begins with null.
class latent {
 public:
  latent(const latent&) = delete;
  latent& operator=(const latent&) = delete;

  // Of this loop and the loops around it, the outermost one with remaining iterations gives away half of
  // them, rounded up. A latent_join around that loop gives its second call away first. Returns false if none has any. Loops
  // and calls outside of the strand's innermost region give nothing away. Call it in promotion points, on the strand of the
  // loops, which has each latent on its stack. Throws what `give` throws; nothing is given then. Cost: that of `give`, and a
  // nanosecond or two for each loop around.
  SENNIT_COLD bool promote() {
    latent* outermost = nullptr;
    const std::uintptr_t end = detail::region_frame();
    for (latent* next = this; next != nullptr && reinterpret_cast<std::uintptr_t>(next->place()) < end;
         next = next->outer_)
      if (!next->empty() && next->give_ != nullptr) outermost = next;
    // A call around that loop is older still.
    if (detail::give_oldest_call(outermost != nullptr ? outermost->place() : nullptr)) return true;
    return outermost != nullptr && (outermost->halve(), true);
  }

  bool empty() const noexcept { return first_ >= last_; }
  // The end of the iterations that remain for the loop itself.
  std::size_t last() const noexcept { return last_; }

 protected:
  // Null in an elision, where nothing is given away.
  using giver = void (*)(latent& from, std::size_t first, std::size_t last);

  latent(latent* outer, std::size_t first, std::size_t last, giver give) noexcept
      : outer_(outer), first_(first), last_(last), give_(give) {}
  ~latent() = default;

 private:
  // On the stack. AddressSanitizer has objects elsewhere.
#if SENNIT_ASAN
  const void* place() const noexcept { return place_; }
  const void* const place_ = __builtin_frame_address(0);
#else
  const void* place() const noexcept { return this; }
#endif

  void halve() {
    const std::size_t middle = first_ + (last_ - first_) / 2;
    give_(*this, middle, last_);
    last_ = middle;
  }

  latent* const outer_;
  const std::size_t first_;
  std::size_t last_;
  const giver give_;
};

// The iterations [first, last) of a loop inside `outer`. Make one around the part of an iteration that has
// promotion points of its own, usually a call. The loop then ends at last(). `give(from, to)` lets another
// strand do [from, to), for example by a task_group's spawn(); only promote() calls it. The second call of a
// recursive function is a range of one: make that call unless the range is empty() after the first call.
//
// Thread-safety: none; it belongs to one strand. Cost: four stores, so that neither loop needs an
// instruction for each iteration. The outer loop is promoted first: Rainey et al., "Task Parallel Assembly
// Language for Uncompromising Parallelism", 2021, 2.3.
//
// Example:
//   #include <sennit/promotion_point.hpp>
//   #include <sennit/task_group.hpp>
//
//   long sum(const int* data, std::size_t n, sennit::latent& around) {
//     long s = 0;
//     for (std::size_t i = 0; i < n;) {
//       const std::size_t end = n - i > 512 ? i + 512 : n;
//       for (; i < end; ++i) s += data[i];
//       SENNIT_PROMOTION_POINT(around.promote());
//     }
//     return s;
//   }
//
//   // out[row] = the sum of the row; half of the rows left is given away after a chunk of columns.
//   void sum_rows(const int* data, std::size_t width, long* out, std::size_t row, std::size_t end) {
//     sennit::task_group group;
//     for (; row < end; ++row) {
//       sennit::latent_range rest(nullptr, row + 1, end, [&](std::size_t from, std::size_t to) {
//         group.spawn([=] { sum_rows(data, width, out, from, to); });
//       });
//       out[row] = sum(data + row * width, width, rest);
//       end = rest.last();
//     }
//     group.wait();
//   }
template <class Give>
class latent_range : public latent {
 public:
  latent_range(latent* outer, std::size_t first, std::size_t last, Give give) noexcept
      : latent(outer, first, last, &call), give_(std::move(give)) {}

 private:
  static void call(latent& from, std::size_t first, std::size_t last) {
    static_cast<latent_range&>(from).give_(first, last);
  }

  Give give_;
};

}  // namespace sennit
