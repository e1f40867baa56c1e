// SPDX-License-Identifier: Apache-2.0
// parallel_reduce, parallel_deterministic_reduce.
#pragma once

#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/run.hpp>
#include <sennit/join.hpp>
#include <sennit/tbb/blocked_range.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/parallel_for.hpp>
#include <sennit/tbb/partitioner.hpp>
#include <sennit/tbb/setting.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace tbb {
namespace on_sennit {

// Halves a range. The right half has a body of its own if another strand has begun it before the left half was over, or,
// for `always`, in any case.
template <class Range, class Body, class Partitioner, bool always>
class range_reduction {
 public:
  explicit range_reduction(const setting& in) : in_(in) {}

  void run(Range& range, Body& body, std::size_t parts) const {
    const splitting<Range, Partitioner> rest(range, parts);
    if (!rest.goes_on()) {
      run_task(in_, [&] { body(range); });
      return;
    }
    Range right = rest.right();
    std::atomic<bool> left_over{false};
    std::optional<Body> own;
    if constexpr (always) own.emplace(body, split());
    sennit::join(
        [&, this] {
          run(range, body, rest.left_parts());
          left_over.store(true);
        },
        [&, this] {
          if (!always && left_over.load()) {
            run(right, body, rest.right_parts());
          } else {
            if (!own) own.emplace(body, split());
            run(right, *own, rest.right_parts());
          }
        });
    if (own) run_task(in_, [&] { body.join(*own); });
  }

 private:
  const setting& in_;
};

// A body for Sennit's loops over grains. Only the part that begins with the first grain uses the body of the program.
template <class Value, class Body>
class grains_reduction {
 public:
  struct value {
    Body* used = nullptr;
    std::unique_ptr<Body> own;
  };
  static constexpr bool whole_chunks = true;

  grains_reduction(const setting& in, const grains<Value>& all, Body& first)
      : in_(in), all_(all), first_(first) {}

  value make() const { return {}; }
  template <class Gate>
  position run(value& part, position from, position to, Gate) const {
    run_task(in_, [&] {
      if (part.used == nullptr) begin(part, from);
      blocked_range<Value> range = all_.part(from, to);
      (*part.used)(range);
    });
    return to;
  }
  void run_one(value& part, position at) const { run(part, at, at + 1, sennit::detail::no_gate()); }
  void merge(value& left, value&& right) const {
    if (right.used == nullptr) return;
    if (left.used == nullptr) {
      left = std::move(right);
    } else {
      run_task(in_, [&] { left.used->join(*right.used); });
    }
  }
  std::uintptr_t code() const noexcept { return 0; }

 private:
  void begin(value& part, position from) const {
    if (from == 0) {
      part.used = &first_;
    } else {
      part.own = std::make_unique<Body>(first_, split());
      part.used = part.own.get();
    }
  }

  const setting& in_;
  const grains<Value>& all_;
  Body& first_;
};

// The function form as a body.
template <class Range, class Value, class Function, class Reduction>
class function_body {
 public:
  function_body(const Value& identity, const Function& function, const Reduction& reduction)
      : identity_(identity), function_(function), reduction_(reduction), value_(identity) {}
  function_body(function_body& other, split)
      : function_body(other.identity_, other.function_, other.reduction_) {}
  void operator()(Range& range) { value_ = function_(range, std::as_const(value_)); }
  void join(function_body& right) { value_ = reduction_(std::as_const(value_), std::as_const(right.value_)); }
  Value&& result() && { return std::move(value_); }

 private:
  const Value& identity_;
  const Function& function_;
  const Reduction& reduction_;
  Value value_;
};

template <class Partitioner, bool always, class Range, class Body>
void reduce_range(const setting& in, const Range& range, Body& body) {
  Range whole(range);
  range_reduction<Range, Body, Partitioner, always>(in).run(whole, body,
                                                            splitting<Range, Partitioner>::parts_in_all());
}
template <class Partitioner, bool always, class Value, class Body>
  requires std::same_as<Partitioner, auto_partitioner>
void reduce_range(const setting& in, const blocked_range<Value>& range, Body& body) {
  const grains<Value> all(range);
  (void)sennit::detail::run_loop(all.count, grains_reduction<Value, Body>(in, all, body),
                                 sennit::loop_options());
}

template <class Partitioner, bool always, class Range, class Body>
void reduce(task_group_context* context, const Range& range, Body& body) {
  if (range.empty()) return;
  construct(context, [&](const setting& in) { reduce_range<Partitioner, always>(in, range, body); });
}
template <class Partitioner, bool always, class Range, class Value, class Function, class Reduction>
Value reduce(task_group_context* context, const Range& range, const Value& identity, const Function& function,
             const Reduction& reduction) {
  function_body<Range, Value, Function, Reduction> body(identity, function, reduction);
  reduce<Partitioner, always>(context, range, body);
  return std::move(body).result();
}

template <class Range, class Body>
void parallel_reduce(const Range& range, Body& body) {
  reduce<auto_partitioner, false>(nullptr, range, body);
}
template <class Range, class Body>
void parallel_reduce(const Range& range, Body& body, task_group_context& context) {
  reduce<auto_partitioner, false>(&context, range, body);
}
template <class Range, class Body, class P>
  requires is_partitioner<std::remove_const_t<P>>
void parallel_reduce(const Range& range, Body& body, P&) {
  reduce<std::remove_const_t<P>, false>(nullptr, range, body);
}
template <class Range, class Body, class P>
  requires is_partitioner<std::remove_const_t<P>>
void parallel_reduce(const Range& range, Body& body, P&, task_group_context& context) {
  reduce<std::remove_const_t<P>, false>(&context, range, body);
}
template <class Range, class Body, class P>
  requires is_partitioner<P>
void parallel_reduce(const Range& range, Body& body, const P&& how) {
  parallel_reduce(range, body, how);
}
template <class Range, class Value, class Function, class Reduction>
  requires(!is_partitioner<Function>)
Value parallel_reduce(const Range& range, const Value& identity, const Function& function,
                      const Reduction& reduction) {
  return reduce<auto_partitioner, false>(nullptr, range, identity, function, reduction);
}
template <class Range, class Value, class Function, class Reduction>
Value parallel_reduce(const Range& range, const Value& identity, const Function& function,
                      const Reduction& reduction, task_group_context& context) {
  return reduce<auto_partitioner, false>(&context, range, identity, function, reduction);
}
template <class Range, class Value, class Function, class Reduction, class P>
  requires is_partitioner<P>
Value parallel_reduce(const Range& range, const Value& identity, const Function& function,
                      const Reduction& reduction, const P&) {
  return reduce<P, false>(nullptr, range, identity, function, reduction);
}
template <class Range, class Value, class Function, class Reduction, class P>
  requires is_partitioner<P>
Value parallel_reduce(const Range& range, const Value& identity, const Function& function,
                      const Reduction& reduction, const P&, task_group_context& context) {
  return reduce<P, false>(&context, range, identity, function, reduction);
}

// The same tree each time: that of simple_partitioner, or, for static_partitioner and as long as the number of workers is
// the same, that of static_partitioner.
template <class P>
inline constexpr bool is_fixed = std::same_as<P, simple_partitioner> || std::same_as<P, static_partitioner>;

template <class Range, class Body>
void parallel_deterministic_reduce(const Range& range, Body& body) {
  reduce<simple_partitioner, true>(nullptr, range, body);
}
template <class Range, class Body>
void parallel_deterministic_reduce(const Range& range, Body& body, task_group_context& context) {
  reduce<simple_partitioner, true>(&context, range, body);
}
template <class Range, class Body, class P>
  requires is_fixed<P>
void parallel_deterministic_reduce(const Range& range, Body& body, const P&) {
  reduce<P, true>(nullptr, range, body);
}
template <class Range, class Body, class P>
  requires is_fixed<P>
void parallel_deterministic_reduce(const Range& range, Body& body, const P&, task_group_context& context) {
  reduce<P, true>(&context, range, body);
}
template <class Range, class Value, class Function, class Reduction>
  requires(!is_fixed<Function>)
Value parallel_deterministic_reduce(const Range& range, const Value& identity, const Function& function,
                                    const Reduction& reduction) {
  return reduce<simple_partitioner, true>(nullptr, range, identity, function, reduction);
}
template <class Range, class Value, class Function, class Reduction>
Value parallel_deterministic_reduce(const Range& range, const Value& identity, const Function& function,
                                    const Reduction& reduction, task_group_context& context) {
  return reduce<simple_partitioner, true>(&context, range, identity, function, reduction);
}
template <class Range, class Value, class Function, class Reduction, class P>
  requires is_fixed<P>
Value parallel_deterministic_reduce(const Range& range, const Value& identity, const Function& function,
                                    const Reduction& reduction, const P&) {
  return reduce<P, true>(nullptr, range, identity, function, reduction);
}
template <class Range, class Value, class Function, class Reduction, class P>
  requires is_fixed<P>
Value parallel_deterministic_reduce(const Range& range, const Value& identity, const Function& function,
                                    const Reduction& reduction, const P&, task_group_context& context) {
  return reduce<P, true>(&context, range, identity, function, reduction);
}

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::parallel_deterministic_reduce;
using on_sennit::parallel_reduce;
}  // namespace v1
}  // namespace tbb
