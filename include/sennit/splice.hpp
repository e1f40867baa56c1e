// SPDX-License-Identifier: Apache-2.0
// splice: interleaved calls, so that data is used again while it is in cache.
#pragma once

#include <sennit/detail/splice/groups_of_trees.hpp>
#include <sennit/detail/splice/made_trees.hpp>
#include <sennit/detail/splice/sequence.hpp>
#include <sennit/detail/splice/spliced_call.hpp>
#include <sennit/divided.hpp>
#include <sennit/effects.hpp>
#include <sennit/splice_report.hpp>
#include <sennit/splicing.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit {

// The effects of a call of a spliced function: everything that the function, and what it calls, reads and
// writes. It is the function's first statement, a variable that lives until the function ends. The body of a
// splice makes one such call. See splice(). Outside a splice it is a plain value. Throws std::logic_error if
// the surrounding call has already done its last construct, for instance if a splice's body makes a second
// such call.
class [[nodiscard]] call_effects : public effects {
 public:
  template <class... Sets>
    requires std::constructible_from<effects, const Sets&...>
  explicit call_effects(const Sets&... sets) : effects(sets...) {
    detail::declare_effects(*this);
  }
  ~call_effects() { detail::end_effects(*this); }
  call_effects(const call_effects&) = delete;
  call_effects& operator=(const call_effects&) = delete;
};

// A step: serial code, the only place where a spliced function touches data that other calls touch. `body`
// runs on the calling strand before step() returns. Other calls may run in between, so it may run much
// later. `body` may call anything; parallel constructs in it work as usual. Throws what `body` throws.
// Throws std::logic_error after a construct that must be the function's last: a sequence() or a sliced step.
template <std::invocable F>
void step(const effects& fx, F&& body) {
  auto run = [&] { std::forward<F>(body)(); };
  if (!detail::run_step(&fx, run)) run();
}
// The same with all effects of the call, as its call_effects says them. Throws std::logic_error if the call has
// declared none.
template <std::invocable F>
void step(F&& body) {
  auto run = [&] { std::forward<F>(body)(); };
  if (!detail::run_step(nullptr, run)) run();
}

// A part that can be cut: slice(p) returns what to do first, and what remains. size() == 0 means that
// nothing remains.
//
// Example:
//   #include <utility>
//
//   // Letters of a text, a line at a time.
//   struct lines {
//     const char* first;
//     const char* last;
//     std::int64_t size() const { return last - first; }
//     friend std::pair<lines, lines> slice(const lines& l) {
//       const char* end = l.first;
//       while (end != l.last && *end++ != '\n') {}
//       return {{l.first, end}, {end, l.last}};
//     }
//   };
//   static_assert(sennit::sliceable<lines>);
template <class Part>
concept sliceable = std::copyable<Part> && requires(const Part& p) {
  { p.size() } -> std::convertible_to<std::int64_t>;
  { slice(p) } -> std::same_as<std::pair<Part, Part>>;
};

// A large step, done slice by slice. Between two of its slices, slices of other calls at the same place run.
// So even single steps are interleaved (Lifflander and Krishnamoorthy, 2017, section 7, "Step pipelining").
// `effects_of` is pure, and is called with slices and with what remains. `body` is called with slices, in
// order. If calls at the same place take the same sliced_range, the slices of each call are shifted against those
// of the calls before it, as the blocks of trees are (see splice()); `effects_of` is then also called with other
// parts of the range. A sliced_range with slices of 0 leaves their size to the library; outside a splice it is done as
// a whole. The sliced step is the function's last construct, like a sequence(). Throws what `body` and
// `effects_of` throw; later slices do not run then. A slice never has more indices than a given
// size. Cost: some 60 ns for each slice, with two calls of `effects_of`.
//
// Example:
//   #include <sennit/data_regions.hpp>
//
//   void scale(double* x, sennit::range r, double by) {
//     const auto effects_of = [=](sennit::range of) {
//       return sennit::effects(sennit::writes(sennit::memory_range(x, of)));
//     };
//     const sennit::call_effects fx{sennit::writes(sennit::memory_range(x, r))};
//     sennit::step(sennit::sliced_range{r, 500}, effects_of, [=](sennit::range of) {
//       for (auto i = of.first; i < of.last; ++i) x[i] *= by;
//     });
//   }
template <sliceable Part, class Effects, class F>
  requires std::is_invocable_r_v<effects, Effects&, const Part&> && std::invocable<F&, const Part&>
void step(const Part& all, Effects&& effects_of, F&& body) {
  static constexpr bool over_range = std::is_same_v<Part, sliced_range>;
  class slices final : public detail::sliced_step {
   public:
    slices(const Part& p, std::remove_reference_t<Effects>& e, std::remove_reference_t<F>& f)
        : left_(p), first_(p), effects_of_(e), body_(f) {}
    bool next() override {
      if (left_.size() == 0) return false;
      if constexpr (over_range) {
        if (left_.by <= 0) {
          left_.by = detail::chosen_slice(*this, left_);
          size_is_chosen = true;
        }
        with_slice_ = left_;
      }
      rest = effects_of_(left_);
      std::tie(first_, left_) = slice(left_);
      now = effects_of_(first_);
      return true;
    }
    void run() override { body_(std::as_const(first_)); }
    const range* left() const noexcept override {
      if constexpr (over_range) return &with_slice_;
      return nullptr;
    }
    std::int64_t size() const noexcept override {
      if constexpr (over_range) return left_.by;
      return 0;
    }
    effects effects_of_part(range part) const override {
      if constexpr (over_range) return effects_of_(Part{part, part.size()});
      return rest;
    }
    void cut(std::int64_t first, std::int64_t size) override {
      if constexpr (over_range) {
        const std::int64_t end = std::min(with_slice_.first + first, with_slice_.last);
        const Part cut_off{{with_slice_.first, end}, size};
        now = effects_of_(cut_off);
        first_ = cut_off;
        left_ = Part{{end, with_slice_.last}, size};
      }
    }

   private:
    Part left_;
    Part first_;
    range with_slice_{};  // the slice and what is left
    std::remove_reference_t<Effects>& effects_of_;
    std::remove_reference_t<F>& body_;
  };
  slices s(all, effects_of, body);
  if (detail::run_sliced_step(s)) return;
  if constexpr (over_range) {
    if (all.by <= 0) return body(all);
  }
  while (s.next()) s.run();
}

// A call of a function that declares its effects, as an argument of sequence(). Rvalues are copied or moved.
// Lvalues that are small values, such as numbers, pointers, ranges and spans (trivially copyable, of at most two
// pointers' size), are copied, too, if f takes them as constants. Other lvalues are referred to, and must outlive the
// sequence(). So `return call(f, local)` dangles if `local` is a large variable of the returning function: write
// call([local] { f(local); }).
template <class F, class... Args>
  requires std::invocable<const std::decay_t<F>&, std::remove_reference_t<detail::as_value<Args>>&...>
detail::deferred_call<std::decay_t<F>, detail::as_value<Args>...> call(F&& f, Args&&... args) {
  return {std::forward<F>(f), std::tuple<detail::as_value<Args>...>(std::forward<Args>(args)...)};
}
// Where f takes one of them as a variable that it may change.
template <class F, class... Args>
  requires(!std::invocable<const std::decay_t<F>&, std::remove_reference_t<detail::as_value<Args>>&...> &&
           std::invocable<const std::decay_t<F>&, std::remove_reference_t<Args>&...>)
detail::deferred_call<std::decay_t<F>, Args...> call(F&& f, Args&&... args) {
  return {std::forward<F>(f), std::tuple<Args...>(std::forward<Args>(args)...)};
}

// What a function may still read and write after a sequence().
//
// Example:
//   #include <sennit/data_regions.hpp>
//
//   // Copies, and then writes the end of the copy.
//   void copy(const double* from, double* to, long parts, long size) {
//     const sennit::call_effects fx{sennit::reads(sennit::memory_range(from, sennit::range{0, parts * size})),
//                                   sennit::writes(sennit::memory_range(to, sennit::range{0, parts * size + 1}))};
//     const auto block = [=](std::size_t part) {
//       const auto begin = static_cast<std::int64_t>(part) * size;
//       return sennit::divided{
//           sennit::range{begin, begin + size}, 0,
//           [=](sennit::range r) {
//             return sennit::effects(sennit::reads(sennit::memory_range(from, r)),
//                                    sennit::writes(sennit::memory_range(to, r)));
//           },
//           [=](sennit::range r) {
//             for (auto i = r.first; i < r.last; ++i) to[i] = from[i];
//           }};
//     };
//     const auto all = [=] { sennit::sequence_of(static_cast<std::size_t>(parts), block); };
//     const sennit::effects end(sennit::writes(sennit::memory_range(to + parts * size, 1)));
//     sennit::sequence(sennit::followed_by(sennit::writes(sennit::memory_range(to + parts * size, 1))), all);
//     sennit::step(end, [=] { to[parts * size] = -1; });
//   }
class followed_by : public effects {
 public:
  template <class... Sets>
    requires std::constructible_from<effects, const Sets&...>
  explicit followed_by(const Sets&... sets) : effects(sets...) {}
};

// Makes calls, one after the other. An argument is a call(), a divided tree, or anything that can be called
// without arguments; nothing is known about the last kind, so it counts as having everything in its effects.
// From the declared effects, the splicer knows later calls while the first ones run.
//
// sequence() is the function's last construct; a construct after it throws std::logic_error. To have one
// after it, declare in advance what will follow: sequence(followed_by(...), calls...). A tree without a
// block gets the block for the usual number of interleaved calls.
template <detail::sequence_part... Calls>
void sequence(const Calls&... calls) {
  detail::sequence_now(nullptr, detail::with_block(calls)...);
}
template <detail::sequence_part... Calls>
void sequence(const followed_by& afterwards, const Calls&... calls) {
  detail::sequence_now(&afterwards, detail::with_block(calls)...);
}
// The same for n calls, which make(0), make(1) ... return. These calls must not refer to a variable or a
// parameter of make(): see call().
template <class Make>
  requires detail::sequence_part<std::invoke_result_t<Make&, std::size_t>>
void sequence_of(std::size_t n, Make&& make) {
  using made = std::invoke_result_t<Make&, std::size_t>;
  std::vector<made> calls;
  std::vector<detail::sequence_item> items;
  calls.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    calls.emplace_back(detail::made_in_place<made, Make>{make, i});
    if constexpr (detail::is_divided<made>::value) detail::choose_block(calls.back());
    items.push_back(detail::item_of(calls.back()));
  }
  detail::run_sequence(items, nullptr);
}

// Runs body(0) ... body(n - 1), interleaved. The result is that of the loop. A step of a later call runs as
// soon as no earlier unfinished code of the loop interferes with it, while the data that both use is still
// in cache. (Lifflander and Krishnamoorthy, "Cache locality optimization for recursive programs", 2017.)
//
// body(i) either calls a spliced function, or returns a divided tree. A spliced function first declares its
// effects in a call_effects. It then works in steps, or by a sequence() of calls. Outside steps it touches
// only its own variables, and data that no code writes during the splice. A tree costs less, because it
// needs no stack. A body that declares nothing runs when its call is begun; all bodies before it must be of
// this kind, or it throws std::logic_error.
//
// Bodies that return trees are all called before the first step. Bodies that call functions are called
// `together` at a time, each up to its first step or sequence. So no body may use what another computes. For
// n of 0 or less nothing is done.
//
// A spliced function runs on a stack of 64 KiB, except in its steps. Rules for a spliced function outside
// its steps:
// - It uses no parallel construct and holds no lock.
// - It refers to no thread_local variable across a construct, because it may continue on another thread.
// - It has no construct in a catch handler.
// - It is not noexcept, and does not catch exceptions of unknown types. step() and sequence() may throw an
//   object that is not derived from std::exception, to unwind a call that is abandoned.
//
// If the trees are over the same sennit::range, and each block of a tree needs only what is near it in the
// tree before, the library shifts the blocks of each tree by so much that a block needs no later block of the
// tree before. It finds the distance from effects_of(), at the middle of the range. All interleaved trees then
// use the same block of data, one after the other. A step larger than the given block is never made.
//
// If the first block of a tree needs the last ones of the tree before, as on a ring, and the blocks of one tree do not
// depend on one another, the library lets the tree begin at a later index, or walks it backward. A block may then be two
// ranges, for which its step is called one after the other. splice_report::moved counts such trees. If one of their steps
// throws, what comes before it in the order of the walk has been done, and the first exception in that order counts.
//
// If the trees are over the same sennit::range and none has a block, the library begins with a size that follows
// from the caches, and tries others while the splice runs. The best size is kept for the type of the tree, so for
// later splices at the same place in the program. splice_report::block and blocks_tried say which size it is, and
// how many have been tried. A memoized_splice tries none, and takes what splices with a body of the same type have found. In
// the same way splice() tries how many trees it interleaves, if `how` does not say it: splice_report::together and
// together_tried.
//
// If the trees are over the same sennit::rectangle, the library shifts their blocks by rows and by columns. So it may
// cut the columns, too, where whole rows of all trees together would not fit the cache. It chooses how many trees
// it interleaves, unless `how` says it. Before the first step it compares the effects of each tile with those of the
// tiles that run later and come earlier in the loop. If two interfere, the trees are walked as trees of any other type.
//
// Workers of the runtime take parts of a row of calls at equal depth, if the parts do not depend on one
// another. In a call of a spliced function, a splice() must be inside a step.
//
// Throws the exception of the first call that throws, in the order of the loop. Parts of later calls may
// have run, but nothing that depends on the step that threw. The same holds for a function that catches what
// its sequence() throws: of the parts after the one that threw, those that do not depend on it may have run.
// Throws std::logic_error if a function breaks the rules above, as if the function's call had thrown it;
// std::bad_alloc; std::length_error for more than 2^32 - 1 calls; and sennit::cancelled in a cancelled
// region. Thread-safety: any thread may call it. Cost: for a step of a stencil, some 400 ns in a function
// and some 80 ns in a tree. The cost grows with the number of calls with which a step must be compared. A
// memoized_splice costs almost nothing.
//
// Example:
//   #include <sennit/data_regions.hpp>
//
//   #include <vector>
//
//   using field = std::vector<double>;
//
//   void sweep(field& out, const field& in, sennit::range r) {
//     const sennit::call_effects fx{sennit::reads(sennit::memory_range(in.data(), r.grown(1))),
//                                   sennit::writes(sennit::memory_range(out.data(), r))};
//     if (r.size() <= 4096) {
//       sennit::step([&] {
//         for (auto i = r.first; i < r.last; ++i) out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
//       });
//     } else {
//       sennit::sequence(sennit::call(sweep, out, in, r.left()), sennit::call(sweep, out, in, r.right()));
//     }
//   }
//
//   void smooth(field (&u)[2], int times) {
//     const sennit::range inner{1, static_cast<std::int64_t>(u[0].size()) - 1};
//     sennit::splice(times, [&](int t) { sweep(u[(t + 1) % 2], u[t % 2], inner); });
//   }
template <std::integral N, class Body>
  requires std::invocable<Body&, N>
splice_report splice(const splicing& how, N n, Body&& body) {
  using result = std::invoke_result_t<Body&, N>;
  if (n <= 0) return {};
  const std::uint32_t count = detail::count_of_calls(n);
  if constexpr (detail::is_divided<result>::value) {
    const detail::made_trees<result> made(how, n, body);
    const splice_report report = detail::splice_made(how, made);
    made.rethrow();
    return report;
  } else {
    struct root {
      std::remove_reference_t<Body>* body = nullptr;
      N i = 0;
    };
    std::vector<root> roots(count);
    for (N i = 0; i < n; ++i) roots[static_cast<std::size_t>(i)] = {&body, i};
    return detail::run_splice(
        how, count,
        [](const void* o, std::uint32_t i, detail::spliced_call& in) {
          detail::begin_call(in, static_cast<const root*>(o) + i, [](const void* r) {
            const root& it = *static_cast<const root*>(r);
            (*it.body)(it.i);
          });
        },
        roots.data(), nullptr);
  }
}
template <std::integral N, class Body>
  requires std::invocable<Body&, N>
splice_report splice(N n, Body&& body) {
  return splice(splicing{}, n, std::forward<Body>(body));
}

}  // namespace sennit
