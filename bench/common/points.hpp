// SPDX-License-Identifier: Apache-2.0
// Plain loops with promotion points, in the vocabulary of common/loops.hpp: no frame, no deque, until a beat comes. `grain` says
// after how many iterations a loop has one. Variants of the system 'points':
//   default               no beats
//   beats100, beats20     a beat each 100 us or 20 us, for which nothing is promoted
//   promote100, promote20 the same, and half of what is left of the loop becomes a task
// With beats they tell how many a sample asked for, how many came, and the share of the one in the other.
#pragma once

#include "common/loops.hpp"
#include "common/sennit.hpp"

#include <sennit/beats.hpp>
#include <sennit/latent_range.hpp>
#include <sennit/promotion_point.hpp>
#include <sennit/task_group.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

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
    const beat_totals before = beats_so_far();
    runtime_.run(f);
    const beat_totals after = beats_so_far();
    of_sample_ = {after.asked - before.asked, after.delivered - before.delivered};
  }

  std::vector<std::pair<const char*, double>> figures() const {
    // Shorter than a period, a sample asks for nothing.
    if (of_sample_.asked == 0) return {};
    const auto asked = static_cast<double>(of_sample_.asked);
    const auto delivered = static_cast<double>(of_sample_.delivered);
    return {{"beats_asked", asked}, {"beats_delivered", delivered}, {"rate_reached", delivered / asked}};
  }

  template <class F>
  void each(std::size_t n, std::size_t grain, F&& body) {
    part(0, n, grain, body);
  }
  // body(i), or where body.is_long(i), body(i, inside), `inside` being what the loops in there run on.
  template <class F>
  void nest(std::size_t n, std::size_t grain, F&& body) {
    uneven_part(0, n, grain, body);
  }
  template <class F>
  void grid(std::size_t rows, std::size_t columns, std::size_t grain, F&& body) {
    block(0, rows, 0, columns, grain, body);
  }
  template <class T, class F>
  T sum(std::size_t n, std::size_t grain, F&& term) {
    return sum_of<T>(nullptr, n, grain, term);
  }
  template <class T, class Add, class Merge>
  T fold(std::size_t n, std::size_t grain, const T& zero, Add&& add, Merge&& merge) {
    const auto add_all = [add](T& view, std::size_t i, std::size_t end) {
      for (; i < end; ++i) add(view, i);
    };
    return fold_of(nullptr, 0, n, grain, zero, add_all, merge);
  }

  // What is left of the loop around is promoted first.
  class inside {
   public:
    template <class T, class F>
    T sum(std::size_t n, std::size_t grain, F&& term) {
      return all_.sum_of<T>(&around_, n, grain, term);
    }

   private:
    friend class points;
    inside(points& all, sennit::latent& around) : all_(all), around_(around) {}

    points& all_;
    sennit::latent& around_;
  };

 private:
  struct beat_totals {
    std::uint64_t asked = 0;
    std::uint64_t delivered = 0;
  };

  beat_totals beats_so_far() const {
    beat_totals totals;
    if (!beats_) return totals;
    for (const sennit::beat_count& thread : beats_->statistics()) {
      totals.asked += thread.asked;
      totals.delivered += thread.delivered;
    }
    return totals;
  }

  // In these loops `own` is a copy, so that what it captures can be in registers.
  template <class F>
  SENNIT_BENCH_NOINLINE void part(std::size_t i, std::size_t end, std::size_t grain, const F& body) {
    const F own = body;
    sennit::task_group others;
    while (i < end) {
      const std::size_t stop = std::min(end, i + grain);
      for (std::size_t j = i; j < stop; ++j) own(j);
      i = stop;
      SENNIT_PROMOTION_POINT(if (promotes_ && end - i > grain) {
        const std::size_t middle = i + (end - i) / 2;
        others.spawn([this, middle, end, grain, &body] { part(middle, end, grain, body); });
        end = middle;
      });
    }
    others.wait();
  }

  template <class F>
  SENNIT_BENCH_NOINLINE void uneven_part(std::size_t i, std::size_t end, std::size_t grain, const F& body) {
    const F own = body;
    sennit::task_group others;
    const auto spawn = [this, grain, &body, &others](std::size_t from, std::size_t to) {
      others.spawn([this, from, to, grain, &body] { uneven_part(from, to, grain, body); });
    };
    while (i < end) {
      const std::size_t stop = std::min(end, i + grain);
      std::size_t j = i;
      for (; j < stop && !own.is_long(j); ++j) own(j);
      if (j < stop) [[unlikely]] {
        end = long_iteration(j, end, spawn, body);
        ++j;
      }
      i = j;
      SENNIT_PROMOTION_POINT(if (promotes_ && end - i > grain) {
        const std::size_t middle = i + (end - i) / 2;
        spawn(middle, end);
        end = middle;
      });
    }
    others.wait();
  }

  // Where the loop ends then. Apart, so that short iterations have all the registers.
  template <class Spawn, class F>
  SENNIT_BENCH_NOINLINE std::size_t long_iteration(std::size_t i, std::size_t end, const Spawn& spawn,
                                                   const F& body) {
    sennit::latent_range rest(nullptr, i + 1, end, spawn);
    body(i, inside(*this, rest));
    return rest.last();
  }

  // Rows are promoted first, then what is left of the last one.
  template <class F>
  SENNIT_BENCH_NOINLINE void block(std::size_t i, std::size_t rows, std::size_t first, std::size_t last,
                                   std::size_t grain, const F& body) {
    const F own = body;
    sennit::task_group others;
    for (; i < rows; ++i) {
      for (std::size_t j = first, end = last; j < end;) {
        const std::size_t stop = std::min(end, j + grain);
        for (; j < stop; ++j) own(i, j);
        SENNIT_PROMOTION_POINT(if (promotes_) {
          if (rows - i > 1) {
            const std::size_t middle = i + 1 + (rows - i - 1) / 2;
            others.spawn([this, middle, rows, first, last, grain, &body] {
              block(middle, rows, first, last, grain, body);
            });
            rows = middle;
          } else if (end - j > grain) {
            const std::size_t middle = j + (end - j) / 2;
            others.spawn([this, i, middle, end, grain, &body] { block(i, i + 1, middle, end, grain, body); });
            end = middle;
          }
        });
      }
    }
    others.wait();
  }

  template <class T, class F>
  T sum_of(sennit::latent* around, std::size_t n, std::size_t grain, F term) {
    // A sum of its own for each chunk: one that lived across the promotion point would be in memory all the time, as no
    // vector register outlives a call.
    const auto add = [term](T& view, std::size_t i, std::size_t end) {
      T part{};
      for (; i < end; ++i) part += term(i);
      view += part;
    };
    return fold_of(around, 0, n, grain, T{}, add, [](T& view, const T& other) { view += other; });
  }

  template <class T, class Add, class Merge>
  SENNIT_BENCH_NOINLINE T fold_of(sennit::latent* around, std::size_t i, std::size_t end, std::size_t grain,
                                  const T& zero, const Add& add, const Merge& merge) {
    const Add own = add;
    // Latest first, so lowest first.
    struct promoted {
      T value;
      promoted* before;
    };
    promoted* latest = nullptr;
    sennit::task_group others;
    T result = zero;
    while (i < end) {
      const std::size_t stop = std::min(end, i + grain);
      own(result, i, stop);
      i = stop;
      SENNIT_PROMOTION_POINT(if (promotes_) {
        if (around != nullptr && around->promote()) continue;
        if (end - i <= grain) continue;
        const std::size_t middle = i + (end - i) / 2;
        latest = new promoted{zero, latest};
        others.spawn([this, middle, end, grain, &zero, &add, &merge, to = latest] {
          to->value = fold_of(nullptr, middle, end, grain, zero, add, merge);
        });
        end = middle;
      });
    }
    others.wait();
    while (latest != nullptr) {
      merge(result, std::move(latest->value));
      delete std::exchange(latest, latest->before);
    }
    return result;
  }

  sennit_runtime runtime_;
  std::optional<sennit::beats> beats_;
  bool promotes_;
  beat_totals of_sample_;
};

}  // namespace bench
