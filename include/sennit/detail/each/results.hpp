// SPDX-License-Identifier: Apache-2.0
// What becomes of the elements at the end of a lazy sequence: one value, or a vector.
#pragma once

#include <sennit/detail/algorithm/first_match.hpp>
#include <sennit/detail/algorithm/parts.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/each/element.hpp>
#include <sennit/detail/each/numbers.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// A stage that ends the sequence: it computes.
template <class Run>
struct result {
  Run run;
};
template <class Run>
result(Run) -> result<Run>;

template <lazy_sequence S, class Run>
SENNIT_INLINE auto operator|(S&& sequence, const result<Run>& end) {
  std::remove_cvref_t<S> all(std::forward<S>(sequence));
  return end.run(all);
}

// Parts of a sequence whose values begin with make(). `step` adds an element to such a value.
template <class S, class T, class Make, class Step, class Combine>
class pushed_parts : public parts<pushed_parts<S, T, Make, Step, Combine>, T, const Combine> {
 public:
  static constexpr bool whole_chunks = true;
  static constexpr position begins_after = 0;

  SENNIT_INLINE pushed_parts(const S& sequence, const Make& make, const Step& step, const Combine& combine)
      : pushed_parts::parts(combine), sequence_(sequence), make_(make), step_(step) {}

  SENNIT_INLINE T begin(position) const { return make_(); }
  template <class Gate>
  SENNIT_INLINE position extend(T& left, position from, position to, Gate) const {
    sequence_.push(from, to, [&](auto&& element) { step_(left, std::forward<decltype(element)>(element)); });
    return to;
  }
  std::uintptr_t code() const noexcept { return 0; }

 private:
  const S& sequence_;
  const Make& make_;
  const Step& step_;
};

// All elements added to make() from left to right, in parts that are combined in order.
template <class S, class Make, class Step, class Combine, class Options>
SENNIT_INLINE auto accumulate(S& sequence, const Make& make, const Step& step, const Combine& combine,
                              const Options& how) {
  using T = std::invoke_result_t<const Make&>;
  if constexpr (std::same_as<Options, loop_options>) {
    sequence.prepare(how);
  } else {
    sequence.prepare({});
  }
  const position n = sequence.size();
  if (n == 0) return make();
  const pushed_parts<S, T, Make, Step, Combine> parts(sequence, make, step, combine);
  return value_of_parts<typename S::engine, T>(parts, n, how);
}

// Elements in order, in as many pieces as there were parts.
template <class V>
struct pieces {
  pieces() = default;
  pieces(pieces&&) = default;
  pieces& operator=(pieces&&) = default;

  template <class T>
  void add(T&& element) {
    if (all.empty()) all.emplace_back();
    all.back().push_back(keep<V>(std::forward<T>(element)));
  }
  void append(pieces&& right) { all.splice(all.end(), right.all); }

  std::list<std::vector<V>> all;
};

// One vector of all pieces. Elements of the first one stay where they are if it has room, or if it is the only one.
template <class Engine, class V>
std::vector<V> in_one_vector(pieces<V>&& from, const loop_options& how) {
  if (from.all.empty()) return {};
  std::vector<V> result = std::move(from.all.front());
  from.all.pop_front();
  if (from.all.empty()) return result;
  std::size_t n = result.size();
  for (const std::vector<V>& piece : from.all) n += piece.size();
  std::size_t end = result.size();
  if constexpr (std::default_initializable<V> && writable_in_parallel<typename std::vector<V>::iterator>) {
    result.resize(n);
    for (std::vector<V>& piece : from.all) {
      V* const to = result.data() + end;
      Engine::for_positions(
          piece.size(),
          [&](position first, position last) {
            std::move(piece.data() + first, piece.data() + last, to + first);
          },
          how);
      end += piece.size();
    }
  } else {
    result.reserve(n);
    for (std::vector<V>& piece : from.all)
      result.insert(result.end(), std::make_move_iterator(piece.begin()),
                    std::make_move_iterator(piece.end()));
  }
  return result;
}

template <class S>
auto collected(S& sequence, const loop_options& how) {
  using V = kept_of<S>;
  if constexpr (indexed_sequence<S> && std::default_initializable<V> &&
                writable_in_parallel<typename std::vector<V>::iterator>) {
    sequence.prepare(how);
    std::vector<V> out(static_cast<std::size_t>(sequence.size()));
    S::engine::for_positions(
        sequence.size(),
        [&](position from, position to) {
          V* next = out.data() + from;
          sequence.push(from, to,
                        [&](auto&& element) { *next++ = keep<V>(std::forward<decltype(element)>(element)); });
        },
        how);
    return out;
  } else {
    return in_one_vector<typename S::engine>(
        accumulate(
            sequence, [] { return pieces<V>(); },
            [](pieces<V>& left, auto&& element) { left.add(std::forward<decltype(element)>(element)); },
            [](pieces<V>& left, pieces<V>&& right) { left.append(std::move(right)); }, how),
        how);
  }
}

// Elements written to a destination with random access; returns the end of what was written. Those whose positions do not
// say where they go are counted first.
template <class S, class D>
auto collected_into(S& sequence, D& out, const loop_options& how) {
  sequence.prepare(how);
  if constexpr (indexed_sequence<S>) {
    const position n = sequence.size();
    const auto to = begin_of(out, n, "lazy::collect_into");
    S::engine::for_positions(
        n,
        [&](position from, position end) {
          auto next = to + static_cast<std::ptrdiff_t>(from);
          sequence.push(from, end, [&](auto&& element) {
            *next = std::forward<decltype(element)>(element);
            ++next;
          });
        },
        how);
    return to + static_cast<std::ptrdiff_t>(n);
  } else {
    numbered<S&> all(sequence);
    all.prepare(how);
    const auto to = begin_of(out, all.count(), "lazy::collect_into");
    S::engine::for_positions(
        all.size(),
        [&](position from, position end) {
          all.push(from, end, [&](auto&& element) {
            to[static_cast<std::ptrdiff_t>(element.first)] = std::forward<decltype(element)>(element).second;
          });
        },
        how);
    return to + static_cast<std::ptrdiff_t>(all.count());
  }
}

// The first element, or nothing.
template <class S>
auto first_of(S& sequence, const loop_options& how) {
  using V = kept_of<S>;
  sequence.prepare(how);
  const position n = sequence.size();
  std::unique_ptr<V> first;
  position begin_of_first = n;
  std::mutex finding;
  // A part with an element matches where it begins. Parts do not overlap, so the lowest match is the part with the first one.
  const auto find = [&](position from, position to) {
    // Nothing of the program's runs under the lock: it may fork, and go on elsewhere.
    std::unique_ptr<V> found;
    sequence.push(from, to, [&](auto&& element) {
      found.reset(new V(keep<V>(std::forward<decltype(element)>(element))));
      return true;
    });
    if (found == nullptr) return to;
    const std::scoped_lock lock(finding);
    if (from < begin_of_first) {
      begin_of_first = from;
      first.swap(found);
    }
    return from;
  };
  first_match<typename S::engine>(n, find, how);
  return first != nullptr ? std::optional<V>(std::move(*first)) : std::nullopt;
}

}  // namespace sennit::detail
