// SPDX-License-Identifier: Apache-2.0
// The strands that do the stages of a pipeline, and share their work by frames.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/completion.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/pipeline/item.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/join.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

namespace sennit::detail {

class pipeline_state;
class pipeline_strand;

// Work of a pipeline that another worker may take: an item that is in a stage, or the source.
class pipeline_frame : public frame_with_state {
 public:
  explicit pipeline_frame(pipeline_state& whole) noexcept : frame_with_state(&run_elsewhere), whole_(whole) {}

  pipeline_item* work = nullptr;  // null: the source
  // Below this one: the strand's frame that was pushed before; or in a list of unused frames.
  pipeline_frame* older = nullptr;

 private:
  SENNIT_EXPORT static fiber* run_elsewhere(frame& base) noexcept;
  pipeline_state& whole_;
};

// The common state of all strands of one pipeline. docs/protocols/pipelines.md.
class SENNIT_EXPORT pipeline_state {
 public:
  // `can_throw`: the strand that runs the pipeline may throw cancelled. Throws std::bad_alloc.
  explicit pipeline_state(bool can_throw) noexcept : can_throw_(can_throw) {}
  pipeline_state(const pipeline_state&) = delete;
  pipeline_state& operator=(const pipeline_state&) = delete;

  // Whether a schedule observes the region of the calling strand.
  static bool is_observed() noexcept;
  static std::size_t default_most_alive() noexcept;

 protected:
  ~pipeline_state();

  // Does the work, and what follows from it, until there is no other work that this strand has.
  virtual void go_on(pipeline_strand& own, pipeline_item* work) noexcept = 0;

  // Begins with the source. Returns when all strands have ended.
  void run();
  // Nothing that comes after the item of this number in the order of the source is done any more. The
  // exception of the first item in that order is kept.
  SENNIT_COLD void fail(std::uint64_t number, std::exception_ptr why) noexcept;
  SENNIT_COLD void cancel() noexcept;
  bool fails_before(std::uint64_t number) const noexcept {
    return first_failed_.load(std::memory_order_relaxed) < number;
  }
  // What ended the pipeline early, if anything did.
  void throw_failure();

  // --- Items that are not in use. The strand that has the source takes them.
  // Null: there is none. Then the source belongs to the strand that gives one back.
  pipeline_item* take_item() noexcept;
  // Returns true if the strand has the source from now on; then the item was not given back.
  bool give_back(pipeline_item& item) noexcept;
  // Before run().
  void add_item(pipeline_item& item) noexcept { item.next = std::exchange(unused_, &item); }

 private:
  friend class pipeline_frame;
  friend class pipeline_strand;

  SENNIT_COLD bool push_met_gate(pipeline_frame& pushed) noexcept;
  SENNIT_COLD static bool take_newest_back() noexcept;
  SENNIT_COLD void answer() noexcept;
  SENNIT_COLD pipeline_frame* take_frame() noexcept;
  SENNIT_COLD void give_frames_back(pipeline_frame* frames) noexcept;
  // A strand begins with work that it has taken from another one. Returns true if its worker then keeps its
  // frames for a while.
  SENNIT_COLD bool begin_elsewhere() noexcept;
  // So many frames have been taken from a strand that has nothing else to do.
  SENNIT_COLD void lost(std::intptr_t frames) noexcept;
  SENNIT_COLD fiber* leave(pipeline_frame& own, std::intptr_t counts) noexcept;
  void count(std::intptr_t more) noexcept { at_work_.fetch_add(more, std::memory_order_relaxed); }

  static constexpr std::uint64_t none = ~std::uint64_t{0};
  static constexpr std::uintptr_t source_waits = 1;

  const bool can_throw_;
  // Written when something ends the pipeline early.
  std::atomic<std::uint64_t> first_failed_{none};
  alignas(64) pipeline_item* unused_ = nullptr;  // only for the strand that has the source
  // Given back: null, source_waits, or the latest item.
  alignas(64) std::atomic<std::uintptr_t> given_back_{0};
  alignas(64) std::atomic<std::intptr_t> at_work_{0};
  completion done_;
  // Hints. Frames that have been taken, minus those that were begun with elsewhere; since when some have been
  // neither with those who had them nor begun with, or 0; and how long frames are kept.
  std::atomic<std::intptr_t> lost_{0};
  std::atomic<std::uint64_t> abandoned_ns_{0};
  std::atomic<std::uint64_t> keep_ns_{0};
  std::mutex lock_;  // for what follows
  pipeline_frame* unused_frames_ = nullptr;
  view* views_ = nullptr;  // what strands have added to reducers
  std::exception_ptr failure_;
  std::uint64_t failed_with_ = none;  // the number of the item that threw failure_
};

// One strand of a pipeline: the work that it has put on offer, newest first.
class pipeline_strand {
 public:
  explicit pipeline_strand(pipeline_state& whole) noexcept : whole_(whole) {}
  pipeline_strand(const pipeline_strand&) = delete;
  pipeline_strand& operator=(const pipeline_strand&) = delete;
  ~pipeline_strand() { whole_.give_frames_back(spare_frames_); }

  // Any worker may take the work from now on. Null: the source.
  SENNIT_INLINE void offer(pipeline_item* work) noexcept {
    if (spare_frames_ == nullptr || free_counts_ == 0) [[unlikely]] {
      if (!prepare()) {
        keep(work);
        return;
      }
    }
    pipeline_frame& offered = *std::exchange(spare_frames_, spare_frames_->older);
    offered.work = work;
    offered.older = std::exchange(newest_, &offered);
    --free_counts_;
    ++offers_;
    if (work == nullptr) source_at_ = offers_;
    if (!push(offered) && !whole_.push_met_gate(offered)) [[unlikely]] {
      // Nobody else can have it.
      (void)take_off();
      keep(work);
    }
  }
  // Whether the strand gets the source next, unless somebody takes it.
  bool source_is_next() const noexcept { return offers_ != 0 && offers_ == source_at_; }

  // Takes back what was offered last. Returns false if there is nothing left.
  SENNIT_INLINE bool take(pipeline_item*& work) noexcept {
    if (kept_ != nullptr || keeps_source_) [[unlikely]] {
      work = take_kept();
      return true;
    }
    if (newest_ == nullptr) return false;
    if (!pop() && !pipeline_state::take_newest_back()) [[unlikely]] {
      lose_all();
      return false;
    }
    work = take_off();
    return true;
  }
  // Call it now and then.
  SENNIT_INLINE void look_at_gates() noexcept {
    if (any_gate_shut()) [[unlikely]]
      whole_.answer();
  }
  // An item that is free for the source, which the strand expects to get next.
  pipeline_item* free_item = nullptr;
  // In at_work_, when the strand ends.
  std::intptr_t counts() const noexcept { return free_counts_ + 1; }

 private:
  static constexpr std::intptr_t counts_at_once = 1024;

  SENNIT_COLD bool prepare() noexcept {
    if (free_counts_ == 0) {
      whole_.count(counts_at_once);
      free_counts_ += counts_at_once;
    }
    if (spare_frames_ == nullptr) spare_frames_ = whole_.take_frame();
    return spare_frames_ != nullptr;
  }
  pipeline_item* take_off() noexcept {
    pipeline_frame& own = *std::exchange(newest_, newest_->older);
    own.older = std::exchange(spare_frames_, &own);
    ++free_counts_;
    if (own.work == nullptr) source_at_ = 0;
    --offers_;
    return own.work;
  }
  // Frames leave a deque in their order: with the newest, all have left. Whoever has them has their counts.
  SENNIT_COLD void lose_all() noexcept {
    whole_.lost(offers_);
    newest_ = nullptr;
    offers_ = 0;
    source_at_ = 0;
  }
  SENNIT_COLD void keep(pipeline_item* work) noexcept {
    if (work == nullptr) {
      keeps_source_ = true;
    } else {
      work->next = std::exchange(kept_, work);
    }
  }
  SENNIT_COLD pipeline_item* take_kept() noexcept {
    if (kept_ != nullptr) return std::exchange(kept_, kept_->next);
    keeps_source_ = false;
    return nullptr;
  }

  pipeline_state& whole_;
  pipeline_frame* newest_ = nullptr;
  pipeline_frame* spare_frames_ = nullptr;
  // Of at_work_: the strand has so many for frames that it has not pushed.
  std::intptr_t free_counts_ = 0;
  std::intptr_t offers_ = 0;       // frames from newest_ on
  std::intptr_t source_at_ = 0;    // which of them has the source; 0: none
  pipeline_item* kept_ = nullptr;  // not on offer, as a deque had no room
  bool keeps_source_ = false;
};

}  // namespace sennit::detail
