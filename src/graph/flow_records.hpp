// Which tasks of a task flow have used which data: what a new task has to wait for.
#pragma once

#include "graph/flow_colors.hpp"
#include "graph/flow_exclusion.hpp"

#include <sennit/detail/effects_access.hpp>
#include <sennit/detail/graph/flow_task.hpp>
#include <sennit/effects.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace sennit::detail {

// A task, as long as its place has not been given to another one.
struct flow_reference {
  flow_task* task = nullptr;
  std::uint64_t number = 0;

  // ORD[D24] acquire: what the task did, for the one that need not wait for it; pairs with the exchange in run().
  bool is_finished() const noexcept {
    return task->number != number ||
           task->successors.load(std::memory_order_acquire) == flow_task::finished();
  }
};

// A region, and its latest tasks.
struct flow_record {
  flow_record(const region_view& region, std::uint64_t hash);
  flow_record(const flow_record&) = delete;
  flow_record& operator=(const flow_record&) = delete;
  ~flow_record();

  bool is(const region_view& region) const;
  bool shares_data_with(const flow_record& other) const;
  bool idle() noexcept;

  hull where;
  const region_kind* kind;
  region_data data;
  std::uint64_t hash;
  std::uint64_t used = 0;              // by this task
  std::uint8_t color = no_flow_color;  // as far as is known
  access how = access::write;          // of those in `current`
  // Tasks that use the region in a way that needs no order among them; one task, if it writes.
  std::vector<flow_reference> current;
  // What each of them has to wait for.
  std::vector<flow_reference> before;
  // For tasks that use the region one at a time.
  std::unique_ptr<flow_exclusion> exclusion;
  std::vector<flow_reference> holders;    // tasks of other regions that take this exclusion, too
  std::vector<flow_record*> overlapping;  // the records of other regions that share data with this one
};

// Used by the submitting strand only.
class flow_records {
 public:
  flow_records();
  flow_records(const flow_records&) = delete;
  flow_records& operator=(const flow_records&) = delete;
  ~flow_records();

  // Finds the tasks that one with these effects has to wait for. If it throws, the task waits for nobody, and nobody for it.
  const std::vector<flow_task*>& find_predecessors(const effects& fx, flow_task& task);
  // From now on tasks have colors: the number of NUMA nodes, 1 for no colors.
  void color_by_nodes(unsigned count) noexcept { colors_ = count; }
  // From now on the numbers of all tasks that were found, finished or not, are added there, and none is forgotten; null: no
  // longer.
  void note_found(std::vector<std::uint64_t>* numbers) noexcept { numbers_ = numbers; }
  // Called once all tasks have finished, or are dropped.
  void clear_exclusions() noexcept;
  // Notes the task itself, after find_predecessors().
  void note(flow_task& task) noexcept;

 private:
  static constexpr std::size_t least = 1024;
  struct use {
    flow_record* record;
    access how;
  };

  flow_record& find_or_make(const region_view& region);
  flow_record* find(const region_view& region, std::uint64_t hash) const;
  flow_record& make(const region_view& region, std::uint64_t hash);
  void connect(flow_record& made);
  void remove(flow_record& gone) noexcept;
  void remove_idle(std::uint64_t number);
  void put(flow_record* record) noexcept;
  void gather(flow_record& from, access how, flow_task& task);
  void gather(std::vector<flow_reference>& from, flow_task& task);
  void find_exclusions(flow_task& task);
  std::uint8_t find_color();
  void reserve_one(std::vector<flow_reference>& list);

  std::vector<flow_record*> table_;  // by hash; a power of two of places, half of which at most are used
  std::size_t used_ = 0;
  std::size_t looked_over_at_ = least;  // remove idle records at this number
  // By the highest bit of the length, and then by the first address: a region can overlap only those that begin not much
  // earlier than it does, for each length.
  std::multimap<std::uintptr_t, flow_record*> by_address_[64];
  std::uint64_t lengths_ = 0;  // which of them are not empty
  std::vector<use> named_;     // by the effects of the task
  std::vector<flow_task*> found_;
  std::vector<std::uint64_t>* numbers_ = nullptr;
  unsigned colors_ = 1;
};

}  // namespace sennit::detail
