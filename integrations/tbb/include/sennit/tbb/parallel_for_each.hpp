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
#include <list>
#include <mutex>
#include <new>
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
  void add(const Item& item) { add_made(item); }
  void add(Item&& item) { add_made(std::move(item)); }

 protected:
  feeder() = default;
  ~feeder() = default;

 private:
  template <class I>
  void add_made(I&& item) {
    std::list<Item> one;
    one.emplace_back(std::forward<I>(item));
    add_items(one);
  }
  // Takes them all.
  virtual void add_items(std::list<Item>& items) = 0;
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
// first; the older half goes to others where they want some. Items may be of a type that cannot be moved: each stays where it was
// made.
template <class Body, class Item>
class strand_of_items : public feeder<Item> {
 public:
  explicit strand_of_items(each_run<Body>& run, std::list<Item> items = {})
      : run_(run), items_(std::move(items)) {}

  template <class I>
  void call(I&& item) {
    call_one(std::forward<I>(item));
    if constexpr (is_fed<I>) run_added();
  }
  void run_added() {
    while (!items_.empty()) {
      if (items_.size() > 1 && run_.wants_offer()) offer(take_older_half());
      std::list<Item> newest;
      newest.splice(newest.end(), items_, std::prev(items_.end()));
      run_task(run_.in(), [&] { call_one(std::move(newest.front())); });
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
  void add_items(std::list<Item>& items) override {
    std::list<Item> older;
    {
      const std::lock_guard guard(lock_);
      if (!items_.empty() && run_.wants_offer()) older = take_older_half();
      items_.splice(items_.end(), items);
    }
    if (!older.empty()) offer(std::move(older));
  }
  std::list<Item> take_older_half() {
    std::list<Item> older;
    const auto half = std::next(items_.begin(), static_cast<std::ptrdiff_t>((items_.size() + 1) / 2));
    older.splice(older.end(), items_, items_.begin(), half);
    return older;
  }
  struct offered {
    void operator()() {
      run->begin_offered();
      strand_of_items(*run, std::move(items)).run_added();
    }
    each_run<Body>* run;
    std::list<Item> items;
  };
  // What nobody else can get stays with this strand.
  void offer(std::list<Item> items) {
    offered all{&run_, std::move(items)};
    if (run_.offer(std::move(all))) return;
    const std::lock_guard guard(lock_);
    items_.splice(items_.begin(), all.items);
  }

  each_run<Body>& run_;
  std::mutex lock_;  // while a body runs
  std::list<Item> items_;
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
