// SPDX-License-Identifier: Apache-2.0
// Filters: the stages of parallel_pipeline, and chains of them.
#pragma once

#include <sennit/tbb/setting.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace tbb {
namespace on_sennit {

enum class filter_mode : unsigned { parallel, serial_in_order, serial_out_of_order };

// Given to the first filter, which says by it that there is nothing more: what it then returns is dropped.
class flow_control {
 public:
  void stop() { stopped_ = true; }

 private:
  friend class pipeline_run;
  bool stopped_ = false;
};

// What goes from one filter to the next: a value of any type. Only what is large or no plain bytes needs an allocation.
class pipeline_item {
 public:
  pipeline_item() = default;
  pipeline_item(pipeline_item&& other) noexcept
      : value_(other.value_), end_(std::exchange(other.end_, nullptr)) {}
  pipeline_item& operator=(pipeline_item&& other) noexcept {
    std::swap(value_, other.value_);
    std::swap(end_, other.end_);
    return *this;
  }
  ~pipeline_item() {
    if (end_ != nullptr) end_(value_.allocated);
  }

  template <class T>
  static pipeline_item of(T&& given) {
    pipeline_item made;
    if constexpr (is_plain<T>) {
      ::new (static_cast<void*>(made.value_.bytes)) T(std::move(given));
    } else {
      made.value_.allocated = new T(std::move(given));
      made.end_ = [](void* allocated) { delete static_cast<T*>(allocated); };
    }
    return made;
  }
  template <class T>
  T& value() {
    if constexpr (is_plain<T>) {
      return *std::launder(reinterpret_cast<T*>(value_.bytes));
    } else {
      return *static_cast<T*>(value_.allocated);
    }
  }

 private:
  template <class T>
  static constexpr bool is_plain =
      std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(void*) && alignof(T) <= alignof(void*);

  union {
    void* allocated;
    std::byte bytes[sizeof(void*)];
  } value_{nullptr};
  void (*end_)(void*) = nullptr;  // null: there is nothing allocated
};

// A filter with any types. Several strands call it.
class pipeline_stage {
 public:
  explicit pipeline_stage(filter_mode how) : mode(how) {}
  pipeline_stage(const pipeline_stage&) = delete;
  pipeline_stage& operator=(const pipeline_stage&) = delete;
  virtual ~pipeline_stage() = default;
  // `item`: empty for the first stage. Returns an empty one where the filter returns void.
  virtual pipeline_item call(pipeline_item item, flow_control& control) const = 0;

  const filter_mode mode;
};

template <class In, class Out, class Body>
class stage_of : public pipeline_stage {
 public:
  stage_of(filter_mode how, const Body& body) : pipeline_stage(how), body_(body) {}

  pipeline_item call(pipeline_item item, flow_control& control) const override {
    if constexpr (std::is_void_v<In>) {
      return result([&]() -> decltype(auto) { return std::invoke(body_, control); });
    } else {
      auto& given = item.template value<std::remove_cvref_t<In>>();
      return result([&]() -> decltype(auto) { return std::invoke(body_, std::move(given)); });
    }
  }

 private:
  template <class F>
  static pipeline_item result(F&& f) {
    if constexpr (std::is_void_v<Out>) {
      f();
      return {};
    } else {
      return pipeline_item::of(static_cast<std::remove_cvref_t<Out>>(f()));
    }
  }

  const Body body_;
};

// What a body takes and returns, where it is no generic function.
template <class Body>
struct call_of : call_of<decltype(&Body::operator())> {};
template <class R, class A>
struct call_of<R (*)(A)> {
  using in =
      std::conditional_t<std::same_as<std::remove_cvref_t<A>, flow_control>, void, std::remove_cvref_t<A>>;
  using out = std::remove_cvref_t<R>;
};
template <class C, class R, class A>
struct call_of<R (C::*)(A) const> : call_of<R (*)(A)> {};
template <class C, class R, class A>
struct call_of<R (C::*)(A)> : call_of<R (*)(A)> {};
template <class C, class R, class A>
struct call_of<R (C::*)(A) const noexcept> : call_of<R (*)(A)> {};
template <class R, class A>
struct call_of<R (*)(A) noexcept> : call_of<R (*)(A)> {};
template <class R, class C>
struct call_of<R(C::*)> {
  using in = C*;
  using out = std::remove_cvref_t<R>;
};
template <class R, class C>
struct call_of<R (C::*)() const> {
  using in = C;
  using out = std::remove_cvref_t<R>;
};
template <class R, class C>
struct call_of<R (C::*)()> {
  using in = C;
  using out = std::remove_cvref_t<R>;
};

using stage_list = std::vector<std::shared_ptr<const pipeline_stage>>;

// A chain of filters, from In to Out. Copies share them.
template <class In, class Out>
class filter {
 public:
  filter() = default;
  template <class Body>
  filter(filter_mode mode, const Body& body)
      : stages_{std::make_shared<const stage_of<In, Out, Body>>(mode, body)} {}

  template <class Next>
  friend filter<In, Next> operator&(const filter& left, const filter<Out, Next>& right) {
    stage_list all = left.stages();
    all.insert(all.end(), right.stages().begin(), right.stages().end());
    return filter<In, Next>(std::move(all));
  }
  filter& operator&=(const filter<Out, Out>& right) { return *this = *this & right; }
  void clear() { stages_.clear(); }

  const stage_list& stages() const { return stages_; }
  explicit filter(stage_list all) : stages_(std::move(all)) {}

 private:
  stage_list stages_;
};
template <class Body>
filter(filter_mode, Body) -> filter<typename call_of<Body>::in, typename call_of<Body>::out>;

template <class In, class Out, class Body>
filter<In, Out> make_filter(filter_mode mode, const Body& body) {
  return filter<In, Out>(mode, body);
}
template <class Body>
auto make_filter(filter_mode mode, const Body& body) {
  return filter<typename call_of<Body>::in, typename call_of<Body>::out>(mode, body);
}

}  // namespace on_sennit
}  // namespace tbb
