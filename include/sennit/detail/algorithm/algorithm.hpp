// SPDX-License-Identifier: Apache-2.0
// An algorithm as an object: the forms in which it is called, and one message of the compiler for a call that fits none.
#pragma once

#include <sennit/detail/algorithm/refusal.hpp>

#include <concepts>

namespace sennit::detail {

// `Forms` has an operator() for each form, and refuse<A...>(), which says what is wrong with other arguments.
template <class Forms>
struct algorithm : Forms {
  using Forms::operator();

  template <class... A>
    requires(!std::invocable<const Forms&, A...>)
  auto operator()(A&&...) const {
    Forms::template refuse<A...>();
    return refused();
  }
};

}  // namespace sennit::detail
