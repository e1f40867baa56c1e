// SPDX-License-Identifier: Apache-2.0
// Regions of data, for effects: contiguous memory, strided boxes, index sets, subtrees.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/effects.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

namespace sennit {

namespace detail {

// Throws std::length_error for an index of a memory_box.
SENNIT_EXPORT [[noreturn]] void refuse_index(std::int64_t index);

}  // namespace detail

// The indices [first, last), which can be halved.
struct range {
  std::int64_t first = 0;
  std::int64_t last = 0;

  constexpr std::int64_t size() const noexcept { return last > first ? last - first : 0; }
  // The halves.
  constexpr range left() const noexcept { return {first, first + size() / 2}; }
  constexpr range right() const noexcept { return {first + size() / 2, last}; }
  // This range with k more indices at either end.
  constexpr range grown(std::int64_t k) const noexcept { return {first - k, last + k}; }
  // The indices that are in both.
  constexpr range within(range bounds) const noexcept {
    return {std::max(first, bounds.first), std::min(last, bounds.last)};
  }
  friend constexpr bool operator==(range, range) = default;
};

// The cells (i, j) with i in `rows` and j in `columns`, as the part of a divided tree: see splice().
//
// Example:
//   #include <sennit/splice.hpp>
//
//   // Sweeps over a cube of n x n x n numbers, which need the next planes and rows. A cell is a row of n numbers.
//   void sweep_often(double* (&u)[2], long n, int times, void (*sweep)(double*, const double*, sennit::rectangle)) {
//     sennit::splice(times, [=, &u](int t) {
//       double* const out = u[(t + 1) % 2];
//       const double* const in = u[t % 2];
//       const auto box = [=](const double* of, sennit::rectangle r) {
//         return sennit::memory_box<3>(of, {n * n, n}, {r.rows, r.columns, sennit::range{0, n}});
//       };
//       return sennit::divided{sennit::rectangle{{1, n - 1}, {1, n - 1}}, 0,
//                              [=](sennit::rectangle r) {
//                                return sennit::effects(sennit::reads(box(in, r.grown(1))), sennit::writes(box(out, r)));
//                              },
//                              [=](sennit::rectangle r) { sweep(out, in, r); }};
//     });
//   }
struct rectangle {
  range rows;
  range columns;

  constexpr std::int64_t size() const noexcept { return rows.size() * columns.size(); }
  // Halves of the rows, or of the only row.
  constexpr rectangle left() const noexcept {
    return rows.size() > 1 ? rectangle{rows.left(), columns} : rectangle{rows, columns.left()};
  }
  constexpr rectangle right() const noexcept {
    return rows.size() > 1 ? rectangle{rows.right(), columns} : rectangle{rows, columns.right()};
  }
  // This rectangle with k more rows and columns at each side.
  constexpr rectangle grown(std::int64_t k) const noexcept { return {rows.grown(k), columns.grown(k)}; }
  // The cells that are in both.
  constexpr rectangle within(rectangle bounds) const noexcept {
    return {rows.within(bounds.rows), columns.within(bounds.columns)};
  }
  friend constexpr bool operator==(rectangle, rectangle) = default;
};

// A range that is worked on in slices of `by` indices; 0: of a size that a splice chooses. See step().
struct sliced_range : range {
  std::int64_t by = 1;

  friend constexpr std::pair<sliced_range, sliced_range> slice(const sliced_range& r) noexcept {
    const std::int64_t cut = std::min(r.first + std::max<std::int64_t>(r.by, 1), r.last);
    return {sliced_range{{r.first, cut}, r.by}, sliced_range{{cut, r.last}, r.by}};
  }
};

// Contiguous elements.
class memory_range {
 public:
  static constexpr bool contiguous = true;  // see data_region

  template <class T>
  memory_range(const T* elements, std::size_t n) noexcept
      : where_{reinterpret_cast<std::uintptr_t>(elements),
               reinterpret_cast<std::uintptr_t>(elements) + n * sizeof(T)} {}
  // The indices may lie outside the array. The program then must not use the memory outside the array.
  template <class T>
  memory_range(const T* elements, range indices) noexcept
      : where_{reinterpret_cast<std::uintptr_t>(elements) +
                   static_cast<std::uintptr_t>(indices.first) * sizeof(T),
               reinterpret_cast<std::uintptr_t>(elements) +
                   static_cast<std::uintptr_t>(indices.last) * sizeof(T)} {}
  // All elements of a contiguous range such as a std::vector, a std::array or a std::span, or some of them.
  template <std::ranges::contiguous_range R>
    requires std::ranges::borrowed_range<R> && std::ranges::sized_range<R>
  explicit memory_range(R&& elements)
      : memory_range(std::ranges::data(elements), static_cast<std::size_t>(std::ranges::size(elements))) {}
  template <std::ranges::contiguous_range R>
    requires(std::ranges::borrowed_range<R> && !std::is_array_v<std::remove_reference_t<R>>)
  memory_range(R&& elements, range indices) : memory_range(std::ranges::data(elements), indices) {}

  friend hull hull_of(const memory_range& r) noexcept { return r.where_; }
  friend bool interferes(const memory_range& a, const memory_range& b) noexcept {
    return a.where_.first < b.where_.last && b.where_.first < a.where_.last;
  }
  friend bool contains(const memory_range& a, const memory_range& b) noexcept {
    return a.where_.first <= b.where_.first && b.where_.last <= a.where_.last;
  }

 private:
  hull where_;
};

// A box of an array of D dimensions, of which the last is contiguous: the elements [first, last) in each
// dimension. D is at most three. Boxes of the same array are compared exactly, other boxes by their hulls. A box of
// whole rows is contiguous, and costs no more than a memory_range.
// Throws std::length_error for an index beyond 32 bits.
//
// pitches: the number of elements from one index to the next, for all dimensions but the last (of a row; or
// of a plane and of a row). A pitch is not negative. Precondition: two different indices within the boxes
// are two different elements. So indices of the inner dimensions must not exceed the pitch, unless the
// program does not use the elements there.
template <std::size_t D>
  requires(D >= 2 && D <= 3)
class memory_box {
 public:
  static constexpr bool is_compared_at_once = true;  // see data_region

  template <class T>
  memory_box(const T* array, std::array<std::int64_t, D - 1> pitches, std::array<range, D> indices)
      : array_(reinterpret_cast<std::uintptr_t>(array)), bytes_(sizeof(T)) {
    pitches_ = pitches;
    for (std::size_t d = 0; d < D; ++d) {
      first_[d] = index(indices[d].first);
      last_[d] = index(indices[d].last);
    }
  }

  friend hull hull_of(const memory_box& b) noexcept {
    std::int64_t low = b.first_[D - 1];
    std::int64_t high = b.last_[D - 1];
    bool none = low >= high;
    for (std::size_t d = 0; d + 1 < D; ++d) {
      low += b.first_[d] * b.pitches_[d];
      high += (std::int64_t{b.last_[d]} - 1) * b.pitches_[d];
      none = none || b.first_[d] >= b.last_[d];
    }
    if (none) high = low;
    return {b.array_ + static_cast<std::uintptr_t>(low * b.bytes_),
            b.array_ + static_cast<std::uintptr_t>(high * b.bytes_)};
  }
  // Whole in all dimensions but the first. Parts of a row are contiguous, too, but then a comparison of hulls would
  // say less than one of boxes.
  friend bool is_contiguous(const memory_box& b) noexcept {
    std::int64_t elements = 1;
    for (std::size_t d = D; d-- > 1;) {
      elements *= range{b.first_[d], b.last_[d]}.size();
      if (elements != b.pitches_[d - 1]) return false;
    }
    return true;
  }
  friend bool interferes(const memory_box& a, const memory_box& b) noexcept {
    if (!same_array(a, b)) return true;
    for (std::size_t d = 0; d < D; ++d) {
      if (a.first_[d] >= b.last_[d] || b.first_[d] >= a.last_[d]) return false;
    }
    return true;
  }
  friend bool contains(const memory_box& a, const memory_box& b) noexcept {
    if (!same_array(a, b)) return false;
    for (std::size_t d = 0; d < D; ++d) {
      if (a.first_[d] > b.first_[d] || a.last_[d] < b.last_[d]) return false;
    }
    return true;
  }

  friend std::uint64_t bytes_of(const memory_box& b) noexcept {
    auto bytes = static_cast<std::uint64_t>(b.bytes_);
    for (std::size_t d = 0; d < D; ++d) {
      bytes *= static_cast<std::uint64_t>(range{b.first_[d], b.last_[d]}.size());
    }
    return bytes;
  }

  friend memory_runs runs_of(const memory_box& b) noexcept {
    const auto size = static_cast<std::uint64_t>(b.bytes_);
    memory_runs runs{.first = hull_of(b).first,
                     .bytes =
                         size * static_cast<std::uint64_t>(range{b.first_[D - 1], b.last_[D - 1]}.size())};
    for (std::size_t d = 0; d + 1 < D; ++d) {
      runs.count[d] = static_cast<std::uint64_t>(range{b.first_[d], b.last_[d]}.size());
      runs.pitch[d] = size * static_cast<std::uint64_t>(b.pitches_[d]);
    }
    return runs;
  }

  // Considers only addresses within this array. If rows overlap, one address may belong to several elements.
  friend bool contains_address(const memory_box& b, std::uintptr_t address, std::size_t bytes) noexcept {
    const auto from = static_cast<std::int64_t>(address - b.array_);
    const std::int64_t to = from + static_cast<std::int64_t>(bytes);
    for (std::int64_t e = quotient(from, b.bytes_); e * b.bytes_ < to; ++e) {
      if (!b.has_element(0, e)) return false;
    }
    return true;
  }

 private:
  static bool same_array(const memory_box& a, const memory_box& b) noexcept {
    return a.array_ == b.array_ && a.bytes_ == b.bytes_ && a.pitches_ == b.pitches_;
  }
  static std::int32_t index(std::int64_t i) {
    if (!std::in_range<std::int32_t>(i)) [[unlikely]]
      detail::refuse_index(i);
    return static_cast<std::int32_t>(i);
  }
  // The quotient, rounded down.
  static std::int64_t quotient(std::int64_t a, std::int64_t b) noexcept {
    return a / b - (a % b < 0 ? 1 : 0);
  }
  // Whether the box has the element at `offset` from the place where dimension d and those after it have
  // index 0.
  bool has_element(std::size_t d, std::int64_t offset) const noexcept {
    if (d == D - 1) return first_[d] <= offset && offset < last_[d];
    const std::int64_t pitch = pitches_[d];
    std::int64_t low = first_[D - 1];
    std::int64_t high = std::int64_t{last_[D - 1]} - 1;
    for (std::size_t inner = d + 1; inner + 1 < D; ++inner) {
      low += first_[inner] * pitches_[inner];
      high += (std::int64_t{last_[inner]} - 1) * pitches_[inner];
    }
    std::int64_t from = first_[d];
    std::int64_t to = std::int64_t{last_[d]} - 1;
    if (pitch > 0) {
      from = std::max(from, -quotient(high - offset, pitch));
      to = std::min(to, quotient(offset - low, pitch));
    }
    for (std::int64_t i = from; i <= to; ++i) {
      if (has_element(d + 1, offset - i * pitch)) return true;
    }
    return false;
  }

  std::uintptr_t array_;
  std::array<std::int64_t, D - 1> pitches_;
  std::int64_t bytes_;
  std::array<std::int32_t, D> first_;
  std::array<std::int32_t, D> last_;
};

// Elements of an array, given by their indices. Sets of the same array are compared exactly, index by index;
// other sets by their hulls.
//
// indices: in ascending order. The set refers to the indices and does not copy them, so they must not change
// during the splice.
//
// Example:
//   #include <vector>
//
//   // Of a row of a sparse matrix times a vector.
//   sennit::effects of_row(const std::vector<int>& columns, const double* x, double* y, long row) {
//     return {sennit::reads(sennit::index_set(x, columns)), sennit::writes(sennit::memory_range(y + row, 1))};
//   }
template <std::integral I>
class index_set {
 public:
  template <class T>
  index_set(const T* array, std::span<const I> indices) noexcept
      : array_(reinterpret_cast<std::uintptr_t>(array)), bytes_(sizeof(T)), indices_(indices) {}

  friend hull hull_of(const index_set& s) noexcept {
    if (s.indices_.empty()) return {0, 0};
    return {s.address(s.indices_.front()), s.address(s.indices_.back()) + s.bytes_};
  }
  friend bool interferes(const index_set& a, const index_set& b) noexcept {
    if (!same_array(a, b)) return true;
    auto i = a.indices_.begin();
    auto j = b.indices_.begin();
    while (i != a.indices_.end() && j != b.indices_.end()) {
      if (*i == *j) return true;
      ++(*i < *j ? i : j);
    }
    return false;
  }
  friend bool contains(const index_set& whole, const index_set& part) noexcept {
    return same_array(whole, part) && std::includes(whole.indices_.begin(), whole.indices_.end(),
                                                    part.indices_.begin(), part.indices_.end());
  }
  friend bool contains_address(const index_set& s, std::uintptr_t address, std::size_t bytes) noexcept {
    const auto size = static_cast<std::int64_t>(s.bytes_);
    const auto from = static_cast<std::int64_t>(address - s.array_);
    const std::int64_t to = from + static_cast<std::int64_t>(bytes);
    for (std::int64_t e = from / size - (from % size < 0 ? 1 : 0); e * size < to; ++e) {
      const auto index = static_cast<I>(e);
      if (static_cast<std::int64_t>(index) != e || !std::ranges::binary_search(s.indices_, index))
        return false;
    }
    return true;
  }
  friend std::uint64_t bytes_of(const index_set& s) noexcept { return s.indices_.size() * s.bytes_; }
  // The fingerprint is that of the indices, not of their address.
  friend std::uint64_t fingerprint_of(const index_set& s) noexcept {
    std::uint64_t hash = detail::mix(s.array_, s.bytes_);
    for (const I i : s.indices_) hash = detail::mix(hash, static_cast<std::uint64_t>(i));
    return hash;
  }

 private:
  static bool same_array(const index_set& a, const index_set& b) noexcept {
    return a.array_ == b.array_ && a.bytes_ == b.bytes_;
  }
  std::uintptr_t address(I index) const noexcept {
    return array_ + static_cast<std::uintptr_t>(index) * bytes_;
  }

  std::uintptr_t array_;
  std::uintptr_t bytes_;
  std::span<const I> indices_;
};
template <class T, class Indices>
index_set(const T*, const Indices&)
    -> index_set<std::remove_cvref_t<decltype(*std::data(std::declval<const Indices&>()))>>;

// A node of a binary tree and all nodes below it, wherever these are in memory; at most 64 levels. Nodes of
// trees with different roots do not interfere, so name each node by the root of the whole tree.
//
// Example:
//   #include <sennit/splice.hpp>
//
//   struct node {
//     node* child[2];
//     double value;
//   };
//
//   void scale(node* n, sennit::subtree where) {
//     const sennit::call_effects fx{sennit::writes(where)};
//     if (n == nullptr) return;
//     sennit::step(fx, [&] { n->value *= 2; });
//     sennit::sequence(sennit::call(scale, n->child[0], where.left()), sennit::call(scale, n->child[1], where.right()));
//   }
class subtree {
 public:
  explicit subtree(const void* root) noexcept : root_(root) {}
  // path: one bit for each step down, the first step in the lowest bit; 1 means right.
  subtree(const void* root, std::uint64_t path, unsigned depth) noexcept
      : root_(root), path_(path & mask(depth)), depth_(depth) {}

  subtree left() const noexcept { return {root_, path_, depth_ + 1}; }
  subtree right() const noexcept {
    return {root_, depth_ < 64 ? path_ | std::uint64_t{1} << depth_ : path_, depth_ + 1};
  }

  friend bool interferes(const subtree& a, const subtree& b) noexcept {
    return contains(a, b) || contains(b, a);
  }
  friend bool contains(const subtree& whole, const subtree& part) noexcept {
    return whole.root_ == part.root_ && whole.depth_ <= part.depth_ &&
           ((whole.path_ ^ part.path_) & mask(whole.depth_)) == 0;
  }
  friend std::uint64_t fingerprint_of(const subtree& s) noexcept {
    return detail::mix(detail::mix(reinterpret_cast<std::uintptr_t>(s.root_), s.path_), s.depth_);
  }

 private:
  static constexpr std::uint64_t mask(unsigned depth) noexcept {
    return depth >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << depth) - 1;
  }

  const void* root_;
  std::uint64_t path_ = 0;
  unsigned depth_ = 0;
};

}  // namespace sennit
