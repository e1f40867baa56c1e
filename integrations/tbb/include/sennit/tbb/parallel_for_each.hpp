// parallel_for_each: over sequences, and over items that are found on the way.
#pragma once

#include <sennit/detail/loop/for_positions.hpp>
#include <sennit/task_group.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/setting.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <mutex>
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
  void add(const Item& item) { add_item(Item(item)); }
  void add(Item&& item) { add_item(std::move(item)); }

 protected:
  feeder() = default;
  ~feeder() = default;

 private:
  virtual void add_item(Item&& item) = 0;
};

// What the strands of one parallel_for_each share.
template <class Body>
class each_run {
 public:
  each_run(const setting& in, const Body& body) : in_(in), body_(body) {}

  const setting& in() const { return in_; }
  const Body& body() const { return body_; }

  // Whether somebody may want items that a strand has found. False: who takes items sends the next ones.
  bool wants_offer() const { return offers_.load(std::memory_order_relaxed) < most_offers_; }
  template <class F>
  void offer(F&& run_items) {
    offers_.fetch_add(1);
    tasks_.spawn([this, run_items = std::forward<F>(run_items)]() mutable {
      offers_.fetch_sub(1);
      run_items();
    });
  }
  template <class F>
  void spawn(F&& run_items) {
    tasks_.spawn(std::forward<F>(run_items));
  }
  void wait() { tasks_.wait(); }

 private:
  const setting& in_;
  const Body& body_;
  const std::size_t most_offers_ = workers_here() == 1 ? 0 : 2 * workers_here();
  std::atomic<std::size_t> offers_{0};  // that nobody has begun with
  sennit::task_group tasks_;
};

// Calls the body for items, and then for those that the body has added. A strand keeps what its items add, and runs the newest
// first; the older half goes to others where they want some.
template <class Body, class Item>
class strand_of_items : public feeder<Item> {
 public:
  explicit strand_of_items(each_run<Body>& run, std::vector<Item> items = {})
      : run_(run), items_(std::move(items)) {}

  template <class I>
  void call(I&& item) {
    call_one(std::forward<I>(item));
    if constexpr (is_fed<I>) run_added();
  }
  void run_added() {
    while (!items_.empty()) {
      if (items_.size() > 1 && run_.wants_offer()) offer(take_older_half());
      Item item = std::move(items_.back());
      items_.pop_back();
      run_task(run_.in(), [&] { call_one(std::move(item)); });
    }
  }

 private:
  template <class I>
  static constexpr bool is_fed =
      !std::invocable<const Body&, I&&> &&
      (std::invocable<const Body&, I&&, feeder<Item>&> || !std::invocable<const Body&, I&>);

  template <class I>
  void call_one(I&& item) {
    const Body& body = run_.body();
    if constexpr (std::invocable<const Body&, I&&>) {
      body(std::forward<I>(item));
    } else if constexpr (std::invocable<const Body&, I&&, feeder<Item>&>) {
      body(std::forward<I>(item), static_cast<feeder<Item>&>(*this));
    } else if constexpr (std::invocable<const Body&, I&>) {
      body(item);
    } else {
      body(item, static_cast<feeder<Item>&>(*this));
    }
  }
  // A body may add items from parallel tasks of its own, and go on for long. The newest item stays for this strand.
  void add_item(Item&& item) override {
    std::vector<Item> older;
    {
      const std::lock_guard guard(lock_);
      if (!items_.empty() && run_.wants_offer()) older = take_older_half();
      items_.push_back(std::move(item));
    }
    if (!older.empty()) offer(std::move(older));
  }
  std::vector<Item> take_older_half() {
    const auto half = items_.begin() + static_cast<std::ptrdiff_t>((items_.size() + 1) / 2);
    std::vector<Item> older(std::make_move_iterator(items_.begin()), std::make_move_iterator(half));
    // Items may have no assignment.
    std::vector<Item>(std::make_move_iterator(half), std::make_move_iterator(items_.end())).swap(items_);
    return older;
  }
  void offer(std::vector<Item> items) {
    run_.offer([&run = run_, items = std::move(items)]() mutable {
      strand_of_items(run, std::move(items)).run_added();
    });
  }

  each_run<Body>& run_;
  std::mutex lock_;  // while a body runs
  std::vector<Item> items_;
};

template <class Item, class Body, class Iterator>
void run_positions(each_run<Body>& run, Iterator first, std::size_t n) {
  using difference = typename std::iterator_traits<Iterator>::difference_type;
  using sennit::detail::position;
  sennit::detail::for_positions(
      n,
      [&](position from, position to) {
        run_task(run.in(), [&] {
          strand_of_items<Body, Item> strand(run);
          Iterator i = first + static_cast<difference>(from);
          for (position p = from; p != to; ++p, ++i) strand.call(*i);
        });
      },
      sennit::loop_options());
}

// This strand walks along the sequence, and spawns a child for each block. `kept`: what a child needs of each item.
template <class Item, class Kept, class Body, class Iterator, class Keep, class Call>
void run_blocks(each_run<Body>& run, Iterator first, Iterator last, const Keep& keep, const Call& call_kept) {
  constexpr std::size_t most = 64;
  for (std::size_t size = 1; first != last; size = size < most ? 2 * size : size) {
    std::vector<Kept> block;
    block.reserve(size);
    for (std::size_t i = 0; i != size && first != last; ++i, ++first) block.push_back(keep(first));
    run.spawn([&run, &call_kept, block = std::move(block)]() mutable {
      strand_of_items<Body, Item> strand(run);
      for (Kept& item : block) run_task(run.in(), [&] { call_kept(strand, item); });
    });
  }
}

template <class Item, class Body, class Iterator>
void run_each(each_run<Body>& run, Iterator first, Iterator last) {
  using category = typename std::iterator_traits<Iterator>::iterator_category;
  using strand = strand_of_items<Body, Item>;
  const auto call_at = [](strand& s, Iterator& i) { s.call(*i); };
  const auto call_item = [](strand& s, Item& item) { s.call(std::move(item)); };
  if constexpr (std::derived_from<category, std::random_access_iterator_tag>) {
    run_positions<Item>(run, first, static_cast<std::size_t>(last - first));
    run.wait();
  } else if constexpr (std::derived_from<category, std::forward_iterator_tag>) {
    run_blocks<Item, Iterator>(run, first, last, [](Iterator i) { return i; }, call_at);
    run.wait();
  } else {
    run_blocks<Item, Item>(run, first, last, [](Iterator& i) { return Item(*i); }, call_item);
    run.wait();
  }
}

template <class Iterator, class Body>
void for_each(task_group_context* context, Iterator first, Iterator last, const Body& body) {
  if (first == last) return;
  construct(context, [&](const setting& in) {
    using item = typename std::iterator_traits<Iterator>::value_type;
    each_run<Body> run(in, body);
    run_each<item>(run, first, last);
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
