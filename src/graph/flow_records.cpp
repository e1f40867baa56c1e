// SPDX-License-Identifier: Apache-2.0
#include "graph/flow_records.hpp"

#include <sennit/detail/effects_access.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace sennit::detail {

namespace {

unsigned length_class(const hull& where) noexcept {
  return static_cast<unsigned>(std::bit_width(where.last - where.first)) - 1;
}

}  // namespace

flow_record::flow_record(const region_view& region) : where(region.where), kind(region.kind) {
  if (kind != nullptr) data.copy(*region.data, *kind);
}

flow_record::~flow_record() {
  if (kind != nullptr) data.end(*kind);
}

bool flow_record::has_the_data_of(const region_view& region) const {
  return kind->contains != nullptr && kind->contains(data.get(), region.data->get()) &&
         kind->contains(region.data->get(), data.get());
}

bool flow_record::shares_data_with(const flow_record& other) const {
  if (where.first >= other.where.last || other.where.first >= where.last) return false;
  return kind == nullptr || kind != other.kind || kind->interferes(data.get(), other.data.get());
}

// Whether all its tasks have finished. Forgets those that have.
bool flow_record::idle() noexcept {
  if (latest.task != nullptr && latest.is_finished()) latest.task = nullptr;
  users.forget_finished();
  before.forget_finished();
  holders.forget_finished();
  return latest.task == nullptr && users.empty() && before.empty() && holders.empty();
}

flow_records::flow_records() : table_(256), shift_(64 - 8) {}

flow_records::~flow_records() {
  for (flow_record* const r : table_) delete r;
}

const std::vector<flow_task*>& flow_records::note(const effects& fx, flow_task& task) {
  found_.clear();
  if (used_ >= looked_over_at_ && forgets()) [[unlikely]]
    remove_idle(task.number);
  // A task that names a region twice is among its own predecessors, and does not wait for itself.
  task.gathered = task.number;
  task.color = no_flow_color;
  task.begins_slowly = false;
  if (fx.is_everything()) [[unlikely]] {
    use(find_or_make({{0, UINTPTR_MAX}, true, nullptr, nullptr}), access::write, task);
  } else {
    const std::uint32_t count = effects_access::size(fx);
    for (std::uint32_t i = 0; i < count; ++i) {
      const access how = effects_access::how(fx, i);
      use(find_or_make(effects_access::region(fx, i)), how, task);
      task.begins_slowly = task.begins_slowly || how == access::exclude;
    }
    if (task.begins_slowly || colors_ > 1) [[unlikely]]
      note_rest(fx, task);
  }
  return found_;
}

SENNIT_INLINE void flow_records::use(flow_record& r, access how, flow_task& task) {
  gather(r, how, task);
  if (r.special) [[unlikely]]
    gather_special(r, how, task);
  r.used = static_cast<std::uint32_t>(task.number);
  if (how == access::write) {
    r.latest = {&task, task.number};
    r.users.clear();
  } else {
    add_user(r, how, task);
  }
}

SENNIT_INLINE void flow_records::add_user(flow_record& r, access how, flow_task& task) {
  if (r.users.empty()) {
    r.how = how;
  } else if (r.how != how) [[unlikely]] {
    r.before.swap(r.users);
    r.users.clear();
    r.latest.task = nullptr;
    r.special = true;
    r.how = how;
  }
  r.users.add({&task, task.number}, forgets());
}

// Also of what overlaps the region.
void flow_records::gather_special(flow_record& r, access how, flow_task& task) {
  if (how == access::write) r.before.clear();
  for (flow_record* const other : r.overlapping) gather(*other, how, task);
  r.special = !r.before.empty() || !r.overlapping.empty();
}

SENNIT_INLINE void flow_records::gather(flow_record& from, access how, flow_task& task) {
  if (!from.users.empty() && (from.how != how || how == access::write)) {
    gather(from.users, task);
  } else {
    if (from.latest.task != nullptr) gather(from.latest, task);
    if (!from.before.empty()) [[unlikely]]
      gather(from.before, task);
  }
}

// Forgets the task if it has finished.
SENNIT_INLINE void flow_records::gather(flow_reference& from, flow_task& task) {
  if (!forgets()) [[unlikely]] {
    if (from.number != task.number) numbers_->push_back(from.number);
    if (from.is_finished()) return;
  } else if (from.is_finished()) {
    from.task = nullptr;
    return;
  }
  if (from.task->gathered == task.number) return;
  from.task->gathered = task.number;
  found_.push_back(from.task);
}

void flow_records::gather(flow_references& from, flow_task& task) {
  std::uint32_t kept = 0;
  for (flow_reference r : from) {
    gather(r, task);
    if (r.task != nullptr) from.begin()[kept++] = r;
  }
  from.shrink_to(kept);
}

void flow_records::note_rest(const effects& fx, flow_task& task) {
  if (task.begins_slowly) find_exclusions(fx, task);
  if (colors_ == 1 || effects_access::written(fx) == 0) return;
  // Of the first region that the task writes, by its first page.
  flow_record& r = find_or_make(effects_access::region(fx, 0));
  // A page has no node until a task has touched it.
  if (r.color == no_flow_color) r.color = flow_color_at(r.where.first, colors_);
  task.color = r.color;
}

// Those of its regions, and of regions that overlap them and were used before: so of any two tasks whose regions overlap, the later
// one holds an exclusion of the earlier one.
void flow_records::find_exclusions(const effects& fx, flow_task& task) {
  if (task.more == nullptr) task.more = std::make_unique<flow_task_more>();
  std::vector<flow_exclusion*>& all = task.more->exclusions;
  all.clear();
  for (std::uint32_t i = 0; i < effects_access::written(fx); ++i) {
    if (effects_access::how(fx, i) != access::exclude) continue;
    flow_record& r = find_or_make(effects_access::region(fx, i));
    if (r.exclusion == nullptr) r.exclusion = std::make_unique<flow_exclusion>();
    all.push_back(r.exclusion.get());
    for (flow_record* const other : r.overlapping) {
      if (other->exclusion == nullptr) continue;
      all.push_back(other->exclusion.get());
      other->holders.add({&task, task.number}, forgets());
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

void flow_records::clear_exclusions() noexcept {
  for (flow_record* const r : table_) {
    if (r != nullptr && r->exclusion != nullptr) r->exclusion->clear();
  }
}

// Not of both bounds: where regions are aligned, these differ in the same bits in many of them.
SENNIT_INLINE std::size_t flow_records::place_of(const hull& where, const region_kind* kind) const noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  const std::uint64_t length = where.last - where.first + reinterpret_cast<std::uintptr_t>(kind);
  const std::uint64_t mixed = (where.first ^ std::rotr(length * odd, 32)) * odd;
  return static_cast<std::size_t>((mixed ^ mixed >> 32) * odd >> shift_);
}

SENNIT_INLINE flow_record& flow_records::find_or_make(const region_view& region) {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = place_of(region.where, region.kind); table_[i] != nullptr; i = (i + 1) & mask) {
    if (table_[i]->is(region)) return *table_[i];
  }
  return make(region);
}

flow_record& flow_records::make(const region_view& region) {
  if (2 * (used_ + 1) > table_.size()) {
    std::vector<flow_record*> old(2 * table_.size());
    old.swap(table_);
    --shift_;
    for (flow_record* const r : old) {
      if (r != nullptr) put(r);
    }
  }
  auto made = std::make_unique<flow_record>(region);
  connect(*made);
  put(made.get());
  ++used_;
  return *made.release();
}

void flow_records::put(flow_record* record) noexcept {
  const std::size_t mask = table_.size() - 1;
  std::size_t i = place_of(record->where, record->kind);
  while (table_[i] != nullptr) i = (i + 1) & mask;
  table_[i] = record;
}

// With the records of regions that overlap it.
void flow_records::connect(flow_record& made) {
  const unsigned length = length_class(made.where);
  std::vector<flow_record*> overlapping;
  for (std::uint64_t left = lengths_; left != 0; left &= left - 1) {
    const auto c = static_cast<unsigned>(std::countr_zero(left));
    const std::uintptr_t longest = c == 63 ? UINTPTR_MAX : (std::uintptr_t{2} << c) - 1;
    const std::uintptr_t from = made.where.first > longest ? made.where.first - longest : 0;
    auto& regions = by_address_[c];
    for (auto at = regions.lower_bound(from); at != regions.end() && at->first < made.where.last; ++at) {
      if (made.shares_data_with(*at->second)) overlapping.push_back(at->second);
    }
  }
  for (flow_record* const other : overlapping) other->overlapping.reserve(other->overlapping.size() + 1);
  by_address_[length].emplace(made.where.first, &made);
  lengths_ |= std::uint64_t{1} << length;
  for (flow_record* const other : overlapping) {
    other->overlapping.push_back(&made);
    other->special = true;
  }
  made.special = !overlapping.empty();
  made.overlapping = std::move(overlapping);
}

void flow_records::remove(flow_record& gone) noexcept {
  for (flow_record* const other : gone.overlapping) std::erase(other->overlapping, &gone);
  const unsigned length = length_class(gone.where);
  auto& regions = by_address_[length];
  for (auto at = regions.find(gone.where.first); at != regions.end(); ++at) {
    if (at->second != &gone) continue;
    regions.erase(at);
    break;
  }
  if (regions.empty()) lengths_ &= ~(std::uint64_t{1} << length);
  delete &gone;
}

// Those that have not been used for a while.
void flow_records::remove_idle(std::uint64_t number) {
  const auto now = static_cast<std::uint32_t>(number);
  const auto while_ago = static_cast<std::uint32_t>(used_ / 2);
  std::vector<flow_record*> old(table_.size());
  old.swap(table_);
  used_ = 0;
  for (flow_record* const r : old) {
    if (r == nullptr) continue;
    if (now - r->used > while_ago && r->idle()) {
      remove(*r);
    } else {
      put(r);
      ++used_;
    }
  }
  looked_over_at_ = std::max(least, 2 * used_);
}

}  // namespace sennit::detail
