// SPDX-License-Identifier: Apache-2.0
// Work in small items that strands keep to themselves, and share only while other workers have no work.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/local_queue.hpp>
#include <sennit/detail/graph/pool_session.hpp>
#include <sennit/detail/graph/work_pool_state.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

struct no_posts {
  explicit no_posts(color_kind) noexcept {}
};

// Work: a class with `void work(session&)`, which takes items until there are none. Posts: where items wait for workers
// of their colors, if items have colors.
template <class Work, class Item, class Posts = no_posts>
class work_pool : public work_pool_state {
 public:
  static constexpr bool colored = !std::is_same_v<Posts, no_posts>;

  // One strand's part in the work.
  class session : public pool_session<work_pool, Item> {
   public:
    using pool_session<work_pool, Item>::todo;
    explicit session(work_pool& whole) noexcept : pool_session<work_pool, Item>(whole) {
      if constexpr (colored) {
        const color_kind of = whole.posts_.places();
        own_color_ = work_pool_state::own_color(of);
        idle_colors_ = &work_pool_state::idle_colors(of);
        todo.is_for(bits_of_neighbors(nullptr, of));
        begun_ = now_ns();
      }
    }
    // Whether there is an item: todo.take() returns it.
    SENNIT_INLINE bool more() {
      if constexpr (colored) receive();
      return todo.claim() || more_slowly();
    }
    // Call it after each item of a work pool with colors, which counts items.
    SENNIT_INLINE void did_one() noexcept {
      if constexpr (colored) ++done_;
    }
    // Call it after each item: lets others have the items that this one has added. `busy`: the strand has something to
    // do that is not in the local queue.
    SENNIT_INLINE void consider_others(bool busy = false) noexcept {
      if (todo.publish()) [[unlikely]]
        share(busy ? 1 : 2);
      if constexpr (colored) {
        if ((whole_.posts_.waiting() & idle_colors_->load(std::memory_order_relaxed)) != 0) [[unlikely]]
          donate_posts();
      }
    }
    // Posts an item of another color than the worker's. Returns false if the item is for this strand.
    SENNIT_INLINE bool post(const Item& item) {
      if ((item.colors & own_color_) != 0) {
        ++own_items_;
        return false;
      }
      if (item.colors == 0) return false;
      whole_.posts_.post(item);
      return true;
    }

    // What another strand had: those of the worker's own color count as such.
    void begin_part(const item_range& range) {
      if constexpr (colored) {
        for (std::int64_t i = range.first; i < range.last; ++i)
          own_items_ += (range.block->template items<Item>()[i].colors & own_color_) != 0 ? 1U : 0U;
      }
      todo.add_all(range);
    }

   private:
    friend class work_pool;
    using pool_session<work_pool, Item>::share;
    using pool_session<work_pool, Item>::whole_;

    [[gnu::noinline]] bool more_slowly() { return this->claim_slowly() || more_elsewhere(); }

    // Takes back what nobody has begun. Else takes what waits for another color, if the workers of that color leave it
    // there.
    SENNIT_COLD bool more_elsewhere() {
      if (this->take_back()) return true;
      if constexpr (colored) {
        const std::uint64_t since = now_ns();
        // A donated part may have come without items.
        const double patience = whole_.patience_ * static_cast<double>(since - begun_) /
                                static_cast<double>(std::max(done_, std::uint64_t{1}));
        for (unsigned attempt = 0; whole_.posts_.waiting() != 0 && !whole_.stopped(); ++attempt) {
          receive();
          if (todo.empty() && static_cast<double>(now_ns() - since) >= patience)
            add(whole_.posts_.take(all_colors));
          if (todo.next()) {
            begun_ += now_ns() - since;
            this->since_ns = now_ns();
            return true;
          }
          consider_others();
          pause_for_others(attempt);
        }
        ran_out(whole_.patience_, own_items_, done_, now_ns() - begun_);
      }
      return false;
    }

    // Takes the items that other strands posted for this worker's color.
    SENNIT_INLINE void receive() {
      if ((whole_.posts_.waiting() & own_color_) == 0) [[likely]]
        return;
      const std::vector<Item> items = whole_.posts_.take(own_color_);
      own_items_ += items.size();
      add(items);
    }
    void add(const std::vector<Item>& items) { todo.add_all(items.data(), items.size()); }
    void begin(const std::vector<Item>& first) {
      if constexpr (colored) {
        for (const Item& item : first) own_items_ += (item.colors & own_color_) != 0 ? 1U : 0U;
      }
      add(first);
    }

    // Donates posted items to waiting workers of their colors. (In Maglalang, Krishnamoorthy and Agrawal,
    // 2016, thieves have to find them.)
    SENNIT_COLD void donate_posts() noexcept {
      for (;;) {
        const color_set wanted = whole_.posts_.waiting() & idle_colors_->load(std::memory_order_relaxed);
        const color_kind of = whole_.posts_.places();
        worker* const idle = wanted != 0 ? claim_idle(of, wanted) : nullptr;
        if (idle == nullptr) return;
        const std::vector<Item> items = whole_.posts_.take(color_of(*idle, of));
        if (queue_part* const given = part_of(items)) {
          whole_.donate(*given, bits_of_neighbors(idle, of), *idle);
        } else {
          return put_back(items);
        }
      }
    }
    // Null: there is no memory.
    queue_part* part_of(const std::vector<Item>& items) noexcept {
      item_block* const block = item_block::make_or_null(items.size(), sizeof(Item));
      if (block == nullptr) return nullptr;
      std::copy(items.begin(), items.end(), block->template items<Item>());
      auto* const part = new (std::nothrow)
          queue_part(whole_, whole_.run_part(), {block, 0, static_cast<std::int64_t>(items.size())});
      if (part == nullptr) block->let_go();
      return part;
    }
    // The strand keeps what cannot be given.
    void put_back(const std::vector<Item>& items) noexcept {
#if SENNIT_EXCEPTIONS
      try {
        add(items);
      } catch (...) {
        whole_.fail(std::current_exception());
      }
#else
      add(items);
#endif
    }

    color_set own_color_ = all_colors;
    const std::atomic<color_set>* idle_colors_ = nullptr;
    // The average time of an item comes from these: when the strand began, without waits, and the number of
    // items.
    std::uint64_t begun_ = 0;
    std::uint64_t done_ = 0;
    std::uint64_t own_items_ = 0;  // of the worker's own color
  };

  // `patience`: a strand without work leaves items of other colors to their workers for the time that this
  // number of its own items takes.
  explicit work_pool(color_kind of = color_kind::nodes, double patience = 0) noexcept
      : work_pool_state(SENNIT_EXCEPTIONS, &run_part_of<work_pool>), patience_(patience), posts_(of) {}

  // Does these items, the last one first, and the items that they add.
  void run(Work& work, const std::vector<Item>& first) {
    work_ = &work;
    if constexpr (colored) posts_.begin(*this);
    attend([&](session& own) { own.begin(first); });
    await_all();
    if constexpr (colored) posts_.end();
  }
  // After run(): one more strand, which finds by itself what is left to do, and those that it calls for help.
  void run_again() {
    if constexpr (colored) posts_.begin(*this);
    begin_again();
    attend([](session&) {});
    await_all();
    if constexpr (colored) posts_.end();
  }

  // One more strand, which is counted already, begins with f(session).
  template <class F>
  void begin_strand(const F& f) noexcept {
    call_or_fail([&] {
      session own(*this);
      f(own);
    });
  }

 private:
  friend class work_pool_state;
  template <class, class>
  friend class pool_session;

  // One more strand begins, with the items that `begin` adds.
  template <class Begin>
  void attend(const Begin& begin) noexcept {
    call_or_fail([&] {
      session own(*this);
      begin(own);
      work_->work(own);
    });
  }

  Work* work_ = nullptr;
  const double patience_;
  [[no_unique_address]] Posts posts_;
};

}  // namespace sennit::detail
