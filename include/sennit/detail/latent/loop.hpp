// SPDX-License-Identifier: Apache-2.0
// The loops of latent_for and latent_reduce: plain loops over chunks, with a promotion point at the end of each chunk.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/latent/call.hpp>
#include <sennit/detail/latent/given.hpp>
#include <sennit/detail/latent/pace.hpp>
#include <sennit/detail/position.hpp>
#include <sennit/latent_range.hpp>
#include <sennit/promotion_point.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace sennit::detail {

// Where the loop ends after a beat: what is left around it is promoted first, then half of its own [i, end).
template <class Part, class Run>
SENNIT_COLD position promote_half(latent* around, position i, position end, given_parts<Part>& parts,
                                  Run run) {
  if ((around != nullptr ? around->promote() : give_oldest_call()) || end - i < 2) return end;
  const position middle = end - (end - i) / 2;
  parts.give([run = std::move(run), middle, end](Part& part) { run(part, middle, end); });
  return middle;
}

// In an elision, an iteration with loops of its own gets what is left of the loop, and nothing gives that away.
class elided_rest : public latent {
 public:
  elided_rest(position first, position last) noexcept : latent(nullptr, first, last, nullptr) {}
};

// Chunks of `run`, which has a body over [from, to).
template <class Engine, class Run>
  requires Engine::serial
SENNIT_INLINE void run_latent(latent*, position i, position end, const Run& run) {
  run(i, end);
}
template <class Engine, class Run>
SENNIT_HOT void run_latent(latent* around, position i, position end, const Run& run) {
  const Run own = run;
  latent_pace& pace = pace_of<Run>;
  given_parts<given_part> parts;
  std::uint32_t chunk = pace.chunk();
  const std::uint32_t begun = chunk;
  while (i < end) {
    const position stop = end - i > chunk ? i + chunk : end;
    own(i, stop);
    i = stop;
    if (chunk < pace.limit()) chunk *= 2;
    SENNIT_PROMOTION_POINT({
      end = promote_half(around, i, end, parts, [&run](given_part&, position from, position to) {
        run_latent<Engine>(nullptr, from, to, run);
      });
      i = pace.measure(i, end, [&run](position at) { run(at, at + 1); });
      chunk = pace.chunk();
    });
  }
  if (chunk > begun) pace.keep(chunk);
  parts.settle([](given_part&) {});
}

// A body that has latent loops of its own: `one(i, rest)`. Each iteration ends with a promotion point.
template <class Engine, class One>
  requires Engine::serial
SENNIT_INLINE void run_latent_nest(latent*, position i, position end, const One& one) {
  for (; i < end; ++i) {
    elided_rest rest(i + 1, end);
    one(i, static_cast<latent&>(rest));
  }
}
template <class Engine, class One>
SENNIT_HOT void run_latent_nest(latent* around, position i, position end, const One& one) {
  given_parts<given_part> parts;
  for (; i < end; ++i) {
    latent_range rest(around, i + 1, end, [&parts, &one](position from, position to) {
      parts.give([&one, from, to](given_part&) { run_latent_nest<Engine>(nullptr, from, to, one); });
    });
    one(i, static_cast<latent&>(rest));
    SENNIT_PROMOTION_POINT(rest.promote());
    end = rest.last();
  }
  parts.settle([](given_part&) {});
}

template <class T>
class given_value : public given_part {
 public:
  using given_part::given_part;

  void set(T&& value) { value_.emplace(std::move(value)); }
  T& value() noexcept { return *value_; }

 private:
  std::optional<T> value_;
};

// The value of [i, end), which is not empty. `terms` is a reduced_parts.
template <class Engine, class T, class Terms>
  requires Engine::serial
SENNIT_INLINE T reduce_latent(latent*, position i, position end, const Terms& terms) {
  return terms.fold(i, end);
}
template <class Engine, class T, class Terms>
SENNIT_HOT T reduce_latent(latent* around, position i, position end, const Terms& terms) {
  const Terms own = terms;
  latent_pace& pace = pace_of<Terms>;
  given_parts<given_value<T>> parts;
  std::uint32_t chunk = pace.chunk();
  const std::uint32_t begun = chunk;
  std::optional<T> value;
  while (i < end) {
    const position stop = end - i > chunk ? i + chunk : end;
    own.merge(value, own.fold(i, stop));
    i = stop;
    if (chunk < pace.limit()) chunk *= 2;
    SENNIT_PROMOTION_POINT({
      end = promote_half(around, i, end, parts, [&terms](given_value<T>& part, position from, position to) {
        part.set(reduce_latent<Engine, T>(nullptr, from, to, terms));
      });
      i = pace.measure(i, end, [&](position at) { terms.append(*value, terms.fold(at, at + 1)); });
      chunk = pace.chunk();
    });
  }
  if (chunk > begun) pace.keep(chunk);
  parts.settle([&](given_value<T>& part) { terms.append(*value, std::move(part.value())); });
  return *std::move(value);
}

// The same where each term has latent loops of its own: `term(i, rest)`.
template <class Engine, class T, class Term, class Combine>
  requires Engine::serial
SENNIT_INLINE T reduce_latent_nest(latent*, position i, position end, const Term& term,
                                   const Combine& combine) {
  elided_rest first(i + 1, end);
  T value = term(i, static_cast<latent&>(first));
  while (++i < end) {
    elided_rest rest(i + 1, end);
    combine(value, term(i, static_cast<latent&>(rest)));
  }
  return value;
}
template <class Engine, class T, class Term, class Combine>
SENNIT_HOT T reduce_latent_nest(latent* around, position i, position end, const Term& term,
                                const Combine& combine) {
  given_parts<given_value<T>> parts;
  std::optional<T> value;
  for (; i < end; ++i) {
    latent_range rest(around, i + 1, end, [&](position from, position to) {
      parts.give([&term, &combine, from, to](given_value<T>& part) {
        part.set(reduce_latent_nest<Engine, T>(nullptr, from, to, term, combine));
      });
    });
    T next = term(i, static_cast<latent&>(rest));
    if (value) {
      combine(*value, std::move(next));
    } else {
      value.emplace(std::move(next));
    }
    SENNIT_PROMOTION_POINT(rest.promote());
    end = rest.last();
  }
  parts.settle([&](given_value<T>& part) { combine(*value, std::move(part.value())); });
  return *std::move(value);
}

}  // namespace sennit::detail
