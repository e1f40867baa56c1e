// Work in small items that strands keep to themselves, and share only while other workers have no work.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/completion.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/graph/local_queue.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

class worker;

// The common state of the strands of one work pool. docs/protocols/graphs.md, "Work pools".
class SENNIT_EXPORT work_pool_state : public divided_work {
 public:
  // Ends the work with this exception, unless another exception has ended it. Any strand of the work pool
  // may call it.
  void fail(std::exception_ptr why) noexcept;
  bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }
  // Whether the calling strand is the only one at work, and there are no parts. It knows then what the others did.
  bool is_alone() const noexcept {
    // ORD[D23] acquire: what the others did; pairs with the release in leave().
    return at_work_.load(std::memory_order_acquire) == 1;
  }
  // Precondition: the work has stopped. Throws the exception that ended it, or cancelled.
  [[noreturn]] SENNIT_COLD void throw_failure();

 protected:
  // `can_throw`: the strand that begins the work may throw cancelled. `begin_part`: runs a part of a local queue.
  work_pool_state(bool can_throw, frame::entry begin_part) noexcept
      : divided_work(queues), can_throw_(can_throw), run_part_(begin_part) {}
  ~work_pool_state() = default;

  // Whether the work has stopped. It stops also when the region is cancelled.
  SENNIT_COLD bool cancelled() noexcept;
  // The strand has met a shut gate: those who want work get some. Afterwards the strand may be on another worker.
  SENNIT_COLD void answer() noexcept;
  // A worker of one of these colors that waits for work; null if there is none. The worker is not returned
  // again before it has had work.
  SENNIT_COLD static worker* claim_idle(color_kind of, color_set colors) noexcept;
  // Colors of workers that wait for work, as far as is known.
  static const std::atomic<color_set>& idle_colors(color_kind of) noexcept;
  static color_set color_of(const worker& w, color_kind of) noexcept;
  // The color of the worker that runs the call; all colors in an observed region.
  static color_set own_color(color_kind of) noexcept;
  // The workers of that one's color, or of the calling one's, as the colors of frames.
  static color_set bits_of_neighbors(worker* w, color_kind of) noexcept;
  // The strand leaves, for want of items: see policy::ns_for_own_color().
  SENNIT_COLD static void ran_out(double patience, std::uint64_t own, std::uint64_t items,
                                  std::uint64_t took_ns) noexcept;
  static std::uint64_t now_ns() noexcept;
  // Tells stacks apart. A strand keeps its stack wherever it goes on.
  SENNIT_COLD static const void* stack_here() noexcept;
  // Waits a little, and longer for a larger number of failed attempts.
  SENNIT_COLD static void pause_for_others(unsigned attempt) noexcept;
  // Donates the frame to that worker. Other workers may take it only while that worker is busy.
  SENNIT_COLD void donate(queue_part& part, color_set colors, worker& to) noexcept;
  // The same. `kept`: others may take it only if that worker cannot.
  SENNIT_COLD void donate_for(frame_with_state& part, worker& to, bool kept) noexcept;
  // After await_all(): the strand that began the work begins again.
  SENNIT_COLD void begin_again() noexcept;
  // The strand has a part back: nobody is going to run it.
  void took_back() noexcept { at_work_.fetch_sub(1, std::memory_order_relaxed); }
  frame::entry run_part() const noexcept { return run_part_; }
  // Called when the strand that claimed the part has ended.
  SENNIT_COLD fiber* leave(frame& part) noexcept;
  // Called by the strand that began the work: returns when all parts have ended.
  SENNIT_COLD void await_all() noexcept;

 private:
  friend class queue_positions;
  static constexpr entries queues{&queue_positions::take_part, &queue_positions::exhausted};

  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
  friend class posted_work;
  // One more strand, for what is posted; null if there is no memory, or if nobody is at work any more.
  frame* join(const posted_work& run, worker& by) noexcept;
  // A part that counts as unfinished from now on; null without memory. The strand whose queue is cut is at work.
  queue_part* cut(const item_range& range) noexcept;

  const bool can_throw_;
  const frame::entry run_part_;
  alignas(64) std::atomic<std::intptr_t> at_work_{1};
  std::atomic<bool> stopped_{false};
  completion done_;
  std::mutex merging_;
  view* views_ = nullptr;  // what parts have added to reducers; under merging_
  std::exception_ptr failure_;
};

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
  class session {
   public:
    explicit session(work_pool& whole) noexcept : todo(whole), whole_(whole) {
      if constexpr (colored) {
        const color_kind of = whole.posts_.places();
        own_color_ = work_pool_state::own_color(of);
        idle_colors_ = &work_pool_state::idle_colors(of);
        todo.is_for(bits_of_neighbors(nullptr, of));
        begun_ = now_ns();
      }
    }
    // Whether the strand itself makes the call, and not a branch of it that another strand runs.
    bool is_here() const noexcept { return stack_ == stack_here(); }
    // However the work ends, nothing is left for others.
    ~session() {
      todo.abandon();
      todo.retire();
      while (queue_part* const part = todo.take_back()) {
        whole_.took_back();
        part->let_go();
      }
    }
    session(const session&) = delete;
    session& operator=(const session&) = delete;

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

    local_queue<Item> todo;

   private:
    friend class work_pool;

    // `least`: fewer items are not worth being given away. But after some items with nothing to give, whoever shut the gate
    // before the strand began gets an answer: otherwise each item of a long chain would meet the gate.
    SENNIT_COLD void share(std::size_t least) noexcept {
      constexpr unsigned long_chain = 16;
      if (whole_.cancelled()) return;
      if (todo.is_hidden()) todo.expose();
      if ((todo.size() >= least || ++unanswered_ == long_chain) && any_gate_shut()) whole_.answer();
    }

    [[gnu::noinline]] bool more_slowly() {
      if (!todo.claim_slowly()) return more_elsewhere();
      if (any_gate_shut()) share(1);
      return true;
    }

    // Takes back what nobody has begun. Else takes what waits for another color, if the workers of that color leave it
    // there.
    SENNIT_COLD bool more_elsewhere() {
      while (queue_part* const part = todo.take_back()) {
        const struct taken {
          queue_part& back;
          ~taken() { back.let_go(); }
        } last{*part};
        whole_.took_back();
        todo.add_all(part->range());
        if (todo.next()) return true;
      }
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
        for (const Item& item : first) own_items_ += (item.colors & own_color_) != 0 ? 1 : 0;
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

    work_pool& whole_;
    unsigned unanswered_ = 0;  // meetings with the gate
    const void* const stack_ = stack_here();
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
      : work_pool_state(SENNIT_EXCEPTIONS, &run_elsewhere), patience_(patience), posts_(of) {}

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

 private:
  static fiber* run_elsewhere(frame& base) noexcept {
    auto& part = static_cast<queue_part&>(base);
    auto& whole = static_cast<work_pool&>(part.whole());
    if (!whole.stopped()) whole.attend([&](session& own) { own.todo.add_all(part.range()); });
    fiber* const waiter = whole.leave(part);
    part.let_go();
    return waiter;
  }

  // One more strand begins, with the items that `begin` adds.
  template <class Begin>
  void attend(const Begin& begin) noexcept {
#if SENNIT_EXCEPTIONS
    try {
      work_through(begin);
    } catch (...) {
      fail(std::current_exception());
    }
#else
    work_through(begin);
#endif
  }

  template <class Begin>
  void work_through(const Begin& begin) {
    session own(*this);
    begin(own);
    work_->work(own);
  }

  Work* work_ = nullptr;
  const double patience_;
  [[no_unique_address]] Posts posts_;
};

}  // namespace sennit::detail
