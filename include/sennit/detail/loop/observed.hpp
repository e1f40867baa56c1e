// Loops in observed regions: what is recorded of one run must be found again in the next.
// docs/protocols/trace_cursors.md.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/loop/frame.hpp>
#include <sennit/join.hpp>

#include <tuple>
#include <utility>

namespace sennit::detail {

// Whether the calling strand's region is observed.
SENNIT_EXPORT SENNIT_COLD bool in_observed_region() noexcept;

// A loop in an observed region, while it lives: a construct that is counted, with what is inside a level
// deeper.
class SENNIT_EXPORT observed_loop {
 public:
  SENNIT_COLD explicit observed_loop(position iterations) noexcept;
  observed_loop(const observed_loop&) = delete;
  observed_loop& operator=(const observed_loop&) = delete;
  SENNIT_COLD ~observed_loop();

 private:
  const position iterations_;
  whereabouts where_{};
};

// Iterations of a leaf, where the loop does not say.
constexpr position observed_leaf(position iterations) noexcept {
  constexpr position leaves = 256;
  return (iterations + leaves - 1) / leaves;
}

// Where [first, last) is halved, at a whole number of leaves. Precondition: it has more than one.
constexpr position observed_middle(position first, position last, position leaf) noexcept {
  return first + ((last - first + leaf) / leaf / 2) * leaf;
}

// In an observed region a loop is a tree of forks that halve it, down to leaves that do not depend on time,
// so that what is recorded of one run can be followed by another. Loops that are known to be brief are not
// cut: they would take longer.
template <class Body>
typename Body::value fold_halves(position first, position last, position leaf, Body& body) {
  if (last - first <= leaf) {
    auto sum = body.make();
    body.run(sum, first, last, no_gate());
    return sum;
  }
  const position middle = observed_middle(first, last, leaf);
  using value = typename Body::value;
  std::tuple<value, value> halves = join_pair([&] { return fold_halves<Body>(first, middle, leaf, body); },
                                              [&] { return fold_halves<Body>(middle, last, leaf, body); });
  body.merge(std::get<0>(halves), std::move(std::get<1>(halves)));
  return std::get<0>(std::move(halves));
}

}  // namespace sennit::detail
