// SPDX-License-Identifier: Apache-2.0
// limit: at most so many tasks at a time.
#pragma once

#include <sennit/detail/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

namespace sennit {

class limit;

// Up to four limits, of a task or a permit: `.within = connections`, or `.within = {connections, memory}`.
class limits {
 public:
  limits() = default;
  template <std::same_as<limit>... More>
    requires(sizeof...(More) < 4)
  limits(limit& first, More&... more) noexcept : all_{&first, &more...}, count_(1 + sizeof...(More)) {}

  bool empty() const noexcept { return count_ == 0; }
  // In the order in which they were given.
  std::span<limit* const> all() const noexcept { return {all_, count_}; }

 private:
  limit* all_[4]{};
  std::size_t count_ = 0;
};

namespace detail {

// What waits for a permit within a limit, and blocks no worker meanwhile.
class SENNIT_EXPORT limit_waiter {
 public:
  // `owner`: whatever waits for its waiters to end, such as a run of a graph.
  explicit limit_waiter(const void* owner) noexcept : owner_(owner) {}
  limit_waiter(const limit_waiter&) = delete;
  limit_waiter& operator=(const limit_waiter&) = delete;

 protected:
  ~limit_waiter() = default;

 private:
  friend class sennit::limit;
  // The permit is the waiter's. Whoever leaves the limit calls it once for each wait, under the limit's lock. It
  // sees to it that what waited goes on soon, because others may wait for the permit. It uses no limit itself.
  virtual void admitted() noexcept = 0;

  const void* const owner_;
  limit_waiter* next_ = nullptr;

 protected:
  // How many waited when this one began to wait.
  std::size_t ahead_ = 0;
};

}  // namespace detail

// At most `most` of the tasks within the limit run at the same time, of one graph or of several. A task that
// finds the limit full does not block its worker: it waits in the limit's list, and whoever leaves the limit
// lets the one go on that has waited longest. A task within several limits enters them one after the other, in
// the order in which the limits were made. So tasks do not lock each other up.
//
// Tasks within a limit of 1 exclude each other. Thread-safety: any number of threads may use it.
// Precondition: it outlives the tasks within it. Cost: some 30 ns to enter and leave; more where tasks wait.
//
// Example:
//   #include <sennit/task_graph.hpp>
//
//   void fetch(const char* const* pages, int count, void (*fetch_page)(const char*)) {
//     sennit::limit connections(3);
//     sennit::graph::task_graph g;
//     for (int i = 0; i < count; ++i) g.add([=] { fetch_page(pages[i]); }).within(connections);
//     g.run();
//   }
class SENNIT_EXPORT limit {
 public:
  // Throws std::invalid_argument for 0, because no task could ever run.
  explicit limit(std::size_t most);
  limit(const limit&) = delete;  // tasks refer to it
  limit& operator=(const limit&) = delete;
  ~limit() = default;

  // A permit within each of these limits, one to four, for as long as the object lives. For what has no option `within`:
  // branches, iterations, a part of a task. The strand waits until it has all of them, and its worker does something else
  // meanwhile. Each strand that waits keeps its stack; nodes and tasks that are within a limit by their option have none yet.
  // The limits are entered in the order in which they were made, so that permits of several limits lock nobody up. Strands that
  // have one permit object beside another take them in one order everywhere. Otherwise two strands may wait for each other.
  //
  // Throws sennit::cancelled if the region of the strand is cancelled once it has all permits, and, outside any runtime, what
  // runtime::default_runtime() throws. Thread-safety: any strand or thread. Whoever ends the object gives the
  // permits back, also if it is another strand. Cost: that of a task within a limit, and where it waits, two switches
  // of stacks.
  //
  // Example:
  //   #include <sennit/parallel_for.hpp>
  //
  //   void fetch_all(const char* const* pages, int count, void (*fetch_page)(const char*)) {
  //     sennit::limit connections(3);
  //     sennit::limit memory(2);
  //     sennit::parallel_for(0, count, [&](int i) {
  //       const sennit::limit::permit both(connections, memory);
  //       fetch_page(pages[i]);
  //     });
  //   }
  class SENNIT_EXPORT permit {
   public:
    explicit permit(const limits& within);
    template <std::same_as<limit>... More>
    explicit permit(limit& first, More&... more) : permit(limits(first, more...)) {}
    permit(const permit&) = delete;
    permit& operator=(const permit&) = delete;
    ~permit() { leave(); }

   private:
    void leave() noexcept;
    limit* limits_[4];  // in the order in which they were made, each once; null beyond them
  };

  std::size_t most() const noexcept { return most_; }
  // Permits that nobody has now.
  std::size_t free() const noexcept;

  // --- For constructs that have limits.
  // The order in which tasks enter limits: that of these numbers.
  std::uint64_t order() const noexcept { return order_; }
  // Returns true if the caller has a permit now. Nobody waits.
  bool try_enter() noexcept;
  // Returns true if the caller has a permit now. Otherwise the waiter is told when it has one.
  bool enter(detail::limit_waiter& w) noexcept;
  // Gives the permit to the waiter that has waited longest, if there is one. If this waiter has that owner, it
  // is not told but returned, and the caller has it go on at once.
  detail::limit_waiter* leave(const void* owner = nullptr) noexcept;
  // Returns true if the waiter waited, and waits no longer. Otherwise it has been told, or returned.
  bool withdraw(detail::limit_waiter& w) noexcept;

 private:
  const std::size_t most_;
  const std::uint64_t order_;
  mutable std::mutex lock_;
  std::size_t free_;  // under the lock, and so are all below
  std::size_t waiting_ = 0;
  detail::limit_waiter* first_ = nullptr;  // waits longest
  detail::limit_waiter* last_ = nullptr;
};

}  // namespace sennit
