// SPDX-License-Identifier: Apache-2.0
// In the checked variant: branches that were forked in a handler, and ask for the exception there.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/misuse.hpp>

#include <exception>
#include <utility>

namespace sennit::detail {

#if SENNIT_CHECKED && SENNIT_EXCEPTIONS

// What such a branch finds instead: it would find none if another worker ran it.
class handled_elsewhere : public std::exception {
 public:
  const char* what() const noexcept override {
    return "a branch has asked for the exception that is handled where the branch was forked. A handled "
           "exception "
           "belongs to a thread, and another thread may run the branch: take std::current_exception() before "
           "the "
           "fork, and have the branch rethrow that exception";
  }
};

// Made where the branch is forked.
class forked_in_handler {
 public:
  // Any worker runs the branch by it: what is wrong in one schedule is found in each.
  template <class F>
  decltype(auto) run(F&& f) const {
    if (!in_handler_) return std::forward<F>(f)();
    try {
      throw handled_elsewhere();
    } catch (const handled_elsewhere&) {
      try {
        return std::forward<F>(f)();
      } catch (const handled_elsewhere& rethrown) {
        misuse(rethrown.what());
      }
    }
  }

 private:
  const bool in_handler_ = std::current_exception() != nullptr;
};

#else

class forked_in_handler {
 public:
  template <class F>
  SENNIT_INLINE decltype(auto) run(F&& f) const {
    return std::forward<F>(f)();
  }
};

#endif

}  // namespace sennit::detail
