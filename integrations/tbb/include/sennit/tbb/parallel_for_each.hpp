// SPDX-License-Identifier: Apache-2.0
// parallel_for_each: over sequences, and over items that are found on the way.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/loop/for_positions.hpp>
#include <sennit/task_group.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/setting.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <list>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace tbb {
namespace on_sennit {

// How items are kept that a body adds, oldest first, and one of them on its way. Here they are moved.
template <class Item, bool moved = std::is_nothrow_move_constructible_v<Item> && !std::same_as<Item, bool>>
struct added_items {
  using one = Item;
  using many = std::vector<Item>;

  template <class I>
  static one make(I&& item) {
    return Item(std::forward<I>(item));
  }
  static Item& in(one& item) { return item; }
  static void append(many& to, one&& item) { to.push_back(std::move(item)); }
  static one take_newest(many& from) {
    one newest = std::move(from.back());
    from.pop_back();
    return newest;
  }
  // Without memory for that, it throws, and takes none.
  static many take_older_half(many& from) {
    const std::size_t half = (from.size() + 1) / 2;
    many older;
    many newer;
    older.reserve(half);
    newer.reserve(from.size() - half);
    // Items may have no assignment.
    for (Item& item : from) (older.size() != half ? older : newer).push_back(std::move(item));
    from.swap(newer);
    return older;
  }
};
// Each stays where it was made: it cannot be moved, or that may throw; or a vector of such items has none.
template <class Item>
struct added_items<Item, false> {
  using one = std::list<Item>;
  using many = std::list<Item>;

  template <class I>
  static one make(I&& item) {
    one made;
    made.emplace_back(std::forward<I>(item));
    return made;
  }
  static Item& in(one& item) { return item.front(); }
  static void append(many& to, one&& item) { to.splice(to.end(), item); }
  static one take_newest(many& from) {
    one newest;
    newest.splice(newest.end(), from, std::prev(from.end()));
    return newest;
  }
  static many take_older_half(many& from) {
    many older;
    const auto half = std::next(from.begin(), static_cast<std::ptrdiff_t>((from.size() + 1) / 2));
    older.splice(older.end(), from, from.begin(), half);
    return older;
  }
};

// Adds items while a parallel_for_each runs.
template <class Item>
class feeder {
 public:
  feeder(const feeder&) = delete;
  feeder& operator=(const feeder&) = delete;
  void add(const Item& item) { add_one(added_items<Item>::make(item)); }
  void add(Item&& item) { add_one(added_items<Item>::make(std::move(item))); }

 protected:
  feeder() = default;
  ~feeder() = default;

 private:
  virtual void add_one(typename added_items<Item>::one&& item) = 0;
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
  // False: there is no memory for that, and the function, which calls begin_offered(), remains.
  template <class F>
  bool offer(F&& run_items) {
    offers_.fetch_add(1, std::memory_order_relaxed);
    try {
      tasks_.spawn(std::forward<F>(run_items));
    } catch (const std::bad_alloc&) {
      begin_offered();
      return false;
    }
    return true;
  }
  void begin_offered() { offers_.fetch_sub(1, std::memory_order_relaxed); }
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
  using items = added_items<Item>;

 public:
  explicit strand_of_items(each_run<Body>& run, std::list<typename items::many> given = {})
      : run_(run), older_(std::move(given)) {}

  template <class I>
  void call(I&& item) {
    call_one(std::forward<I>(item));
    if constexpr (is_fed<I>) run_added();
  }
  void run_added() {
    for (;;) {
      while (!items_.empty()) {
        if (items_.size() > 1 && run_.wants_offer()) offer(take_older_half());
        typename items::one newest = items::take_newest(items_);
        run_task(run_.in(), [&] { call_one(std::move(items::in(newest))); });
      }
      if (older_.empty()) return;
      items_ = std::move(older_.back());
      older_.pop_back();
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
  void add_one(typename items::one&& item) override {
    std::list<typename items::many> older;
    {
      const std::lock_guard guard(lock_);
      const bool is_newer = !items_.empty();
      items::append(items_, std::move(item));
      if (is_newer && run_.wants_offer()) older = take_older_half();
    }
    offer(std::move(older));
  }
  // Empty where there is no memory for that.
  std::list<typename items::many> take_older_half() {
    std::list<typename items::many> older;
    try {
      older.emplace_back();
      older.back() = items::take_older_half(items_);
    } catch (const std::bad_alloc&) {
      older.clear();
    }
    return older;
  }
  struct offered {
    void operator()() {
      run->begin_offered();
      strand_of_items(*run, std::move(items)).run_added();
    }
    each_run<Body>* run;
    std::list<typename added_items<Item>::many> items;
  };
  // What nobody else can get stays with this strand.
  void offer(std::list<typename items::many> older) {
    if (older.empty()) return;
    offered all{&run_, std::move(older)};
    if (run_.offer(std::move(all))) return;
    const std::lock_guard guard(lock_);
    older_.splice(older_.end(), all.items);
  }

  each_run<Body>& run_;
  std::mutex lock_;  // while a body runs
  typename items::many items_;
  std::list<typename items::many> older_;  // than all of those
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

// This strand walks along the sequence, and spawns a child for each block: what `keep` puts there for each item.
template <class Item, class Block, class Body, class Iterator, class Keep, class Call>
void run_blocks(each_run<Body>& run, Iterator first, Iterator last, const Keep& keep, const Call& call_kept) {
  constexpr std::size_t most = 64;
  for (std::size_t size = 1; first != last; size = size < most ? 2 * size : size) {
    Block block;
    for (std::size_t i = 0; i != size && first != last; ++i, ++first) keep(block, first);
    run.spawn([&run, call_kept, block = std::move(block)]() mutable {
      strand_of_items<Body, Item> strand(run);
      for (auto& kept : block) run_task(run.in(), [&] { call_kept(strand, kept); });
    });
  }
}

template <class Item, class Body, class Iterator>
void run_each(each_run<Body>& run, Iterator first, Iterator last) {
  using category = typename std::iterator_traits<Iterator>::iterator_category;
  using strand = strand_of_items<Body, Item>;
  if constexpr (std::derived_from<category, std::random_access_iterator_tag>) {
    run_positions<Item>(run, first, static_cast<std::size_t>(last - first));
  } else if constexpr (std::derived_from<category, std::forward_iterator_tag>) {
    run_blocks<Item, std::vector<Iterator>>(
        run, first, last, [](auto& block, const Iterator& i) { block.push_back(i); },
        [](strand& s, const Iterator& i) { s.call(*i); });
  } else {
    run_blocks<Item, std::list<Item>>(
        run, first, last, [](auto& block, Iterator& i) { block.emplace_back(*i); },
        [](strand& s, Item& item) { s.call(std::move(item)); });
  }
  run.wait();
}

template <class Iterator, class Body>
void for_each(task_group_context* context, Iterator first, Iterator last, const Body& body) {
  if (first == last) return;
  construct(context, [&](const setting& in) {
    using item = typename std::iterator_traits<Iterator>::value_type;
    auto all = [&] {
      each_run<Body> run(in, body);
      run_each<item>(run, first, last);
    };
    // A thread of the program takes up work of its own region alone, and so that of a group that is made there.
    sennit::detail::in_strand() ? all() : sennit::detail::run_region(nullptr, all);
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
