// SPDX-License-Identifier: Apache-2.0
// What a strand has given away of a latent construct: one task for each beat that it took there.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/task_group.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

namespace sennit::detail {

class given_part;

// A frame gives its next call away. Frames are known by an address which only their own strand uses. False if there is no room.
SENNIT_EXPORT bool keep_given(const void* frame, given_part* given) noexcept;
// What the frame has given away, if anything; once.
SENNIT_EXPORT given_part* take_given(const void* frame) noexcept;

#if SENNIT_EXCEPTIONS
// An exception, for throw_failure() alone. It has no destructor, which compilers would have to call.
enum class kept_failure : std::uintptr_t {};

// The exception that is being handled.
SENNIT_EXPORT kept_failure keep_failure() noexcept;
// Throws it, and ends it.
SENNIT_EXPORT void throw_failure(kept_failure failure);
#endif

// Appends what a part has added to reducers.
SENNIT_EXPORT void append_given(view* added) noexcept;

// A part that has become a task. On the heap, as are its group's children: the deque may have younger frames.
//
// It comes behind all that the strand does until it waits. A child of a group comes before that: so the part keeps
// what it adds to reducers.
class given_part {
 public:
  explicit given_part(given_part* before) noexcept : before_(before) {}
  given_part(const given_part&) = delete;
  given_part& operator=(const given_part&) = delete;
  virtual ~given_part() = default;

  // Throws as task_group::spawn(). The part is not given then.
  template <class Run>
  void start(Run run) {
    group_.spawn([this, run = std::move(run)]() mutable {
      const views_apart running(added_);
      if (!dropped_.load(std::memory_order_relaxed)) run();
    });
  }
  // Throws what the part threw.
  void wait() {
    const appending_views views(*this);
    group_.wait();
  }
  // Nobody wants its result: a task that has not begun does nothing.
  void drop() noexcept { dropped_.store(true, std::memory_order_relaxed); }
  given_part* before() const noexcept { return before_; }

 private:
  // What the strand has added to reducers is set aside meanwhile. What it adds meanwhile is left in `to`.
  class views_apart {
   public:
    explicit views_apart(view*& to) noexcept : to_(to), own_(load_views()) { store_views(nullptr); }
    ~views_apart() {
      to_ = load_views();
      store_views(own_);
    }
    views_apart(const views_apart&) = delete;
    views_apart& operator=(const views_apart&) = delete;

   private:
    view*& to_;
    view* const own_;
  };
  class appending_views {
   public:
    explicit appending_views(given_part& part) noexcept : part_(part) {}
    ~appending_views() {
      if (part_.added_ != nullptr) append_given(std::exchange(part_.added_, nullptr));
    }
    appending_views(const appending_views&) = delete;
    appending_views& operator=(const appending_views&) = delete;

   private:
    given_part& part_;
  };

  given_part* const before_;
  view* added_ = nullptr;
  std::atomic<bool> dropped_{false};
  task_group group_;
};

// The parts of a loop: each is to the left of those given before it.
template <class Part>
class given_parts {
 public:
  given_parts() = default;
  given_parts(const given_parts&) = delete;
  given_parts& operator=(const given_parts&) = delete;
  // On the way of an exception of the strand's own, which is to the left of all parts.
  ~given_parts() {
    if (latest_ != nullptr) [[unlikely]]
      end();
  }

  template <class Run>
  SENNIT_COLD void give(Run run) {
    auto* const part = new Part(latest_);
#if SENNIT_EXCEPTIONS
    try {
      part->start([run = std::move(run), part]() mutable { run(*part); });
    } catch (...) {
      delete part;
      throw;
    }
#else
    part->start([run = std::move(run), part]() mutable { run(*part); });
#endif
    latest_ = part;
  }

  // Waits. Hands over the parts from left to right. Throws the exception of the leftmost one that threw.
  template <class Take>
  SENNIT_INLINE void settle(Take take) {
    if (latest_ != nullptr) [[unlikely]]
      settle_all(take);
  }

 private:
  template <class Take>
  SENNIT_COLD void settle_all(Take take) {
    while (latest_ != nullptr) {
      latest_->wait();
      take(*latest_);
      delete std::exchange(latest_, static_cast<Part*>(latest_->before()));
    }
  }
  SENNIT_COLD void end() noexcept {
    for (given_part* part = latest_; part != nullptr; part = part->before()) part->drop();
    while (latest_ != nullptr) {
#if SENNIT_EXCEPTIONS
      try {
        latest_->wait();
      } catch (...) {  // further to the right than what is thrown already
      }
#else
      latest_->wait();
#endif
      delete std::exchange(latest_, static_cast<Part*>(latest_->before()));
    }
  }

  Part* latest_ = nullptr;
};

}  // namespace sennit::detail
