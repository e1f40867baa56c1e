// SPDX-License-Identifier: Apache-2.0
// parallel_scan: all prefixes.
#pragma once

#include <sennit/detail/algorithm/scan.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/partitioner.hpp>
#include <sennit/tbb/setting.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tbb {
namespace on_sennit {

struct pre_scan_tag {
  static constexpr bool is_final_scan() { return false; }
  constexpr operator bool() const { return false; }
};
struct final_scan_tag {
  static constexpr bool is_final_scan() { return true; }
  constexpr operator bool() const { return true; }
};

// The body of the program, or one split from it.
template <class Body>
struct scan_body {
  Body* used = nullptr;
  std::unique_ptr<Body> own;
};

template <class Range, class Body, class Partitioner>
class range_scan {
 public:
  using state = scan_body<Body>;

  range_scan(const setting& in, const Range& range, Body& body) : in_(in), body_(body) {
    Range whole(range);
    cut(whole, splitting<Range, Partitioner>::parts_in_all());
  }

  void run() {
    std::optional<state> carry(state{&body_, nullptr});
    sennit::detail::block_scan<state, range_scan>(*this).run(parts_.size(), carry,
                                                             sennit::loop_options{.grain = 1});
    if (last_.used != nullptr && last_.used != &body_) run_task(in_, [&] { body_.assign(*last_.used); });
  }

  state reduced(sennit::detail::position part) const {
    state sum;
    run_task(in_, [&] {
      sum.own = std::make_unique<Body>(body_, split());
      sum.used = sum.own.get();
      (*sum.used)(parts_[part], pre_scan_tag());
    });
    return sum;
  }
  state combined(const state& left, state&& right) const {
    if (left.used != nullptr && right.used != nullptr)
      run_task(in_, [&] { right.used->reverse_join(*left.used); });
    return std::move(right);
  }
  void scan_block(sennit::detail::position part, std::optional<state>& carry) const {
    if (!carry || carry->used == nullptr) return;
    run_task(in_, [&] { (*carry->used)(parts_[part], final_scan_tag()); });
    if (part + 1 == parts_.size()) last_ = std::exchange(*carry, state{carry->used, nullptr});
  }

 private:
  void cut(Range& range, std::size_t parts) {
    const splitting<Range, Partitioner> rest(range, parts);
    if (!rest.goes_on()) {
      parts_.push_back(range);
      return;
    }
    Range right = rest.right();
    cut(range, rest.left_parts());
    cut(right, rest.right_parts());
  }

  const setting& in_;
  Body& body_;
  std::vector<Range> parts_;
  mutable state last_;  // of the last part, which one strand scans
};

// The function form as a body.
template <class Range, class Value, class Scan, class Combine>
class function_scan {
 public:
  function_scan(const Value& identity, const Scan& scan, const Combine& combine)
      : identity_(identity), scan_(scan), combine_(combine), sum_(identity) {}
  function_scan(function_scan& other, split) : function_scan(other.identity_, other.scan_, other.combine_) {}

  template <class Tag>
  void operator()(const Range& range, Tag tag) {
    sum_ = scan_(range, std::as_const(sum_), tag);
  }
  void reverse_join(function_scan& left) { sum_ = combine_(std::as_const(left.sum_), std::as_const(sum_)); }
  void assign(function_scan& other) { sum_ = other.sum_; }
  Value&& result() && { return std::move(sum_); }

 private:
  const Value& identity_;
  const Scan& scan_;
  const Combine& combine_;
  Value sum_;
};

template <class Range, class Body, class P = auto_partitioner>
  requires is_partitioner<P>
void parallel_scan(const Range& range, Body& body, const P& = P()) {
  if (range.empty()) return;
  construct(nullptr, [&](const setting& in) { range_scan<Range, Body, P>(in, range, body).run(); });
}
template <class Range, class Value, class Scan, class Combine, class P = auto_partitioner>
  requires(is_partitioner<P> && !is_partitioner<Scan>)
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan, const Combine& combine,
                    const P& how = P()) {
  function_scan<Range, Value, Scan, Combine> body(identity, scan, combine);
  parallel_scan(range, body, how);
  return std::move(body).result();
}

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::final_scan_tag;
using on_sennit::parallel_scan;
using on_sennit::pre_scan_tag;
}  // namespace v1
}  // namespace tbb
