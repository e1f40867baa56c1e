// SPDX-License-Identifier: Apache-2.0
// A graph in an observed region. The library runs it, by way of an interface, so that programs that record no graph are
// not compiled for that. docs/protocols/graphs.md, "Observed regions".
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/alive.hpp>
#include <sennit/detail/graph/calls.hpp>
#include <sennit/detail/graph/declarations.hpp>
#include <sennit/detail/graph/key_text.hpp>
#include <sennit/detail/graph/limited_work.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/tables.hpp>
#include <sennit/detail/graph/tracing.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit {
enum class fidelity;
}
namespace sennit::graph {
class schedule;
}

namespace sennit::detail {

class observed_graph;

// A node, as the library knows it.
struct observed_key {
  observed_graph* of;
  node_number number;
  const void* named = nullptr;  // a key of the program's type, whose node may not exist
};
template <>
inline std::string text_of_key<observed_key>(const observed_key& k);
template <>
inline std::string label_of_key<observed_key>(const observed_key& k);

// A node's value, of any type.
class any_value {
 public:
  any_value() = default;
  template <class Value>
  explicit any_value(Value* made) noexcept
      : made_(made), end_([](void* value) noexcept { delete static_cast<Value*>(value); }) {}
  any_value(any_value&& other) noexcept : made_(std::exchange(other.made_, nullptr)), end_(other.end_) {}
  any_value& operator=(any_value&&) = delete;
  ~any_value() {
    if (made_ != nullptr) end_(made_);
  }
  void* get() const noexcept { return made_; }

 private:
  void* made_ = nullptr;
  void (*end_)(void*) noexcept = nullptr;
};

// What the strand of a run does for the running node.
class observed_strand {
 public:
  virtual const void* value_of(const observed_key& k) = 0;
  virtual void create(const observed_key& k) = 0;

 protected:
  ~observed_strand() = default;
};

class SENNIT_EXPORT observed_graph {
 public:
  struct made {
    any_value value;
    std::size_t bytes;
  };
  virtual node_state& state(node_number n) noexcept = 0;
  virtual std::vector<observed_key> predecessors(node_number n) = 0;
  virtual made compute(node_number n, observed_strand& by) = 0;
  virtual color_set colors(node_number n) = 0;
  virtual std::vector<std::uint32_t> list_of_colors(node_number n) = 0;
  virtual int priority(node_number n) = 0;
  virtual void find_limits(node_number n, item_limits& limits) = 0;
  virtual void tell_seen(const alive_amount& most, bool beyond) noexcept = 0;
  virtual std::string text(const observed_key& k) = 0;
  virtual std::string label(node_number n) = 0;
  [[noreturn]] virtual void throw_cycle(const std::vector<observed_key>& keys) = 0;

 protected:
  ~observed_graph() = default;
};

template <>
inline std::string text_of_key<observed_key>(const observed_key& k) {
  return k.of->text(k);
}
template <>
inline std::string label_of_key<observed_key>(const observed_key& k) {
  return k.of->label(k.number);
}

[[noreturn]] inline void throw_cycle_of(const std::vector<observed_key>& keys) {
  keys.front().of->throw_cycle(keys);
  __builtin_unreachable();  // GCC does not believe what a virtual function says of itself
}

// What kind of graph it is, and what the program wants of the run.
struct observed_kind {
  bool has_values = false;
  bool bounded = false;
  bool colored = false;
  bool prioritized = false;
  color_kind places = color_kind::nodes;
  double patience = 0;
  unsigned color_count = 0;
  alive_amount most_alive{};
  graph::trace* trace = nullptr;
};
// The schedule of graph::replay; null: none.
struct observed_replay {
  const graph::schedule* followed = nullptr;
  fidelity how{};
};

// Precondition: the calling strand is observed. Returns the sink's value, if nodes have values.
SENNIT_EXPORT SENNIT_COLD any_value run_observed(observed_graph& of, node_number sink,
                                                 const observed_kind& kind, const observed_replay& by);

template <class Key, class Nodes>
class observed_graph_of final : public observed_graph {
  using calls = graph_calls<Key, Nodes>;
  using value = typename calls::value;
  using table = decltype(table_of<Key>(std::declval<const Nodes&>().keys));

 public:
  explicit observed_graph_of(const Nodes& given) : calls_{given}, table_(table_of<Key>(given.keys)) {
    if constexpr (calls::colored) calls_.color_count = checked_color_count(given.coloring);
  }

  node_number number_of(const Key& k) {
    const borrowed mine(*this);
    return table_.find_or_make(k, *mine.numbers);
  }
  observed_kind kind() const {
    observed_kind k{.has_values = !std::is_void_v<value>,
                    .bounded = calls::bounded,
                    .colored = calls::colored,
                    .prioritized = calls::prioritized,
                    .places = calls_.given.coloring.of,
                    .patience = calls_.given.coloring.patience,
                    .color_count = calls_.color_count};
    if constexpr (calls::bounded) k.most_alive = calls_.most_alive();
    if constexpr (calls::traced) k.trace = calls_.given.trace;
    return k;
  }

  node_state& state(node_number n) noexcept override { return table_.state(n); }
  std::vector<observed_key> predecessors(node_number n) override {
    const borrowed mine(*this);
    std::vector<observed_key> found;
    auto&& keys = calls_.predecessors(table_.key_of(n));
    for (const auto& k : keys) found.push_back({.of = this, .number = table_.find_or_make(k, *mine.numbers)});
    return found;
  }
  made compute(node_number n, observed_strand& by) override {
    strand here{*this, by};
    values to;
    calls_.compute(n, here, to);
    return {.value = std::move(to.value_), .bytes = to.bytes_};
  }
  color_set colors(node_number n) override {
    if constexpr (calls::colored) return calls_.colors(table_.key_of(n));
    return all_colors;
  }
  std::vector<std::uint32_t> list_of_colors(node_number n) override {
    if constexpr (calls::colored) return calls_.list_of_colors(table_.key_of(n));
    return {};
  }
  int priority(node_number n) override {
    if constexpr (calls::prioritized) return calls_.priority(table_.key_of(n));
    return 0;
  }
  void find_limits([[maybe_unused]] node_number n, [[maybe_unused]] item_limits& limits) override {
    if constexpr (calls::limited) calls_.find_limits(table_.key_of(n), limits);
  }
  void tell_seen(const alive_amount& most, bool beyond) noexcept override {
    if constexpr (calls::bounded) calls_.tell_seen(was_alive{most, beyond});
  }
  std::string text(const observed_key& k) override {
    return k.named != nullptr ? text_of_key(*static_cast<const Key*>(k.named))
                              : text_of_key<Key>(table_.key_of(k.number));
  }
  std::string label(node_number n) override { return label_of_key<Key>(table_.key_of(n)); }
  [[noreturn]] void throw_cycle(const std::vector<observed_key>& keys) override {
    std::vector<Key> named;
    for (const observed_key& k : keys) named.push_back(table_.key_of(k.number));
    throw_cycle_of(std::move(named));
  }

 private:
  // Numbers that no key has yet, for a call.
  struct borrowed {
    explicit borrowed(observed_graph_of& g) : of(g) {
      const std::lock_guard guard(of.lending_);
      if (of.numbers_.empty()) {
        // So that giving it back needs no memory.
        of.numbers_.reserve(++of.supplies_);
        numbers = std::make_unique<typename table::supply>();
      } else {
        numbers = std::move(of.numbers_.back());
        of.numbers_.pop_back();
      }
    }
    borrowed(const borrowed&) = delete;
    borrowed& operator=(const borrowed&) = delete;
    ~borrowed() {
      const std::lock_guard guard(of.lending_);
      of.numbers_.push_back(std::move(numbers));
    }
    observed_graph_of& of;
    std::unique_ptr<typename table::supply> numbers;
  };
  // As graph_calls knows them.
  struct strand {
    observed_graph_of& of;
    observed_strand& by;

    decltype(auto) key_of(node_number n) { return of.table_.key_of(n); }
    const auto& value_of(const Key& k) {
      return *static_cast<const value*>(by.value_of({.of = &of, .number = of.table_.find(k), .named = &k}));
    }
    void create(const Key& k) { by.create({.of = &of, .number = of.number_of(k)}); }
  };
  struct values {
    any_value value_;
    std::size_t bytes_ = 0;

    template <class Make>
    void put(node_number, Make&& make) {
      std::construct_at(&value_, new value(std::forward<Make>(make)()));
    }
    template <class BytesOf>
    void measure(node_number, const BytesOf& bytes_of) {
      bytes_ = bytes_of(*static_cast<const value*>(value_.get()));
    }
  };
  struct was_alive {
    alive_amount most;
    bool beyond;
    alive_amount seen() const noexcept { return most; }
    bool went_beyond() const noexcept { return beyond; }
  };

  calls calls_;
  table table_;
  std::mutex lending_;
  std::vector<std::unique_ptr<typename table::supply>> numbers_;
  std::size_t supplies_ = 0;  // that were made; under lending_, too
};

template <class Key, class Nodes>
auto compute_observed(const Key& sink, const Nodes& given, const observed_replay& by) {
  using value = typename graph_calls<Key, Nodes>::value;
  observed_graph_of<Key, Nodes> all(given);
  const any_value last = run_observed(all, all.number_of(sink), all.kind(), by);
  if constexpr (!std::is_void_v<value>) return value(std::move(*static_cast<value*>(last.get())));
}

}  // namespace sennit::detail
