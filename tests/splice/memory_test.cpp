// SPDX-License-Identifier: Apache-2.0
// Splices for which there is no memory: each allocation that they make fails once, and all from then on.
#include "../replaced_new.hpp"
#include "support.hpp"

#include <atomic>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <vector>

namespace {

// So many allocations still succeed; negative: all do.
constinit std::atomic<long> left{-1};
constinit std::atomic<bool> failed{false};
constinit std::atomic<bool> once{false};

}  // namespace

namespace sennit_test {

void allocating(std::size_t) {
  for (long now = left; now >= 0;) {
    if (!left.compare_exchange_weak(now, now == 0 && !once ? 0 : now - 1)) continue;
    if (now > 0) break;
    failed = true;
    throw std::bad_alloc();
  }
}

namespace {

using sennit::call;
using sennit::call_effects;
using sennit::memory_range;
using sennit::range;
using sennit::reads;
using sennit::sequence;
using sennit::writes;

using field = std::vector<double>;

// Counts those that live: in functions that are given up.
struct guard {
  guard() { ++living; }
  guard(const guard&) = delete;
  guard& operator=(const guard&) = delete;
  ~guard() { --living; }
  inline static std::atomic<int> living{0};
};

void apply(double* out, const double* in, range r) {
  for (auto i = r.first; i < r.last; ++i) out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
}
sennit::effects effects_of(double* out, const double* in, range r) {
  return {reads(memory_range(in, r.grown(1))), writes(memory_range(out, r))};
}

void halves(double* out, const double* in, range r) {
  const guard here;
  const call_effects fx{effects_of(out, in, r)};
  if (r.size() <= 16) {
    sennit::step(fx, [&] { apply(out, in, r); });
  } else {
    sequence(call(halves, out, in, r.left()), call(halves, out, in, r.right()));
  }
}
void list(double* out, const double* in, range r) {
  const guard here;
  const call_effects fx{effects_of(out, in, r)};
  sennit::sequence_of(8, [&](std::size_t i) {
    const auto part = static_cast<std::int64_t>(i) * r.size() / 8;
    return call(halves, out, in, range{r.first + part, r.first + part + r.size() / 8});
  });
}
void trees(double* out, const double* in, range r) {
  const guard here;
  const call_effects fx{effects_of(out, in, r)};
  const auto tree = [&](range part) {
    return sennit::divided{part, 16, [=](range of) { return effects_of(out, in, of); },
                           [=](range of) { apply(out, in, of); }};
  };
  sequence(call(halves, out, in, r.left()), tree(r.right()));
}
void undeclared(double* out, const double* in, range r) {
  const guard here;
  const call_effects fx{effects_of(out, in, r)};
  sequence(call([] {}));
}

using body = void (*)(double*, const double*, range);

struct stencil {
  static constexpr int times = 8;
  static constexpr range inner{1, 257};
  field u[2] = {field(258), field(258)};
  stencil() {
    for (std::size_t i = 0; i < 258; ++i) u[0][i] = u[1][i] = static_cast<double>(i * 7 % 13);
  }
  double* out(int t) { return u[(t + 1) % 2].data(); }
  const double* in(int t) const { return u[t % 2].data(); }
  void splice(body sweep, const sennit::splicing& how) {
    sennit::splice(how, times, [&](int t) { sweep(out(t), in(t), inner); });
  }
};

class no_memory : public testing::TestWithParam<unsigned> {
 protected:
  // Right, or std::bad_alloc; and right the next time.
  static void try_all(body sweep, const sennit::splicing& how = {}) {
    stencil expected;
    for (int t = 0; t < stencil::times; ++t) apply(expected.out(t), expected.in(t), stencil::inner);
    sennit::runtime& runtime = runtime_of(GetParam());
    for (const bool one : {true, false}) {
      once = one;
      bool any = true;
      for (long k = 0; any && !HasFailure(); ++k) {
        SCOPED_TRACE("allocation " + std::to_string(k) + (one ? " fails" : " fails, and all after it"));
        stencil s;
        bool ended = false;
        bool refused = false;
        failed = false;
        runtime.run([&] {
          left = k;
          try {
            s.splice(sweep, how);
            left = -1;
            ended = true;
          } catch (const std::bad_alloc&) {
            left = -1;
          } catch (const std::logic_error&) {
            left = -1;
            refused = true;
          }
        });
        any = failed;
        EXPECT_EQ(guard::living, 0) << "a function was not unwound";
        EXPECT_TRUE(any || refused == (sweep == undeclared));
        EXPECT_TRUE(!ended || s.u[0] == expected.u[0]);
        if (any && k % 8 == 0) {
          stencil again;
          runtime.run([&] { again.splice(halves, how); });
          EXPECT_EQ(again.u[0], expected.u[0]) << "the next splice";
        }
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(on, no_memory, testing::Values(1U, 2U),
                         [](const auto& info) { return std::to_string(info.param) + "_workers"; });

// Each catches std::terminate(), a hang, functions that are left on their stacks, and calls that are freed twice.
TEST_P(no_memory, for_functions) { try_all(halves); }
TEST_P(no_memory, for_lists_of_calls) { try_all(list); }
TEST_P(no_memory, for_trees_in_sequences) { try_all(trees); }
TEST_P(no_memory, where_few_may_wait) { try_all(halves, {.together = 4, .most_delayed = 2}); }
TEST_P(no_memory, to_say_what_is_wrong) { try_all(undeclared); }

}  // namespace
}  // namespace sennit_test
