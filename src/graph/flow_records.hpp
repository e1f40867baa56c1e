// SPDX-License-Identifier: Apache-2.0
// Which tasks of a task flow have used which data: what a new task has to wait for.
#pragma once

#include "graph/flow_colors.hpp"
#include "graph/flow_exclusion.hpp"
#include "graph/flow_references.hpp"

#include <sennit/detail/effects_access.hpp>
#include <sennit/detail/graph/flow_task.hpp>
#include <sennit/effects.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace sennit::detail {

// A region, and its latest tasks.
//
// Those in `users` use the region in a way that needs no order among them. Each of them waits for `latest`, or for those in
// `before`. A task that writes is `latest`, and then there are no users yet.
struct alignas(64) flow_record {
  explicit flow_record(const region_view& region);
  flow_record(const flow_record&) = delete;
  flow_record& operator=(const flow_record&) = delete;
  ~flow_record();

  SENNIT_INLINE bool is(const region_view& region) const {
    return where.first == region.where.first && where.last == region.where.last && kind == region.kind &&
           (kind == nullptr || has_the_data_of(region));
  }
  bool has_the_data_of(const region_view& region) const;
  bool shares_data_with(const flow_record& other) const;
  bool idle() noexcept;

  // A line of the cache: all that most uses need.
  hull where;
  const region_kind* kind;
  flow_reference latest;
  flow_references users;
  std::uint32_t used = 0;              // by the task with this number, of which these are the lower bits
  access how = access::read;           // of the users
  std::uint8_t color = no_flow_color;  // as far as is known
  bool special = false;                // there are tasks in `before`, or records that overlap

  flow_references before;
  std::vector<flow_record*> overlapping;  // the records of other regions that share data with this one
  // For tasks that use the region one at a time.
  std::unique_ptr<flow_exclusion> exclusion;
  flow_references holders;  // tasks of other regions that take this exclusion, too
  region_data data;
};

// Used by the submitting strand only.
class flow_records {
 public:
  flow_records();
  flow_records(const flow_records&) = delete;
  flow_records& operator=(const flow_records&) = delete;
  ~flow_records();

  // Notes the task, and returns the tasks that it has to wait for. If it throws, records may lack tasks that have not finished:
  // then all have to finish before another one is submitted.
  const std::vector<flow_task*>& note(const effects& fx, flow_task& task);
  // From now on tasks have colors: the number of NUMA nodes, 1 for no colors.
  void color_by_nodes(unsigned count) noexcept { colors_ = count; }
  // From now on the numbers of all tasks that were found, finished or not, are added there, and none is forgotten; null: no
  // longer.
  void note_found(std::vector<std::uint64_t>* numbers) noexcept { numbers_ = numbers; }
  // Called once all tasks have finished, or are dropped.
  void clear_exclusions() noexcept;

 private:
  // So many records, some megabytes, are kept in any case: programs come back to their regions after a while.
  static constexpr std::size_t least = 8192;

  // The color and the exclusions, which few tasks have.
  SENNIT_COLD void note_rest(const effects& fx, flow_task& task);
  void find_exclusions(const effects& fx, flow_task& task);
  void use(flow_record& r, access how, flow_task& task);
  void add_user(flow_record& r, access how, flow_task& task);
  void gather(flow_record& from, access how, flow_task& task);
  void gather(flow_reference& from, flow_task& task);
  void gather(flow_references& from, flow_task& task);
  SENNIT_COLD void gather_special(flow_record& r, access how, flow_task& task);
  bool forgets() const noexcept { return numbers_ == nullptr; }

  std::size_t place_of(const hull& where, const region_kind* kind) const noexcept;
  flow_record& find_or_make(const region_view& region);
  SENNIT_COLD flow_record& make(const region_view& region);
  void connect(flow_record& made);
  void remove(flow_record& gone) noexcept;
  SENNIT_COLD void remove_idle(std::uint64_t number);
  void put(flow_record* record) noexcept;

  std::vector<flow_record*> table_;  // by hash; a power of two of places, half of which at most are used
  unsigned shift_;                   // of a hash, to a place
  std::size_t used_ = 0;
  std::size_t looked_over_at_ = least;  // remove idle records at this number
  // By the highest bit of the length, and then by the first address: a region can overlap only those that begin not much
  // earlier than it does, for each length.
  std::multimap<std::uintptr_t, flow_record*> by_address_[64];
  std::uint64_t lengths_ = 0;  // which of them are not empty
  std::vector<flow_task*> found_;
  std::vector<std::uint64_t>* numbers_ = nullptr;
  unsigned colors_ = 1;
};

}  // namespace sennit::detail
