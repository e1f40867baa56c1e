// SPDX-License-Identifier: Apache-2.0
// per_strand: storage that a strand keeps across the constructs that it begins.
#pragma once

#include <sennit/detail/algorithm/combine.hpp>
#include <sennit/reducer.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit {
namespace detail {

// Objects that no strand has at present.
template <class T>
class spare_objects {
 public:
  explicit spare_objects(std::function<T()> make) : make_(std::move(make)) {}

  std::unique_ptr<T> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!spare_.empty()) {
        std::unique_ptr<T> one = std::move(spare_.back());
        spare_.pop_back();
        return one;
      }
      // So that giving one back needs no memory.
      spare_.reserve(++made_);
    }
    return std::unique_ptr<T>(new T(make_()));
  }
  void give_back(std::unique_ptr<T> one) noexcept {
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(one));
  }

 private:
  const std::function<T()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> spare_;
  std::size_t made_ = 0;
};

// An object of the spare ones, for as long as a strand has it.
template <class T>
class lent_object {
 public:
  explicit lent_object(std::shared_ptr<spare_objects<T>> from)
      : from_(std::move(from)), object_(from_->take()) {}
  lent_object(lent_object&&) noexcept = default;
  lent_object& operator=(lent_object&&) noexcept = default;
  ~lent_object() {
    if (object_ != nullptr) from_->give_back(std::move(object_));
  }

  T& operator*() const { return *object_; }

 private:
  std::shared_ptr<spare_objects<T>> from_;
  std::unique_ptr<T> object_;
};

struct keep_left {
  template <class T>
  void operator()(T&, T&&) const noexcept {}
};

}  // namespace detail

// A T for each strand that asks for one: scratch space that stays the strand's own across joins, loops and waits, where that
// of a per_worker may become another's. Where strands join, the T of the left one is kept, and the other T is spare: the next
// strand that needs one gets it as it was left.
//
//   per_strand<T> x;         each T begins as T()
//   per_strand<T> x(make);   each T begins as make(), which several threads may call at once
//   per_strand<T> x(value);  each T begins as a copy of `value`
//
// Which strand gets which T differs from run to run, so what a T holds at first is scratch. Cilk calls it a holder (Frigo,
// Halpern, Leiserson and Lewin-Berlin, "Reducers and other Cilk++ hyperobjects", 2009). There are never more Ts than there
// were strands at once that had one. To combine what strands have, use a reducer.
//
// Example:
//   #include <sennit/join.hpp>
//
//   #include <vector>
//
//   long paths(int depth, sennit::per_strand<std::vector<int>>& way) {
//     way.local().push_back(depth);  // still this strand's behind the join
//     if (depth > 0) {
//       auto [a, b] = sennit::join([&] { return paths(depth - 1, way); }, [&] { return paths(depth - 2, way); });
//       way.local().pop_back();
//       return a + b;
//     }
//     way.local().pop_back();
//     return 1;
//   }
template <class T>
class per_strand {
  static_assert(
      std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T>,
      "per_strand: T is a reference, an array or constant; give a type of objects that can be changed");

 public:
  per_strand()
    requires std::default_initializable<T>
      : per_strand(from_maker(), [] { return T(); }) {}
  template <class Make>
    requires(std::is_invocable_r_v<T, const std::decay_t<Make>&> && !std::same_as<std::decay_t<Make>, T> &&
             !std::same_as<std::decay_t<Make>, per_strand>)
  explicit per_strand(Make&& make) : per_strand(from_maker(), std::function<T()>(std::forward<Make>(make))) {}
  explicit per_strand(T like)
    requires std::copy_constructible<T>
      : per_strand(from_maker(), [like = std::move(like)] { return like; }) {}

  // The calling strand's T. The reference is valid as long as that of a reducer's view(): across joins, loops and calls, but
  // not across spawn() or wait() of a task_group that the strand has begun. Branches, children and iterations call local()
  // themselves. Throws what making a T throws, and std::bad_alloc. Thread-safety: any thread may call it at any time. Cost:
  // about a nanosecond; for a strand's first call, a lock, and an allocation where no T is spare.
  T& local() { return *views_.view(); }

 private:
  struct from_maker {};
  using object = detail::lent_object<T>;
  struct lend {
    object operator()() const { return object(from); }
    std::shared_ptr<detail::spare_objects<T>> from;
  };

  per_strand(from_maker, std::function<T()> make)
      : views_(lend{std::make_shared<detail::spare_objects<T>>(std::move(make))}, detail::keep_left()) {}

  reducer<object, detail::keep_left, lend> views_;
};

template <class Make>
  requires std::invocable<const Make&>
per_strand(Make) -> per_strand<std::invoke_result_t<const Make&>>;
template <class T>
  requires(!std::invocable<T&>)
per_strand(T) -> per_strand<T>;

}  // namespace sennit
