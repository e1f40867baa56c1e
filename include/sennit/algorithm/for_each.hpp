// SPDX-License-Identifier: Apache-2.0
// parallel_for_each: a function for each element of any range, and for work that is found on the way.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/batches.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/shared_body.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/task_group.hpp>

#include <concepts>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit {

// What the function of a parallel_for_each adds work to, as its second parameter. Strands of that function may add at any
// time, several at once. Not copied, and used only while its parallel_for_each runs.
template <class T>
class feeder {
 public:
  feeder(const feeder&) = delete;
  feeder& operator=(const feeder&) = delete;

  // The function will be called for this element, too, perhaps within this call. Throws as task_group::spawn().
  void add(T element) const { add_(*this, std::move(element)); }

 protected:
  using function = void (*)(const feeder&, T&&);
  explicit feeder(function adds) : add_(adds) {}
  ~feeder() = default;

 private:
  function add_;
};

namespace detail {

// Calls f for elements and for those that are added meanwhile: in children of a group, or one after the other.
template <class T, class F>
class fed_in_parallel : public feeder<T> {
 public:
  explicit fed_in_parallel(F& f) : feeder<T>(&later), f_(f) {}

  template <class It, class End>
  void run(It first, End last) {
    auto call = [this](auto&& element) {
      detail::invoke(f_, std::forward<decltype(element)>(element), *this);
    };
    walk(std::move(first), std::move(last), call, group_);
  }

 private:
  static void later(const feeder<T>& base, T&& element) {
    const auto& self = static_cast<const fed_in_parallel&>(base);
    self.group_.spawn(
        [&self, element = std::move(element)]() mutable { detail::invoke(self.f_, element, self); });
  }

  F& f_;
  mutable task_group group_;
};
template <class T, class F>
class fed_in_order : public feeder<T> {
 public:
  explicit fed_in_order(F& f) : feeder<T>(&later), f_(f) {}

  template <class It, class End>
  void run(It first, const End& last) {
    for (; first != last; ++first) {
      detail::invoke(f_, *first, *this);
      while (!waiting_.empty()) {
        T element = std::move(waiting_.back());
        waiting_.pop_back();
        detail::invoke(f_, element, *this);
      }
    }
  }

 private:
  static void later(const feeder<T>& base, T&& element) {
    static_cast<const fed_in_order&>(base).waiting_.push_back(std::move(element));
  }

  F& f_;
  mutable std::vector<T> waiting_;
};

template <class F, class It>
concept element_function = shared_body<F, std::iter_reference_t<It>>;
template <class F, class It>
concept feeding_function = !element_function<F, It> &&
                           shared_body<F, std::iter_reference_t<It>, const feeder<std::iter_value_t<It>>&> &&
                           shared_body<F, std::iter_value_t<It>&, const feeder<std::iter_value_t<It>>&>;
template <class F, class It>
concept function_with_state =
    body_with_state<F, std::iter_reference_t<It>> ||
    body_with_state<F, std::iter_reference_t<It>, const feeder<std::iter_value_t<It>>&>;

// The forms of parallel_for_each, listed below.
template <class Engine>
struct for_each_calls {
  template <std::ranges::input_range R, class F>
    requires element_function<F, std::ranges::iterator_t<R>> ||
             feeding_function<F, std::ranges::iterator_t<R>>
  void operator()(R&& range, F&& f SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_for_each");
    run(std::ranges::begin(range), std::ranges::end(range), std::as_const(f));
  }
  template <std::input_iterator It, std::sentinel_for<It> End, class F>
    requires element_function<F, It> || feeding_function<F, It>
  void operator()(It first, End last, F&& f SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_for_each");
    run(std::move(first), std::move(last), std::as_const(f));
  }

  template <class... A>
  static consteval void refuse() {
    using first = argument<0, A...>;
    if constexpr (std::ranges::input_range<first>) {
      refuse_function<std::ranges::iterator_t<first>, argument<1, A...>, A...>();
    } else if constexpr (std::input_iterator<plain_argument<0, A...>>) {
      refuse_function<plain_argument<0, A...>, argument<2, A...>, A...>();
    } else {
      static_assert(
          never<A...>,
          "parallel_for_each: the first argument is neither a range nor an iterator; to count, call "
          "parallel_for");
    }
  }

 private:
  template <class It, class F, class... A>
  static consteval void refuse_function() {
    if constexpr (std::is_void_v<F>) {
      static_assert(never<A...>, "parallel_for_each: there is no function behind the elements");
    } else {
      refuse_state_if<function_with_state<F, It>>();
      static_assert(
          function_with_state<F, It> || never<A...>,
          "parallel_for_each: the function can be called neither with an element, nor with an element and a "
          "const sennit::feeder of such elements");
    }
  }

  template <class It, class End, class F>
  static void run(It first, End last, F& f) {
    using T = std::iter_value_t<It>;
    if constexpr (feeding_function<F, It>) {
      std::conditional_t<Engine::serial, fed_in_order<T, F>, fed_in_parallel<T, F>>(f).run(std::move(first),
                                                                                           std::move(last));
    } else if constexpr (iterator_bounds<It, End>) {
      looping<Engine>()(std::move(first), std::move(last), f);
    } else if constexpr (Engine::serial) {
      for (; first != last; ++first) static_cast<void>(detail::invoke(f, *first));
    } else {
      task_group group;
      walk(std::move(first), std::move(last), f, group);
    }
  }
};

}  // namespace detail

// Calls f for each element of any range: those of a list, a map or a stream as well as those of a vector.
//
//   parallel_for_each(range, f)        f(element)
//   parallel_for_each(first, last, f)
//
// If f takes two parameters, the second one is a `const sennit::feeder<T>&`, to which it may add elements that it has found
// on the way. f is called for these as well, in no particular order.
//
// With random access the elements are those of a parallel_for. Without it, the calling strand walks along the sequence and
// hands over batches. So what the walk takes is serial: f has to be worth more than a step to the next element. Elements of
// a sequence that can be passed only once, such as std::views::istream, are copied.
//
// Several threads call f at once, as a constant. Throws the exception of the element that comes first among those that threw;
// of added elements, in the order of the program in which add() calls f at once. Others may have been visited. Throws what an
// iterator threw on the way, behind that of elements before. Throws std::bad_alloc, and sennit::cancelled in a cancelled
// region. Thread-safety: any thread may call it. Cost: as parallel_for with random access; else some 20 ns for each batch,
// which takes about 10 microseconds, and for an added element some hundred. Memory: for some hundred batches, and for the
// elements that were added and not visited.
//
// Example:
//   #include <map>
//   #include <string>
//   #include <vector>
//
//   void renew(std::map<std::string, std::vector<double>>& columns) {
//     sennit::parallel_for_each(columns, [](auto& column) { column.second.assign(1000, 0.0); });
//   }
//
//   struct folder {
//     std::vector<folder> inner;
//   };
//   void visit_all(std::vector<const folder*> roots) {
//     sennit::parallel_for_each(roots, [](const folder* f, const sennit::feeder<const folder*>& more) {
//       for (const folder& inner : f->inner) more.add(&inner);
//     });
//   }
inline constexpr detail::algorithm<detail::for_each_calls<detail::in_parallel>> parallel_for_each{};

}  // namespace sennit
