// parallel_for_each: over sequences, and over items that are found on the way.
#pragma once

#include <sennit/detail/loop/for_positions.hpp>
#include <sennit/task_group.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/setting.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace tbb {
namespace on_sennit {

// Adds items while a parallel_for_each runs.
template <class Item>
class feeder {
 public:
  feeder(const feeder&) = delete;
  feeder& operator=(const feeder&) = delete;
  void add(const Item& item) { spawn(Item(item)); }
  void add(Item&& item) { spawn(std::move(item)); }

 protected:
  feeder() = default;
  ~feeder() = default;

 private:
  virtual void spawn(Item&& item) = 0;
};

template <class Body, class Item>
class each_call : public feeder<Item> {
 public:
  each_call(const setting& in, const Body& body) : in_(in), body_(body) {}

  template <class I>
  void call(I&& item) {
    if constexpr (std::invocable<const Body&, I&&>) {
      body_(std::forward<I>(item));
    } else if constexpr (std::invocable<const Body&, I&&, feeder<Item>&>) {
      body_(std::forward<I>(item), static_cast<feeder<Item>&>(*this));
    } else if constexpr (std::invocable<const Body&, I&>) {
      body_(item);
    } else {
      body_(item, static_cast<feeder<Item>&>(*this));
    }
  }

  template <class Iterator>
  void run(Iterator first, Iterator last) {
    using category = typename std::iterator_traits<Iterator>::iterator_category;
    if constexpr (std::derived_from<category, std::random_access_iterator_tag>) {
      run_positions(first, static_cast<std::size_t>(last - first));
    } else if constexpr (std::derived_from<category, std::forward_iterator_tag>) {
      run_blocks<Iterator>(first, last, [](Iterator i) { return i; }, [this](Iterator& i) { call(*i); });
    } else {
      run_blocks<Item>(
          first, last, [](Iterator& i) { return Item(*i); }, [this](Item& item) { call(std::move(item)); });
    }
    tasks_.wait();
  }

 private:
  void spawn(Item&& item) override {
    const around_construct around;
    tasks_.spawn([this, item = std::move(item)]() mutable { run_task(in_, [&] { call(std::move(item)); }); });
  }

  template <class Iterator>
  void run_positions(Iterator first, std::size_t n) {
    using difference = typename std::iterator_traits<Iterator>::difference_type;
    using sennit::detail::position;
    sennit::detail::for_positions(
        n,
        [&](position from, position to) {
          run_task(in_, [&] {
            Iterator i = first + static_cast<difference>(from);
            for (position p = from; p != to; ++p, ++i) call(*i);
          });
        },
        sennit::loop_options());
  }

  // This strand walks along the sequence, and spawns a child for each block. `kept`: what a child needs of each item.
  template <class Kept, class Iterator, class Keep, class Call>
  void run_blocks(Iterator first, Iterator last, const Keep& keep, const Call& call_kept) {
    constexpr std::size_t most = 64;
    for (std::size_t size = 1; first != last; size = size < most ? 2 * size : size) {
      std::vector<Kept> block;
      block.reserve(size);
      for (std::size_t i = 0; i != size && first != last; ++i, ++first) block.push_back(keep(first));
      tasks_.spawn([this, &call_kept, block = std::move(block)]() mutable {
        for (Kept& item : block) run_task(in_, [&] { call_kept(item); });
      });
    }
  }

  const setting& in_;
  const Body& body_;
  sennit::task_group tasks_;
};

template <class Iterator, class Body>
void for_each(task_group_context* context, Iterator first, Iterator last, const Body& body) {
  if (first == last) return;
  construct(context, [&](const setting& in) {
    using item = typename std::iterator_traits<Iterator>::value_type;
    each_call<Body, item>(in, body).run(first, last);
  });
}

template <class Iterator, class Body>
  requires requires(Iterator i) { *i; }
void parallel_for_each(Iterator first, Iterator last, const Body& body) {
  for_each(nullptr, first, last, body);
}
template <class Iterator, class Body>
void parallel_for_each(Iterator first, Iterator last, const Body& body, task_group_context& context) {
  for_each(&context, first, last, body);
}
template <class Range, class Body>
  requires requires(Range& r) { std::begin(r); }
void parallel_for_each(Range&& range, const Body& body) {
  for_each(nullptr, std::begin(range), std::end(range), body);
}
template <class Range, class Body>
  requires requires(Range& r) { std::begin(r); }
void parallel_for_each(Range&& range, const Body& body, task_group_context& context) {
  for_each(&context, std::begin(range), std::end(range), body);
}

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::feeder;
using on_sennit::parallel_for_each;
}  // namespace v1
}  // namespace tbb
