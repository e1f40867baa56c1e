// latent_range: what is left of a loop around other code with promotion points, which becomes a task before
// what is left inside.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstddef>
#include <utility>

namespace sennit {

// Iterations that have not begun, as the code inside of the loop sees them; with those of the loops around
// that one. It is passed inward as a pointer, null where nothing is around. It belongs to a strand: what
// becomes a task begins with null.
class latent {
 public:
  latent(const latent&) = delete;
  latent& operator=(const latent&) = delete;

  // Of this loop and those around it, the outermost that has iterations left gives half of them away, rounded
  // up. False: none has any. For promotion points, on the strand whose loops they are. Throws what `give`
  // throws; then nothing is given. Cost: `give`, and a nanosecond or two for each loop around.
  SENNIT_COLD bool promote() {
    latent* outermost = nullptr;
    for (latent* each = this; each != nullptr; each = each->outer_)
      if (!each->empty()) outermost = each;
    return outermost != nullptr && (outermost->halve(), true);
  }

  bool empty() const noexcept { return first_ >= last_; }
  // Where what is left for the loop itself ends.
  std::size_t last() const noexcept { return last_; }

 protected:
  using giver = void (*)(latent& from, std::size_t first, std::size_t last);

  latent(latent* outer, std::size_t first, std::size_t last, giver give) noexcept
      : outer_(outer), first_(first), last_(last), give_(give) {}
  ~latent() = default;

 private:
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

// [first, last) of a loop inside of `outer`, made around the part of an iteration that has promotion points
// of its own: a call, as a rule. The loop ends at last() behind it. `give(from, to)` has somebody else do
// [from, to), by a task_group's spawn(); it is called by promote() only. The second call of a recursive
// function is a range of one, to be made unless it is empty() after the first.
//
// Thread-safety: none; one strand's. Cost: four stores, so that neither loop needs an instruction for each
// iteration. Rainey et al., "Task Parallel Assembly Language for Uncompromising Parallelism", 2021, 2.3: the
// outer loop first.
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
