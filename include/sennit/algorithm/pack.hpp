// SPDX-License-Identifier: Apache-2.0
// parallel_copy_if, parallel_filter, parallel_remove, parallel_unique and their kin: the elements that a predicate
// chooses, in order, without gaps.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/filter.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/keeping.hpp>
#include <sennit/detail/algorithm/pack_forms.hpp>
#include <sennit/detail/algorithm/packing.hpp>
#include <sennit/detail/algorithm/projected_relation.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <functional>

namespace sennit {
namespace detail {

template <class Engine, class Transfer, bool Wanted, class In, class Out, class F, class Proj>
position keep_wanted(const elements<In>& in, const packed_output<Out>& out, F& predicate, Proj& proj,
                     const loop_options& how) {
  using keep = wanted_elements<F, Proj, Wanted>;
  kept_elements<In, Out, Transfer, keep> work(in, out, keep(predicate, proj));
  return pack_all<Engine>(work, in.size, how);
}
template <class Engine, class Transfer, class In, class Out, class F, class Proj>
position keep_first_of_runs(const elements<In>& in, const packed_output<Out>& out, F& equal, Proj& proj,
                            const loop_options& how) {
  using same = held_relation<F, Proj>;
  first_of_runs<In, Out, Transfer, same> work(in, out, same{equal, proj, proj});
  return pack_all<Engine>(work, in.size, how);
}

struct copying_if {
  static constexpr const char* name = "parallel_copy_if";
  static constexpr chooses_by by = chooses_by::predicate;
  template <class Engine, class In, class Out, class F, class Proj>
  static position run(const elements<In>& in, const packed_output<Out>& out, F& predicate, Proj& proj,
                      const loop_options& how) {
    return keep_wanted<Engine, copied_elsewhere, true>(in, out, predicate, proj, how);
  }
};
struct copying_others {
  template <class Engine, class In, class Out, class F, class Proj>
  static position run(const elements<In>& in, const packed_output<Out>& out, F& predicate, Proj& proj,
                      const loop_options& how) {
    return keep_wanted<Engine, copied_elsewhere, false>(in, out, predicate, proj, how);
  }
};
struct remove_copying_if : copying_others {
  static constexpr const char* name = "parallel_remove_copy_if";
  static constexpr chooses_by by = chooses_by::predicate;
};
struct remove_copying : copying_others {
  static constexpr const char* name = "parallel_remove_copy";
  static constexpr chooses_by by = chooses_by::value;
};
struct unique_copying {
  static constexpr const char* name = "parallel_unique_copy";
  static constexpr chooses_by by = chooses_by::equality;
  template <class Engine, class In, class Out, class F, class Proj>
  static position run(const elements<In>& in, const packed_output<Out>& out, F& equal, Proj& proj,
                      const loop_options& how) {
    return keep_first_of_runs<Engine, copied_elsewhere>(in, out, equal, proj, how);
  }
};

struct removing_others {
  template <class Engine, class It, class F, class Proj>
  static It run(const elements<It>& all, F& predicate, Proj& proj, const loop_options& how) {
    if constexpr (require_movable<It>()) {
      return all.at(
          keep_wanted<Engine, moved_in_place, false>(all, packed_output<It>{all}, predicate, proj, how));
    } else {
      return all.first;
    }
  }
};
struct removing_if : removing_others {
  static constexpr const char* name = "parallel_remove_if";
};
struct removing : removing_others {
  static constexpr const char* name = "parallel_remove";
};
struct removing_duplicates {
  static constexpr const char* name = "parallel_unique";
  using default_function = std::equal_to<>;
  template <class Engine, class It, class F, class Proj>
  static It run(const elements<It>& all, F& equal, Proj& proj, const loop_options& how) {
    if constexpr (require_movable<It>()) {
      return all.at(
          keep_first_of_runs<Engine, moved_in_place>(all, packed_output<It>{all}, equal, proj, how));
    } else {
      return all.first;
    }
  }
};
struct filtering {
  static constexpr const char* name = "parallel_filter";
  template <class Engine, class In, class F, class Proj>
  static auto run(const elements<In>& in, F& predicate, Proj& proj, const loop_options& how) {
    using keep = wanted_elements<F, Proj, true>;
    using work = filtered_elements<In, keep>;
    return filter<Engine, work>(work{in, keep(predicate, proj)}, in.size, how).run();
  }
};

template <class Engine>
using copy_if_calls = pack_copy_forms<Engine, copying_if>;
template <class Engine>
using remove_copy_if_calls = pack_copy_forms<Engine, remove_copying_if>;
template <class Engine>
using remove_copy_calls = pack_copy_forms<Engine, remove_copying>;
template <class Engine>
using unique_copy_calls = pack_copy_forms<Engine, unique_copying>;
template <class Engine>
using remove_if_calls = predicate_forms<Engine, removing_if>;
template <class Engine>
using remove_calls = value_forms<Engine, removing>;
template <class Engine>
using unique_calls = order_forms<Engine, removing_duplicates>;
template <class Engine>
using filter_calls = predicate_forms<Engine, filtering>;

}  // namespace detail

// Copies the elements for which pred(proj(element)) holds to `out`, in order. Returns the end of the copies.
//
//   parallel_copy_if(range, out, pred, proj = std::identity(), how = {})        random-access, sized
//   parallel_copy_if(first, last, out, pred, proj = std::identity(), how = {})  two iterators, or one and a
//                                                                              number
//
// `out` is an iterator with room for the copies, or a range. It must not overlap the input. Options may stand in
// the place of any argument that has a default.
//
// pred is called once for each element, by several threads at once. Throws what pred threw for the lowest
// element for which it threw, what a copy threw, std::bad_alloc before any call, std::invalid_argument if
// `out` is a range with fewer elements than are to be copied, and sennit::cancelled in a cancelled region.
// Copies may have been written then. Thread-safety: any thread may call it. Cost: one pass over memory; a block
// of elements is read a second time while it is in the cache. Memory: a bit for each element, of which a single
// worker touches few, and a record for each block. There are about sqrt(n) blocks, or n / grain.
//
// Example:
//   #include <vector>
//
//   std::vector<double> positive(const std::vector<double>& x) {
//     std::vector<double> result(x.size());
//     result.erase(sennit::parallel_copy_if(x, result, [](double v) { return v > 0; }), result.end());
//     return result;
//   }
inline constexpr detail::algorithm<detail::copy_if_calls<detail::in_parallel>> parallel_copy_if{};

// The same for the elements for which pred(proj(element)) does not hold, and for the elements with
// proj(element) != value.
//
//   parallel_remove_copy_if(range, out, pred, proj = std::identity(), how = {})   and the other forms above
//   parallel_remove_copy(range, out, value, proj = std::identity(), how = {})     and the other forms above
//
// Example:
//   #include <vector>
//
//   void drop_zeros(const std::vector<int>& x, std::vector<int>& out) {
//     out.resize(x.size());
//     out.erase(sennit::parallel_remove_copy(x, out, 0), out.end());
//   }
//   void drop_negative(const std::vector<int>& x, std::vector<int>& out) {
//     out.resize(x.size());
//     out.erase(sennit::parallel_remove_copy_if(x, out, [](int v) { return v < 0; }), out.end());
//   }
inline constexpr detail::algorithm<detail::remove_copy_if_calls<detail::in_parallel>>
    parallel_remove_copy_if{};
inline constexpr detail::algorithm<detail::remove_copy_calls<detail::in_parallel>> parallel_remove_copy{};

// Copies the first of each run of elements that are equal: equal(proj(a), proj(b)), an equivalence relation,
// which is called n - 1 times. Otherwise as parallel_copy_if.
//
//   parallel_unique_copy(range, out, equal = std::equal_to<>(), proj = std::identity(), how = {})
//   parallel_unique_copy(first, last, out, equal = std::equal_to<>(), proj = std::identity(), how = {})
//
// Example:
//   #include <vector>
//
//   void distinct(const std::vector<int>& sorted, std::vector<int>& out) {
//     out.resize(sorted.size());
//     out.erase(sennit::parallel_unique_copy(sorted, out), out.end());
//   }
inline constexpr detail::algorithm<detail::unique_copy_calls<detail::in_parallel>> parallel_unique_copy{};

// Moves the elements for which pred(proj(element)) does not hold, or those with proj(element) != value, to
// the front, in order. Returns their end. Behind it are elements that have been moved from, or any others.
//
//   parallel_remove_if(range, pred, proj = std::identity(), how = {})        random-access, sized
//   parallel_remove_if(first, last, pred, proj = std::identity(), how = {})  two iterators, or one and a number
//   parallel_remove(range, value, proj = std::identity(), how = {})          and with iterators
//
// `value` must be none of the elements. Calls, exceptions, threads, memory and cost are as with
// parallel_copy_if. After an exception no element that pred has not removed is lost, unless moving threw: the
// range has all of them, in order, with gaps. The predicate runs in parallel. Elements are moved in parallel
// as far as the gap is wide: their new places are those of blocks that have been moved.
//
// Example:
//   #include <string>
//   #include <vector>
//
//   void drop_empty(std::vector<std::string>& lines) {
//     lines.erase(sennit::parallel_remove_if(lines, &std::string::empty), lines.end());
//   }
inline constexpr detail::algorithm<detail::remove_if_calls<detail::in_parallel>> parallel_remove_if{};
inline constexpr detail::algorithm<detail::remove_calls<detail::in_parallel>> parallel_remove{};

// Moves the first of each run of elements that are equal to the front, as parallel_remove_if does, with `equal`
// as for parallel_unique_copy.
//
//   parallel_unique(range, equal = std::equal_to<>(), proj = std::identity(), how = {})
//   parallel_unique(first, last, equal = std::equal_to<>(), proj = std::identity(), how = {})
//
// Example:
//   #include <vector>
//
//   void keep_distinct(std::vector<int>& sorted) {
//     sorted.erase(sennit::parallel_unique(sorted), sorted.end());
//   }
inline constexpr detail::algorithm<detail::unique_calls<detail::in_parallel>> parallel_unique{};

// The elements for which pred(proj(element)) holds, copied in order into a std::vector.
//
//   parallel_filter(range, pred, proj = std::identity(), how = {})        random-access, sized
//   parallel_filter(first, last, pred, proj = std::identity(), how = {})  two iterators, or one and a number
//
// Calls, exceptions, threads and memory are as with parallel_copy_if. Cost: two passes, of which the first
// calls pred, and the second copies. Elements that have no default value are copied by one strand.
//
// Example:
//   #include <vector>
//
//   std::vector<double> positive_of(const std::vector<double>& x) {
//     return sennit::parallel_filter(x, [](double v) { return v > 0; });
//   }
inline constexpr detail::algorithm<detail::filter_calls<detail::in_parallel>> parallel_filter{};

}  // namespace sennit
