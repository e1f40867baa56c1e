// Plain loops with promotion points, in the vocabulary of common/loops.hpp: no frame, no deque, until a beat comes. `grain` says
// after how many iterations a loop has one. Variants of the system 'points':
//   default               no beats
//   beats100, beats20     a beat each 100 us or 20 us, for which nothing is promoted
//   promote100, promote20 the same, and half of what is left of the loop becomes a task
#pragma once

#include "common/loops.hpp"
#include "common/sennit.hpp"

#include <sennit/beats.hpp>
#include <sennit/promotion_point.hpp>
#include <sennit/task_group.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

namespace bench {

class points {
 public:
  explicit points(program& program)
      : runtime_(program), promotes_(program.is("promote100") || program.is("promote20")) {
    if (program.is("default")) return;
    const bool rare = program.is("promote100") || program.is("beats100");
    if (!rare && !program.is("promote20") && !program.is("beats20"))
      program.fail("--variant", "must be beats100, beats20, promote100 or promote20, or nothing");
    beats_.emplace(
        sennit::beats_options{.period = std::chrono::microseconds(rare ? 100 : 20), .in = &runtime_});
  }

  template <class F>
  void enter(F&& f) {
    runtime_.run(f);
  }

  template <class F>
  void each(std::size_t n, std::size_t grain, F&& body) {
    part(0, n, grain, body);
  }
  template <class F>
  void grid(std::size_t rows, std::size_t columns, std::size_t, F&& body) {
    each(rows, 1, [&](std::size_t i) {
      for (std::size_t j = 0; j < columns; ++j) body(i, j);
    });
  }
  template <class T, class F>
  T sum(std::size_t n, std::size_t grain, F&& term) {
    return sum_of<T>(0, n, grain, term);
  }
  template <class T, class Add, class Merge>
  T fold(std::size_t n, std::size_t grain, const T& zero, Add&& add, Merge&& merge) {
    T result = zero;
    fold_into(0, n, grain, zero, add, merge, result);
    return result;
  }

 private:
  template <class F>
  SENNIT_BENCH_NOINLINE void part(std::size_t i, std::size_t end, std::size_t grain, const F& body) {
    sennit::task_group others;
    while (i < end) {
      const std::size_t stop = std::min(end, i + grain);
      for (; i < stop; ++i) body(i);
      SENNIT_PROMOTION_POINT(if (promotes_ && end - i > grain) {
        const std::size_t middle = i + (end - i) / 2;
        others.spawn([this, middle, end, grain, &body] { part(middle, end, grain, body); });
        end = middle;
      });
    }
    others.wait();
  }

  // Latest first, so lowest first.
  template <class T>
  struct promoted {
    T value;
    promoted* before;
  };

  template <class T, class F>
  SENNIT_BENCH_NOINLINE T sum_of(std::size_t i, std::size_t end, std::size_t grain, const F& term) {
    promoted<T>* latest = nullptr;
    sennit::task_group others;
    T result{};
    while (i < end) {
      const std::size_t stop = std::min(end, i + grain);
      for (; i < stop; ++i) result += term(i);
      SENNIT_PROMOTION_POINT(if (promotes_ && end - i > grain) {
        const std::size_t middle = i + (end - i) / 2;
        latest = new promoted<T>{T{}, latest};
        others.spawn([this, middle, end, grain, &term, to = latest] {
          to->value = sum_of<T>(middle, end, grain, term);
        });
        end = middle;
      });
    }
    others.wait();
    while (latest != nullptr) {
      result += latest->value;
      delete std::exchange(latest, latest->before);
    }
    return result;
  }

  template <class T, class Add, class Merge>
  SENNIT_BENCH_NOINLINE void fold_into(std::size_t i, std::size_t end, std::size_t grain, const T& zero,
                                       const Add& add, const Merge& merge, T& view) {
    promoted<T>* latest = nullptr;
    sennit::task_group others;
    while (i < end) {
      const std::size_t stop = std::min(end, i + grain);
      for (; i < stop; ++i) add(view, i);
      SENNIT_PROMOTION_POINT(if (promotes_ && end - i > grain) {
        const std::size_t middle = i + (end - i) / 2;
        latest = new promoted<T>{zero, latest};
        others.spawn([this, middle, end, grain, &zero, &add, &merge, to = latest] {
          fold_into(middle, end, grain, zero, add, merge, to->value);
        });
        end = middle;
      });
    }
    others.wait();
    while (latest != nullptr) {
      merge(view, std::move(latest->value));
      delete std::exchange(latest, latest->before);
    }
  }

  sennit_runtime runtime_;
  std::optional<sennit::beats> beats_;
  bool promotes_;
};

}  // namespace bench
