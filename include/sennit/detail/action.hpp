// SPDX-License-Identifier: Apache-2.0
// A reference to something callable.
#pragma once

#include <memory>
#include <type_traits>

namespace sennit::detail {

// Called with no arguments. What it refers to must outlive it.
class action {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, action>)
  action(F& f) noexcept : object_(std::addressof(f)), call_([](void* o) { (*static_cast<F*>(o))(); }) {}
  void operator()() const { call_(object_); }
  // Where its code is in the program.
  const void* code() const noexcept { return reinterpret_cast<const void*>(call_); }

 private:
  void* object_;
  void (*call_)(void*);
};

}  // namespace sennit::detail
