// SPDX-License-Identifier: Apache-2.0
// One run of a pipeline: items go through the stages depth first. docs/protocols/pipelines.md.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/pipeline/item.hpp>
#include <sennit/detail/pipeline/stages.hpp>
#include <sennit/detail/pipeline/strand.hpp>
#include <sennit/region.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sennit::detail {

// The type of what stage K is given: what the source gives, or what the stage before it returns.
template <std::size_t K, class Source, class... Stages>
struct result_before {
  using type =
      result_of_stage<std::tuple_element_t<K - 1, std::tuple<Stages...>>,
                      typename stage_result<typename result_before<K - 1, Source, Stages...>::type>::given>;
};
template <class Source, class... Stages>
struct result_before<0, Source, Stages...> {
  using type = typename Source::result;
};

// An item with room for two values: one that a stage takes, and one that it makes. No value is moved.
template <class... Results>
struct item_with_values : pipeline_item {
  struct alignas(Results...) room {
    std::array<std::byte, std::max({sizeof(Results)...})> bytes;
  };
  std::array<room, sizeof...(Results) == 1 ? 1 : 2> rooms;
};

template <class Source, class... Stages>
class pipeline_run : public pipeline_state {
  static constexpr std::size_t stage_count = sizeof...(Stages);
  template <std::size_t K>
  using stage = std::tuple_element_t<K, std::tuple<Stages...>>;
  template <std::size_t K>
  using result = stage_result<typename result_before<K, Source, Stages...>::type>;
  template <class Numbers>
  struct items_of;
  template <std::size_t... K>
  struct items_of<std::index_sequence<K...>> {
    using type = item_with_values<result<K>...>;
  };
  // Two items are not on one line of the cache.
  struct alignas(64) item : items_of<std::make_index_sequence<stage_count>>::type {};

 public:
  // Throws std::bad_alloc.
  pipeline_run(std::size_t most_alive, Source& source, Stages&... stages)
      : pipeline_state(SENNIT_EXCEPTIONS),
        source_(source),
        stages_(stages...),
        items_(new item[most_alive]),
        turns_(((void)sizeof(Stages), most_alive)...) {
    for (std::size_t i = most_alive; i-- > 0;) add_item(items_[i]);
  }

  void run() {
    pipeline_state::run();
    throw_failure();
  }

 private:
  void go_on(pipeline_strand& own, pipeline_item* work) noexcept override {
    for (;;) {
      if (work == nullptr) {
        ask(own);
      } else {
        (this->*inside_of[work->stage])(own, static_cast<item&>(*work));
      }
      if (own.take(work)) continue;
      if (own.free_item == nullptr || !give_back(*own.free_item)) return;
      work = nullptr;
    }
  }

  // The strand has the source.
  void ask(pipeline_strand& own) noexcept {
    own.look_at_gates();
    if (fails_before(asked_ + 1)) return;
    pipeline_item* const unused =
        own.free_item != nullptr ? std::exchange(own.free_item, nullptr) : take_item();
    if (unused == nullptr) return;
    auto& made = static_cast<item&>(*unused);
    made.number = ++asked_;
    made.gone = false;
    if (!make_first(made)) return;
    own.offer(nullptr);
    advance<0>(own, made);
  }
  bool make_first(item& made) noexcept {
    bool goes_on = false;
    guarded(made, [&] {
      while (!goes_on && source_.advance()) {
        make<0>(made, [&]() -> typename Source::result { return source_.value(); });
        goes_on = value<0>(made).has_value();
        if (goes_on) return;
        std::destroy_at(&value<0>(made));
        if constexpr (Source::ends_without_value) return;
      }
    });
    return goes_on;
  }

  // Before stage K.
  template <std::size_t K>
  SENNIT_INLINE void advance(pipeline_strand& own, item& at) noexcept {
    if constexpr (K == stage_count) {
      end(own, at);
    } else {
      if constexpr (one_only<typename stage<K>::mode>) {
        at.stage = K;
        if (!std::get<K>(turns_).enter(at)) return;
      }
      inside<K>(own, at);
    }
  }
  // In stage K.
  template <std::size_t K>
  void inside(pipeline_strand& own, item& at) noexcept {
    own.look_at_gates();
    if (!at.gone) call<K>(at);
    if (pipeline_item* const next = std::get<K>(turns_).leave(at.number)) own.offer(next);
    advance<K + 1>(own, at);
  }
  void end(pipeline_strand& own, item& at) noexcept {
    if (own.source_is_next() && own.free_item == nullptr) {
      own.free_item = &at;
    } else if (give_back(at)) {
      own.free_item = &at;
      own.offer(nullptr);
    }
  }

  template <std::size_t K>
  SENNIT_INLINE void call(item& at) noexcept {
    if (fails_before(at.number)) [[unlikely]] {
      at.gone = true;
    } else {
      guarded(at, [&] {
        auto& callable = static_cast<typename stage<K>::callable&>(std::get<K>(stages_).call);
        if constexpr (K + 1 == stage_count) {
          callable(value<K>(at).give());
        } else {
          make<K + 1>(at, [&]() -> typename result_before<K + 1, Source, Stages...>::type {
            return callable(value<K>(at).give());
          });
          if (!value<K + 1>(at).has_value()) {
            std::destroy_at(&value<K + 1>(at));
            at.gone = true;
          }
        }
      });
    }
    std::destroy_at(&value<K>(at));
  }

  template <class Body>
  SENNIT_INLINE void guarded(item& at, const Body& body) noexcept {
#if SENNIT_EXCEPTIONS
    try {
      body();
    } catch (const sennit::cancelled&) {
      at.gone = true;
      cancel();
    } catch (...) {
      at.gone = true;
      fail(at.number, std::current_exception());
    }
#else
    body();
    (void)at;
#endif
  }

  template <std::size_t K, class Make>
  static void make(item& at, const Make& by) {
    ::new (static_cast<void*>(&at.rooms[K % 2])) result<K>(by);
  }
  template <std::size_t K>
  static result<K>& value(item& at) noexcept {
    return *std::launder(reinterpret_cast<result<K>*>(&at.rooms[K % 2]));
  }

  using step = void (pipeline_run::*)(pipeline_strand&, item&) noexcept;
  template <std::size_t... K>
  static constexpr std::array<step, stage_count> all_inside(std::index_sequence<K...>) noexcept {
    return {&pipeline_run::template inside<K>...};
  }
  static constexpr std::array<step, stage_count> inside_of =
      all_inside(std::make_index_sequence<stage_count>());

  Source& source_;
  std::tuple<Stages&...> stages_;
  const std::unique_ptr<item[]> items_;
  std::tuple<turns_of<typename Stages::mode>...> turns_;
  std::uint64_t asked_ = 0;  // how often the source was; only for the strand that has it
};

// The serial elision: one item after the other.
template <std::size_t K, class Value, class... Stages>
SENNIT_INLINE void pass_on(Value& value, std::tuple<Stages&...>& stages) {
  auto& stage = std::get<K>(stages);
  auto& callable = static_cast<typename std::remove_reference_t<decltype(stage)>::callable&>(stage.call);
  if constexpr (K + 1 == sizeof...(Stages)) {
    callable(value.give());
  } else {
    using result = std::invoke_result_t<decltype(callable), typename Value::given>;
    stage_result<result> next([&]() -> result { return callable(value.give()); });
    if (next.has_value()) pass_on<K + 1>(next, stages);
  }
}

template <class Source, class... Stages>
void run_in_series(Source& source, Stages&... stages) {
  std::tuple<Stages&...> all(stages...);
  using result = typename Source::result;
  while (source.advance()) {
    stage_result<result> first([&]() -> result { return source.value(); });
    if (first.has_value()) {
      pass_on<0>(first, all);
    } else if constexpr (Source::ends_without_value) {
      return;
    }
  }
}

// The same, in a region that may be cancelled.
template <class Source>
class source_in_region {
 public:
  using result = typename Source::result;
  static constexpr bool ends_without_value = Source::ends_without_value;
  explicit source_in_region(Source& source) noexcept : source_(source) {}
  bool advance() {
#if SENNIT_EXCEPTIONS
    if (stop_requested()) throw sennit::cancelled();
#endif
    return source_.advance();
  }
  result value() { return source_.value(); }

 private:
  Source& source_;
};

template <class Source, class... Stages>
void run_pipeline(std::size_t most_alive, Source& source, Stages&... stages) {
  auto inside = [&] {
    if (pipeline_state::is_observed()) {
      source_in_region<Source> followed(source);
      run_in_series(followed, stages...);
    } else {
      pipeline_run<Source, Stages...> run(most_alive != 0 ? most_alive : pipeline_state::default_most_alive(),
                                          source, stages...);
      auto all = [&] { run.run(); };
      run_as_one("pipeline", all);
    }
  };
  if (in_strand()) {
    inside();
  } else {
    run_region(nullptr, inside);
  }
}

}  // namespace sennit::detail
