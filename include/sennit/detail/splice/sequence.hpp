// The interface between the constructs of splices and the library: calls, steps and sequences without their
// types.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/splice/bytes_of_trees.hpp>
#include <sennit/detail/splice/forest.hpp>
#include <sennit/detail/splice/shifted_tree.hpp>
#include <sennit/detail/splice/spliced_call.hpp>
#include <sennit/detail/splice/tiled_tree.hpp>
#include <sennit/divided.hpp>
#include <sennit/effects.hpp>
#include <sennit/splice_report.hpp>
#include <sennit/splicing.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

class splice_log;

// One element of a sequence, which can be made into a call.
struct sequence_item {
  const void* object;
  void (*begin)(const void* object, spliced_call& in);
  void (*run)(const void* object);  // outside a splice
};

// Whether the calling strand is in a spliced function, outside its steps.
SENNIT_EXPORT bool in_spliced_call() noexcept;

// A step that is done in slices; the object is in the frame of the function that does the step.
class sliced_step {
 public:
  virtual bool next() = 0;  // cuts off the next slice; returns false if there is none
  virtual void run() = 0;   // does the slice
  // For a sliced_range: the slice and what follows it. Null for other parts.
  virtual const range* left() const noexcept = 0;
  virtual std::int64_t size() const noexcept = 0;  // for a sliced_range: of its slices
  // For a sliced_range: the effects of a part of it.
  virtual effects effects_of_part(range part) const = 0;
  // For a sliced_range: cuts the slice again, and from then on slices of the new size.
  virtual void cut(std::int64_t first, std::int64_t size) = 0;

  bool size_is_chosen = false;  // by the library
  effects now;                  // of the slice
  effects rest;                 // of the slice and all later ones

 protected:
  ~sliced_step() = default;
};
// A sliced step as a tree over what is left of it.
struct sliced_tree {
  range all;
  std::int64_t block;
  const sliced_step* step;
  effects effects_of(range part) const { return step->effects_of_part(part); }
};
SENNIT_EXPORT void declare_effects(const effects& all);  // does nothing outside a splice
SENNIT_EXPORT void end_effects(const effects& all) noexcept;
// Returns false, and does nothing, if the caller is not in a spliced call. fx: null for the effects of the call.
SENNIT_EXPORT bool run_step(const effects* fx, action body);
SENNIT_EXPORT bool run_sliced_step(sliced_step& step);
SENNIT_EXPORT void run_sequence(std::span<const sequence_item> items, const effects* afterwards);

// Begins a function that declares its effects, on a stack of its own, and runs it up to its first step or
// sequence.
SENNIT_EXPORT void begin_call(spliced_call& in, const void* object, void (*run)(const void*));
// Begins code whose effects are not known, as a step that may touch everything.
SENNIT_EXPORT void begin_unknown(spliced_call& in, const void* object, void (*run)(const void*));

// log: where the order of the steps is noted; may be null.
SENNIT_EXPORT splice_report run_splice(const splicing& how, std::uint32_t n,
                                       void (*begin)(const void*, std::uint32_t, spliced_call&),
                                       const void* object, splice_log* log);
SENNIT_EXPORT splice_report run_splice(const splicing& how, std::uint32_t n, const forest& trees,
                                       splice_log* log);
// Whether the effect checker observes all steps.
SENNIT_EXPORT bool splices_are_checked() noexcept;
// Converts to what make(i) returns, in the place where a container needs the object. If the object were
// moved there, GCC 12 would warn of a copy past the end of a string.
template <class Made, class Make>
struct made_in_place {
  Make& make;
  std::size_t i;
  operator Made() const { return make(i); }
};

// Runs a splice on a worker; on a worker of the default runtime if the caller is in no runtime. Throws
// std::logic_error in a spliced function, outside its steps.
SENNIT_EXPORT void in_region(action body);

// Small values that a call copies where it can: a reference to them is seldom meant, and soon dangles.
template <class Arg>
inline constexpr bool small_value =
    std::is_lvalue_reference_v<Arg> && std::is_trivially_copyable_v<std::remove_reference_t<Arg>> &&
    std::is_copy_constructible_v<std::remove_reference_t<Arg>> &&
    !std::is_array_v<std::remove_reference_t<Arg>> &&
    sizeof(std::remove_reference_t<Arg>) <= 2 * sizeof(void*);
template <class Arg>
using as_value = std::conditional_t<small_value<Arg>, const std::decay_t<Arg>, Arg>;

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

// The number of calls that are interleaved with one another.
SENNIT_EXPORT std::uint32_t calls_together(const splicing& how) noexcept;
SENNIT_EXPORT [[noreturn]] void refuse_count();
template <std::integral N>
std::uint32_t count_of_calls(N n) {
  if (n <= 0) return 0;
  if (std::cmp_greater(n, UINT32_MAX)) refuse_count();
  return static_cast<std::uint32_t>(n);
}
// Whether steps of this duration are too short, given that some 10 ns pass between them.
SENNIT_EXPORT bool step_is_short(double ns) noexcept;

// The type of a tree has that of a lambda in it, most often, and so stands for a place in the program.
template <class Tree>
inline constinit block_site site_of{};

// The results of body(0) ... body(n - 1), as they are spliced. If one of these throws, the results before it.
template <class Tree>
class made_trees {
 public:
  // times: a factor for chosen blocks. prepare(tree, i) is called before a block is chosen for the tree. site: whose
  // best blocks are looked for while the trees are spliced; may be null.
  template <std::integral N, class Body, class Prepare>
  made_trees(const splicing& how, N n, Body& body, std::int64_t times, Prepare&& prepare, block_site* site)
      : how_(how), chooses_together_(how.together == 0), site_(site) {
    const std::uint32_t count = count_of_calls(n);
    how_.together = std::min(calls_together(how), count);
    group_ = how_.together == count ? splice_group::all
             : chooses_together_    ? splice_group::usual
                                    : splice_group::given;
    std::vector<Tree> made;
    made.reserve(count);
    const auto make_all = [&] {
      for (N i = 0; i < n; ++i) {
        Tree t = body(i);
        prepare(t, made.size());
        made.push_back(std::move(t));
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
    cut(made, times);
  }
  template <std::integral N, class Body>
  made_trees(const splicing& how, N n, Body& body)
      : made_trees(how, n, body, 1, [](Tree&, std::size_t) {}, &site_of<Tree>) {}

  bool all() const noexcept { return failure_ == nullptr; }
  // The number of indices, or cells, of the first tree; at least 1.
  std::int64_t indices() const noexcept { return std::max<std::int64_t>(indices_, 1); }
  // Called after the trees before the failed body have run: their exceptions come first.
  void rethrow() const {
    if (!all()) std::rethrow_exception(failure_);
  }

  // Splices the trees. log: may be null.
  splice_report splice(splice_log* log) const {
    forest all = forest_of(trees.data());
    all.tiled = tiled_;
    const double each = bytes_of_an_index(trees, indices_);
    splice_report report = run_splice(how_, static_cast<std::uint32_t>(trees.size()), all, log);
    if (has_found_) site_of<Tree>.tell(report);
    if (plans_.empty()) {
      report.block = 0;
      for (const auto& tree : trees) report.block = std::max(report.block, tree.block);
    } else {
      site_->tell(report);
    }
    report.block_is_chosen = block_is_chosen_;
    report.block_bytes = static_cast<std::uint64_t>(each * static_cast<double>(report.block));
    // The number of trees has been settled before.
    if (report.group != splice_group::none) report.group = group_;
    if (tiled_ && report.no_tiles == splice_reason::none) {
      report.tile_rows = tile_.rows;
      report.tile_columns = tile_.columns;
    }
    report.shift = shift_;
    report.shift_of_columns = shift_of_columns_;
    report.no_shift = no_shift_;
    if (can_be_tiled<Tree> && no_shift_ != splice_reason::none) report.no_tiles = no_shift_;
    return report;
  }

  std::vector<spliced_tree_t<Tree>> trees;

 private:
  // Takes so many trees together, as the data of more would not fit the caches.
  void interleave(std::uint32_t count) noexcept {
    if (count < how_.together) group_ = splice_group::caches;
    how_.together = count;
  }
  void cut(std::vector<Tree>& made, std::int64_t times) {
    if (!made.empty()) {
      indices_ = static_cast<std::int64_t>(made.front().all.size());
      block_is_chosen_ = made.front().block <= 0;
    }
    if constexpr (can_be_tiled<Tree>) {
      cut_tiles(made, times);
    } else if constexpr (can_be_shifted<Tree>) {
      const shifts found = shifts_of(made, how_.together);
      shift_ = found.most;
      no_shift_ = found.reason;
      if (chooses_together_ && found.reason == splice_reason::large_distance) {
        interleave(trees_that_fit(found.bytes_apart, how_.together));
      }
      const bool given = std::ranges::any_of(made, [](const Tree& t) { return t.block > 0; });
      choose_blocks(made, [&](Tree& t) {
        if (found.any()) {
          choose_shifted_block(t, found.most, times);
        } else {
          choose_block(t, how_.together, times);
        }
      });
      if (!given && found.reason == splice_reason::none) cut_alike(made, found.most);
      for (std::size_t i = 0; i < made.size(); ++i) {
        const block_plan* const of_group = plans_.empty() ? nullptr : plans_[i / how_.together].get();
        trees.push_back(shifted(std::move(made[i]), found.any() ? found.by[i] : 0, found.most, of_group));
      }
    } else {
      no_shift_ = splice_reason::parts;
      choose_blocks(made, [&](Tree& t) { choose_block(t, how_.together, times); });
      trees = std::move(made);
    }
  }
  // Trees over the same range get the same blocks, so that no block needs data of two blocks of an earlier tree.
  void cut_alike(std::vector<Tree>& made, std::int64_t shift) {
    if (made.empty()) return;
    const auto all = made.front().all;
    if (all.size() == 0 || !std::ranges::all_of(made, [&](const Tree& t) { return t.all == all; })) return;
    const Tree& widest = *std::ranges::min_element(made, {}, &Tree::block);
    const std::int64_t start = widest.block;
    const std::int64_t most =
        size_that_fits(widest, [](std::uint64_t bytes) { return bytes <= shifted_step_bytes()[2]; });
    if (site_ == nullptr) {
      // An order that may be saved has blocks of one size: the best one, if splices of such trees have found it.
      const std::int64_t found = site_of<Tree>.found_from(start);
      has_found_ = found != 0;
      for (Tree& t : made) t.block = has_found_ ? found : start;
      return;
    }
    for (Tree& t : made) t.block = start;
    const range places{all.first, all.last + shift};
    for (std::size_t i = 0; i < made.size(); i += how_.together)
      plans_.push_back(std::make_unique<block_plan>(*site_, places, start, shift, most));
  }
  void cut_tiles(std::vector<Tree>& made, std::int64_t times) {
    if (made.empty()) return;
    const tile_plan found = tile_plan_of(made, how_.together, !chooses_together_);
    no_shift_ = found.reason;
    tiled_ = found.reason == splice_reason::none;
    if (tiled_) {
      interleave(found.together);
      tile_ = shape_of_tile(found.cells, made.front().all.columns.size());
    }
    choose_blocks(made, [&](Tree& t) {
      if (!tiled_)
        choose_block(t, how_.together, times);
      else if (t.block <= 0)
        t.block = times_as_large(found.cells, times);
    });
    shift_ = found.down.most;
    shift_of_columns_ = found.across.most;
    for (std::size_t i = 0; i < made.size(); ++i) trees.push_back(tiled(std::move(made[i]), found, i));
  }
  // Where effects_of() throws, the tree counts as one whose body has thrown.
  template <class Choose>
  void choose_blocks(std::vector<Tree>& made, Choose&& choose) {
    std::size_t i = 0;
    const auto choose_all = [&] {
      for (; i < made.size(); ++i) choose(made[i]);
    };
#if SENNIT_EXCEPTIONS
    try {
      choose_all();
    } catch (...) {
      failure_ = std::current_exception();
      while (made.size() > i) made.pop_back();
    }
#else
    choose_all();
#endif
  }

  splicing how_;  // with the number of trees that are interleaved
  bool chooses_together_;
  splice_group group_ = splice_group::none;
  std::int64_t indices_ = 0;  // of the first tree
  bool block_is_chosen_ = false;
  bool has_found_ = false;  // the block was found by splices of other trees of this type
  tile_shape tile_{};
  bool tiled_ = false;
  block_site* site_;
  std::vector<std::unique_ptr<block_plan>> plans_;  // of the groups of interleaved trees
  std::int64_t shift_ = 0;
  std::int64_t shift_of_columns_ = 0;
  splice_reason no_shift_ = splice_reason::none;
  std::exception_ptr failure_;
};

// A tree in a sequence; the number of calls in its splice is not known.
template <class Tree>
void choose_block(Tree& t) {
  choose_block(t, calls_together({}));
}
// The size of slices, where the library chooses it and does not shift them.
inline std::int64_t chosen_slice(const sliced_step& step, range all) {
  sliced_tree t{all, 0, &step};
  choose_block(t);
  return t.block;
}
// Gives a tree its block; returns anything else unchanged.
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
