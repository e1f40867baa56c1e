// What a strand has given away of a latent construct: one task for each beat that it took there.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/task_group.hpp>

#include <atomic>
#include <exception>
#include <utility>

namespace sennit::detail {

// A part that has become a task. On the heap, as are its group's children: the deque may have younger frames.
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
      if (!dropped_.load(std::memory_order_relaxed)) run();
    });
  }
  // Throws what the part threw.
  void wait() { group_.wait(); }
  // Nobody wants its result: a task that has not begun does nothing.
  void drop() noexcept { dropped_.store(true, std::memory_order_relaxed); }
  given_part* before() const noexcept { return before_; }

 private:
  given_part* const before_;
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
