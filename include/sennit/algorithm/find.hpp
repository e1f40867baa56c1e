// parallel_find and its kin: the first element, or the first place, of which something holds.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/first_match.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <functional>

namespace sennit {
namespace detail {

// The position of the first element for which the predicate is `wanted`.
template <class Engine, bool wanted = true, class Sequence, class F, class Proj>
position find_first(const Sequence& sequence, F& predicate, Proj& proj, const loop_options& how) {
  return first_match<Engine>(
      sequence.size,
      [&](position from, position to) {
        const auto begin = sequence.at(from);
        const auto found = first_in(begin, sequence.at(to), [&](const auto& i) {
          return static_cast<bool>(detail::invoke(predicate, detail::invoke(proj, *i))) == wanted;
        });
        return from + static_cast<position>(found - begin);
      },
      how);
}

template <bool wanted>
struct finding {
  static constexpr const char* name = wanted ? "parallel_find_if" : "parallel_find_if_not";
  template <class Engine, class Sequence, class F, class Proj>
  static auto run(const Sequence& sequence, F& predicate, Proj& proj, const loop_options& how) {
    return sequence.at(find_first<Engine, wanted>(sequence, predicate, proj, how));
  }
};
// Whether there is an element for which the predicate is `wanted`; `found` says what to return if there is one.
template <bool wanted, bool found>
struct questioning {
  static constexpr const char* name = !wanted ? "parallel_all_of"
                                      : found ? "parallel_any_of"
                                              : "parallel_none_of";
  template <class Engine, class Sequence, class F, class Proj>
  static bool run(const Sequence& sequence, F& predicate, Proj& proj, const loop_options& how) {
    const bool any = find_first<Engine, wanted>(sequence, predicate, proj, how) != sequence.size;
    return any == found;
  }
};

template <class Engine>
using find_calls = value_forms<Engine, finding<true>>;
template <class Engine>
using find_if_calls = predicate_forms<Engine, finding<true>>;
template <class Engine>
using find_if_not_calls = predicate_forms<Engine, finding<false>>;
template <class Engine>
using all_of_calls = predicate_forms<Engine, questioning<false, false>>;
template <class Engine>
using any_of_calls = predicate_forms<Engine, questioning<true, true>>;
template <class Engine>
using none_of_calls = predicate_forms<Engine, questioning<true, false>>;

}  // namespace detail

// The first element for which the predicate is true. Returns its iterator, or that of the end.
//
//   parallel_find_if(range, predicate, projection = {}, how = {})        random-access, sized
//   parallel_find_if(first, last, predicate, projection = {}, how = {})  two iterators, or one and a number
//
// The first one is found in every case: the result is that of std::find_if. `how` is a loop_options, such as
// grain(100), and may stand in the place of the projection. For a range that is a temporary object without
// lasting iterators, the result is std::ranges::dangling, as in std::ranges.
//
// Elements behind the first match may be looked at: at most as many as there are before it, and 64 or four chunks a
// worker; and none that a worker would begin after the match has been found, except in its chunk, which takes some
// microseconds. A search for something rare goes on in parallel parts that take about a millisecond.
//
// Several threads call the predicate at once. Throws the exception of the first call that threw, if a serial search had
// come to that call; an exception behind the first match is dropped. Throws sennit::cancelled in a cancelled
// region. Thread-safety: any thread may call it. Cost: that of std::find_if, divided among the workers if it
// takes more than some microseconds. No memory is allocated, except for parts that other workers take.
//
// Example:
//   #include <algorithm>
//   #include <cctype>
//   #include <string>
//   #include <vector>
//
//   long first_negative(const std::vector<double>& x) {
//     return sennit::parallel_find_if(x, [](double v) { return v < 0; }) - x.begin();
//   }
//   struct user {
//     std::string name;
//     bool active;
//   };
//   bool all_active(const std::vector<user>& users) { return sennit::parallel_all_of(users, &user::active); }
//   bool knows(const std::vector<user>& users, const std::string& name) {
//     return sennit::parallel_find(users, name, &user::name) != users.end();
//   }
inline constexpr detail::algorithm<detail::find_if_calls<detail::in_parallel>> parallel_find_if{};
// The same for the first element for which the predicate is false.
inline constexpr detail::algorithm<detail::find_if_not_calls<detail::in_parallel>> parallel_find_if_not{};
// The same for the first element that is equal to a value: parallel_find(range, value), with the same arguments behind
// the value.
inline constexpr detail::algorithm<detail::find_calls<detail::in_parallel>> parallel_find{};

// Whether the predicate is true for all elements, for one at least, or for none. The arguments, what is looked at,
// exceptions, threads and cost are as in parallel_find_if.
inline constexpr detail::algorithm<detail::all_of_calls<detail::in_parallel>> parallel_all_of{};
inline constexpr detail::algorithm<detail::any_of_calls<detail::in_parallel>> parallel_any_of{};
inline constexpr detail::algorithm<detail::none_of_calls<detail::in_parallel>> parallel_none_of{};

}  // namespace sennit
