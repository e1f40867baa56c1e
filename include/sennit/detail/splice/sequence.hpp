// What stands between the constructs of splices and the library: calls, steps and sequences without their
// types.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/splice/forest.hpp>
#include <sennit/detail/splice/spliced_call.hpp>
#include <sennit/divided.hpp>
#include <sennit/effects.hpp>
#include <sennit/splicing.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

class splice_log;

// What a sequence consists of: makes a call of it.
struct sequence_item {
  const void* object;
  void (*begin)(const void* object, spliced_call& in);
  void (*run)(const void* object);  // outside a splice
};

// Whether the calling strand is in a spliced function, outside its steps.
SENNIT_EXPORT bool in_spliced_call() noexcept;

// A step that is done in slices, in the frame of the function that does it.
class sliced_step {
 public:
  virtual bool next() = 0;  // cuts off the next slice; false: there is none
  virtual void run() = 0;   // does it
  effects now;              // of the slice
  effects rest;             // of it and all that comes after

 protected:
  ~sliced_step() = default;
};
SENNIT_EXPORT void declare_effects(const effects& all);  // does nothing outside
SENNIT_EXPORT void end_effects(const effects& all) noexcept;
// False: it does nothing, as the caller runs in no spliced call.
SENNIT_EXPORT bool run_step(const effects& fx, action body);
SENNIT_EXPORT bool run_sliced_step(sliced_step& step);
SENNIT_EXPORT void run_sequence(std::span<const sequence_item> items, const effects* afterwards);

// A function that declares its effects: begun on a stack of its own, up to its first step or sequence.
SENNIT_EXPORT void begin_call(spliced_call& in, const void* object, void (*run)(const void*));
// Code without effects that are known: a step that may touch everything.
SENNIT_EXPORT void begin_unknown(spliced_call& in, const void* object, void (*run)(const void*));

// log: where the order of the steps is noted; may be null.
SENNIT_EXPORT splice_report run_splice(const splicing& how, std::uint32_t n,
                                       void (*begin)(const void*, std::uint32_t, spliced_call&),
                                       const void* object, splice_log* log);
SENNIT_EXPORT splice_report run_splice(const splicing& how, std::uint32_t n, const forest& trees,
                                       splice_log* log);
// Whether the effect checker is to see all steps.
SENNIT_EXPORT bool splices_are_checked() noexcept;
// What make(i) returns, made where a container wants it: of a move, GCC 12 would say that it copies past the
// end of a string.
template <class Made, class Make>
struct made_in_place {
  Make& make;
  std::size_t i;
  operator Made() const { return make(i); }
};

// A splice, on a worker: of the default runtime if the caller is none. Throws std::logic_error in a spliced
// function, outside its steps.
SENNIT_EXPORT void in_region(action body);

template <class F, class... Args>
struct deferred_call {
  F f;
  std::tuple<Args...> args;

  void operator()() const {
    std::apply([this](auto&... a) { std::invoke(f, a...); }, const_cast<std::tuple<Args...>&>(args));
  }
};

template <class T>
struct is_deferred_call : std::false_type {};
template <class F, class... Args>
struct is_deferred_call<deferred_call<F, Args...>> : std::true_type {};

// How many are interleaved with one another.
SENNIT_EXPORT std::uint32_t calls_together(const splicing& how) noexcept;
SENNIT_EXPORT [[noreturn]] void refuse_count();
template <std::integral N>
std::uint32_t count_of_calls(N n) {
  if (n <= 0) return 0;
  if (std::cmp_greater(n, UINT32_MAX)) refuse_count();
  return static_cast<std::uint32_t>(n);
}
// Whether steps that take so long are too short, if some 10 ns pass between them.
SENNIT_EXPORT bool step_is_short(double ns) noexcept;

// What body(0) ... body(n - 1) return; where one of them throws, those before it.
template <class Tree>
class made_trees {
 public:
  // times: what blocks that are chosen are multiplied by. prepare(tree, i): is done before one is chosen.
  template <std::integral N, class Body, class Prepare>
  made_trees(const splicing& how, N n, Body& body, std::int64_t times, Prepare&& prepare) {
    const std::uint32_t count = count_of_calls(n);
    const std::uint32_t together = std::min(calls_together(how), count);
    trees.reserve(count);
    const auto make_all = [&] {
      for (N i = 0; i < n; ++i) {
        Tree t = body(i);
        prepare(t, trees.size());
        choose_block(t, together, times);
        trees.push_back(std::move(t));
      }
    };
#if SENNIT_EXCEPTIONS
    try {
      make_all();
    } catch (...) {
      failure_ = std::current_exception();
    }
#else
    make_all();
#endif
  }
  template <std::integral N, class Body>
  made_trees(const splicing& how, N n, Body& body) : made_trees(how, n, body, 1, [](Tree&, std::size_t) {}) {}

  bool all() const noexcept { return failure_ == nullptr; }
  // It comes after what those before it throw.
  void rethrow() const {
    if (!all()) std::rethrow_exception(failure_);
  }

  std::vector<Tree> trees;

 private:
  std::exception_ptr failure_;
};
template <class Tree>
splice_report splice_trees(const splicing& how, const std::vector<Tree>& trees, splice_log* log) {
  return run_splice(how, static_cast<std::uint32_t>(trees.size()), forest_of(trees.data()), log);
}

// A tree in a sequence, where nobody knows how many calls its splice has together.
template <class Tree>
void choose_block(Tree& t) {
  choose_block(t, calls_together({}));
}
// A tree gets its block; all else is as it is.
template <class T>
decltype(auto) with_block(const T& object) {
  if constexpr (is_divided<T>::value) {
    T tree = object;
    choose_block(tree);
    return tree;
  } else {
    return (object);
  }
}

template <class T>
void run_object(const void* object) {
  (*static_cast<const T*>(object))();
}

template <class T>
sequence_item item_of(const T& object) noexcept {
  if constexpr (is_divided<T>::value) {
    return {&object,
            [](const void* o, spliced_call& in) {
              const T& tree = *static_cast<const T*>(o);
              tree_call<T>::begin(in, tree, tree.all);
            },
            run_object<T>};
  } else if constexpr (is_deferred_call<T>::value) {
    return {&object, [](const void* o, spliced_call& in) { begin_call(in, o, run_object<T>); },
            run_object<T>};
  } else {
    return {&object, [](const void* o, spliced_call& in) { begin_unknown(in, o, run_object<T>); },
            run_object<T>};
  }
}

template <class... Calls>
void sequence_now(const effects* afterwards, const Calls&... calls) {
  const std::array<sequence_item, sizeof...(Calls)> items{item_of(calls)...};
  run_sequence(items, afterwards);
}

template <class T>
concept sequence_part = std::invocable<const T&>;

}  // namespace sennit::detail
