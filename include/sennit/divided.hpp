// SPDX-License-Identifier: Apache-2.0
// divided: work that is halved until its parts are small, for splices and sequences.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/effects_access.hpp>
#include <sennit/detail/splice/spliced_call.hpp>
#include <sennit/effects.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

template <class Part>
concept tree_part = std::is_trivially_copyable_v<Part> && sizeof(Part) <= 48 && requires(const Part& p) {
  { p.size() } -> std::convertible_to<std::int64_t>;
  { p.left() } -> std::same_as<Part>;
  { p.right() } -> std::same_as<Part>;
};

}  // namespace detail

// Work that is halved until its parts are small, and then done part by part. It is a declared tree, which
// the splicer walks without stacks (see splice()). Several workers call `effects_of` and `step` at once;
// `effects_of` is pure.
//
// part: a trivially copyable object of at most 48 bytes with size(), left() and right(), such as a
// sennit::range. If a part is larger than `block`, its left() and right() are smaller than it. size() is in
// proportion to the work.
//
// block: a part of at most this size is one step. For 0 or less, the library chooses a size from the bytes
// of effects_of() and the sizes of the caches; splice() may then try others. Cut blocks of several dimensions
// along the outer dimensions, and keep the contiguous one whole.
//
// Where the parts are of type sennit::range, splice() and memoized_splice cut them at multiples of `block`, not
// in halves, and may shift the blocks of each tree (see splice()). The first and the last block may be short.
// effects_of() is then also asked about ranges that are no blocks. Where the parts are of type
// sennit::rectangle, the blocks are tiles: rows of all columns, or parts of one or two rows.
//
// effects_of(part): the sennit::effects of all that is done for the part, whether it is small or large.
//
// step(part): does the work of the part.
//
// Calling a divided does all of its work in order, without splicing. Without a block, the call does it as
// one step.
//
// Example:
//   #include <sennit/data_regions.hpp>
//   #include <sennit/splice.hpp>
//
//   #include <vector>
//
//   // Runs twice over data that does not fit the cache, and fetches it once.
//   void shift_and_scale(std::vector<double>& v, double shift, double scale) {
//     const sennit::range all{0, static_cast<std::int64_t>(v.size())};
//     double* const x = v.data();
//     sennit::splice(2, [=](int phase) {
//       return sennit::divided{
//           all, 4096,
//           [=](sennit::range r) { return sennit::effects(sennit::writes(sennit::memory_range(x, r))); },
//           [=](sennit::range r) {
//             for (auto i = r.first; i < r.last; ++i) x[i] = phase == 0 ? x[i] + shift : x[i] * scale;
//           }};
//     });
//   }
template <class Part, class Effects, class Step>
struct divided {
  // An assertion, not a constraint: for a constraint, compilers would list the constructors of `divided`
  // that do not match.
  static_assert(detail::tree_part<Part>, "divided: the part is not a tree_part: a tree_part is trivially "
                                         "copyable, of 48 bytes at most, and has size(), "
                                         "left() and right()");
  static_assert(std::is_invocable_r_v<effects, const Effects&, const Part&>,
                "divided: effects_of cannot be called with a part, or gives no sennit::effects");
  static_assert(std::invocable<const Step&, const Part&>, "divided: step cannot be called with a part");

  Part all;
  std::int64_t block;
  Effects effects_of;
  Step step;

  // Runs the parts on the calling strand, from the first to the last.
  void operator()() const { run(all); }

 private:
  void run(const Part& p) const {
    if (block <= 0 || p.size() <= block) {
      step(p);
    } else {
      run(p.left());
      run(p.right());
    }
  }
};
template <class Part, class Effects, class Step>
divided(Part, std::int64_t, Effects, Step) -> divided<Part, Effects, Step>;

namespace detail {

template <class T>
struct is_divided : std::false_type {};
template <class... T>
struct is_divided<divided<T...>> : std::true_type {};

// How the splicer continues with a part of a declared tree.
template <class Tree>
struct tree_call {
  using part = decltype(Tree::all);
  struct data {
    const Tree* tree;
    part at;
    bool over;
  };

  static void begin(spliced_call& in, const Tree& tree, const part& at) {
    in.kind = &kind;
    in.put<data>(&tree, at, false);
    in.set_effects([&] { return tree.effects_of(at); });
    in.one_step = in.last_step = at.size() <= tree.block;
  }
  static arrival advance(spliced_call& c) noexcept {
    data& d = c.get<data>();
    if (std::exchange(d.over, true)) return arrival::end;
    if (!c.one_step) {
      c.sequence_size = 2;
      return arrival::sequence;
    }
    c.now = &c.all;
    return arrival::step;
  }
  static bool next_part(spliced_call& whole, spliced_call& in, std::uint32_t index) {
    if (index == 2) return false;
    const data& d = whole.get<data>();
    begin(in, *d.tree, index == 0 ? d.at.left() : d.at.right());
    return true;
  }
  static void run(spliced_call& c) {
    const data& d = c.get<data>();
    d.tree->step(d.at);
  }
  static void move(spliced_call& from, spliced_call& to) noexcept { to.put<data>(from.get<data>()); }
  static void drop(spliced_call&) noexcept {}

  static constexpr call_kind kind = {advance, next_part, run, move, drop};
};

// Whether a step of so many bytes is small enough on this machine and runtime, where `together` calls are
// interleaved.
SENNIT_EXPORT bool step_fits(std::uint64_t bytes, std::uint64_t together);

// The size of the largest part, among the first of each size, whose effects fits(bytes) says are small enough.
template <class Tree, class Fits>
std::int64_t size_that_fits(const Tree& t, Fits&& fits) {
  auto part = t.all;
  while (part.size() > 1 && !fits(effects_access::bytes(t.effects_of(part)))) part = part.left();
  return std::max<std::int64_t>(part.size(), 1);
}
constexpr std::int64_t times_as_large(std::int64_t size, std::int64_t times) noexcept {
  return times > INT64_MAX / size ? INT64_MAX : size * times;
}

// Chooses a block for a tree without one.
template <class Tree>
void choose_block(Tree& t, std::size_t together, std::int64_t times = 1) {
  if (t.block > 0) return;
  const std::int64_t size =
      size_that_fits(t, [=](std::uint64_t bytes) { return step_fits(bytes, together); });
  t.block = times_as_large(size, times);
}

}  // namespace detail
}  // namespace sennit
