// SPDX-License-Identifier: Apache-2.0
// blocked_range: half-open intervals that are split down to a grain.
#pragma once

#include <sennit/tbb/first.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tbb {
namespace on_sennit {

template <class Value>
class blocked_range {
 public:
  using const_iterator = Value;
  using size_type = std::size_t;

  blocked_range(Value begin, Value end, size_type grain = 1) : end_(end), begin_(begin), grain_(grain) {}
  blocked_range(blocked_range& whole, split)
      : end_(whole.end_), begin_(whole.cut(whole.size() / 2)), grain_(whole.grain_) {}
  blocked_range(blocked_range& whole, proportional_split& parts)
      : end_(whole.end_), begin_(whole.cut(whole.left_of(parts))), grain_(whole.grain_) {}

  const_iterator begin() const { return begin_; }
  const_iterator end() const { return end_; }
  size_type size() const { return static_cast<size_type>(end_ - begin_); }
  size_type grainsize() const { return grain_; }
  bool empty() const { return !(begin_ < end_); }
  bool is_divisible() const { return grain_ < size(); }

 private:
  // Keeps so many values, and returns what begins after them.
  Value cut(size_type left) {
    const Value middle = begin_ + static_cast<decltype(end_ - begin_)>(left);
    end_ = middle;
    return middle;
  }
  // At least one value on each side.
  size_type left_of(const proportional_split& parts) const {
    const size_type n = size();
    const double share =
        static_cast<double>(parts.right()) / static_cast<double>(parts.left() + parts.right());
    const auto right = static_cast<size_type>(static_cast<double>(n) * share + 0.5);
    return n - (right == 0 ? 1 : right >= n ? n - 1 : right);
  }

  Value end_;
  Value begin_;
  size_type grain_;
};

// Whether the first range is longer than the second, in grains.
template <class A, class B>
bool longer(const A& a, const B& b) {
  return static_cast<double>(a.size()) * static_cast<double>(b.grainsize()) >
         static_cast<double>(b.size()) * static_cast<double>(a.grainsize());
}

template <class Row, class Column = Row>
class blocked_range2d {
 public:
  using row_range_type = blocked_range<Row>;
  using col_range_type = blocked_range<Column>;

  blocked_range2d(Row row_begin, Row row_end, typename row_range_type::size_type row_grain,
                  Column column_begin, Column column_end, typename col_range_type::size_type column_grain)
      : rows_(row_begin, row_end, row_grain), columns_(column_begin, column_end, column_grain) {}
  blocked_range2d(Row row_begin, Row row_end, Column column_begin, Column column_end)
      : rows_(row_begin, row_end), columns_(column_begin, column_end) {}
  blocked_range2d(blocked_range2d& whole, split how) : blocked_range2d(whole) { cut(whole, how); }
  blocked_range2d(blocked_range2d& whole, proportional_split& how) : blocked_range2d(whole) {
    cut(whole, how);
  }

  bool empty() const { return rows_.empty() || columns_.empty(); }
  bool is_divisible() const { return rows_.is_divisible() || columns_.is_divisible(); }
  const row_range_type& rows() const { return rows_; }
  const col_range_type& cols() const { return columns_; }

 private:
  template <class How>
  void cut(blocked_range2d& whole, How& how) {
    if (longer(columns_, rows_)) {
      columns_ = col_range_type(whole.columns_, how);
    } else {
      rows_ = row_range_type(whole.rows_, how);
    }
  }

  row_range_type rows_;
  col_range_type columns_;
};

template <class Page, class Row = Page, class Column = Row>
class blocked_range3d {
 public:
  using page_range_type = blocked_range<Page>;
  using row_range_type = blocked_range<Row>;
  using col_range_type = blocked_range<Column>;

  blocked_range3d(Page page_begin, Page page_end, typename page_range_type::size_type page_grain,
                  Row row_begin, Row row_end, typename row_range_type::size_type row_grain,
                  Column column_begin, Column column_end, typename col_range_type::size_type column_grain)
      : pages_(page_begin, page_end, page_grain),
        rows_(row_begin, row_end, row_grain),
        columns_(column_begin, column_end, column_grain) {}
  blocked_range3d(Page page_begin, Page page_end, Row row_begin, Row row_end, Column column_begin,
                  Column column_end)
      : pages_(page_begin, page_end), rows_(row_begin, row_end), columns_(column_begin, column_end) {}
  blocked_range3d(blocked_range3d& whole, split how) : blocked_range3d(whole) { cut(whole, how); }
  blocked_range3d(blocked_range3d& whole, proportional_split& how) : blocked_range3d(whole) {
    cut(whole, how);
  }

  bool empty() const { return pages_.empty() || rows_.empty() || columns_.empty(); }
  bool is_divisible() const {
    return pages_.is_divisible() || rows_.is_divisible() || columns_.is_divisible();
  }
  const page_range_type& pages() const { return pages_; }
  const row_range_type& rows() const { return rows_; }
  const col_range_type& cols() const { return columns_; }

 private:
  template <class How>
  void cut(blocked_range3d& whole, How& how) {
    const bool row_first = longer(rows_, pages_);
    if (row_first ? longer(columns_, rows_) : longer(columns_, pages_)) {
      columns_ = col_range_type(whole.columns_, how);
    } else if (row_first) {
      rows_ = row_range_type(whole.rows_, how);
    } else {
      pages_ = page_range_type(whole.pages_, how);
    }
  }

  page_range_type pages_;
  row_range_type rows_;
  col_range_type columns_;
};

// Of any number of dimensions. The longest one is split, of equals the first.
template <class Value, class Dimensions>
class blocked_box;
template <class Value, std::size_t... I>
class blocked_box<Value, std::index_sequence<I...>> {
 public:
  using value_type = Value;
  using dim_range_type = blocked_range<Value>;

  blocked_box(const std::enable_if_t<I + 1 != 0, dim_range_type>&... each) : dimensions_{each...} {}
  blocked_box(blocked_box& whole, split how) : blocked_box(whole) { cut(whole, how); }
  blocked_box(blocked_box& whole, proportional_split& how) : blocked_box(whole) { cut(whole, how); }

  static constexpr unsigned ndims() { return sizeof...(I); }
  const dim_range_type& dim(unsigned dimension) const { return dimensions_[dimension]; }
  bool empty() const { return (dimensions_[I].empty() || ...); }
  bool is_divisible() const { return (dimensions_[I].is_divisible() || ...); }

 private:
  template <class How>
  void cut(blocked_box& whole, How& how) {
    std::size_t longest = 0;
    for (std::size_t i = 1; i < sizeof...(I); ++i) {
      if (longer(dimensions_[i], dimensions_[longest])) longest = i;
    }
    dimensions_[longest] = dim_range_type(whole.dimensions_[longest], how);
  }

  std::array<dim_range_type, sizeof...(I)> dimensions_;
};

}  // namespace on_sennit
inline namespace v1 {
template <class Value, unsigned N>
using blocked_rangeNd = on_sennit::blocked_box<Value, std::make_index_sequence<N>>;
using on_sennit::blocked_range;
using on_sennit::blocked_range2d;
using on_sennit::blocked_range3d;
}  // namespace v1
namespace detail {
// oneTBB's concurrent_vector names it so.
namespace d1 {
using on_sennit::blocked_range;
}  // namespace d1
}  // namespace detail
}  // namespace tbb
