// SPDX-License-Identifier: Apache-2.0
// Functions behind pointers, for graph::any_nodes.
#pragma once

#include <sennit/detail/graph/declarations.hpp>
#include <sennit/detail/graph/refusal.hpp>

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

template <class Key>
class any_predecessors {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, any_predecessors>)
  any_predecessors(F f) {
    if constexpr (require_predecessors<Key, F>()) {
      f_ = [f = std::move(f)](const Key& k) {
        std::vector<Key> keys;
        for (auto&& p : std::invoke(f, k)) keys.push_back(p);
        return keys;
      };
    }
  }
  std::vector<Key> operator()(const Key& k) const { return f_(k); }

 private:
  std::function<std::vector<Key>(const Key&)> f_;
};

template <class Key>
class any_compute {
 public:
  using node = graph::node<Key, any_predecessors<Key>, any_compute>;

  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, any_compute>)
  any_compute(F f) {
    if constexpr (require_compute<Key, F, node>()) {
      f_ = [f = std::move(f)](const Key& k, node& n) {
        if constexpr (std::is_invocable_v<const F&, const Key&, node&>) {
          std::invoke(f, k, n);
        } else {
          std::invoke(f, k);
        }
      };
    }
  }
  void operator()(const Key& k, node& n) const { f_(k, n); }

 private:
  std::function<void(const Key&, node&)> f_;
};

template <class Key>
class any_color {
 public:
  any_color() = default;
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, any_color>)
  any_color(F f) {
    if constexpr (require_any_color<Key, F>()) f_ = std::move(f);
  }
  bool given() const noexcept { return f_ != nullptr; }
  long operator()(const Key& k) const { return f_(k); }

 private:
  std::function<long(const Key&)> f_;
};

}  // namespace sennit::detail
