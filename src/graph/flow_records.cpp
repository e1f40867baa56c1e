#include "graph/flow_records.hpp"

#include <sennit/detail/effects_access.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace sennit::detail {

namespace {

std::uint64_t hash_of(const region_view& region) noexcept {
  // Not of both bounds: where regions are aligned, these differ in the same bits in many of them.
  const std::uint64_t length = region.where.last - region.where.first;
  return mix(mix(length, region.where.first), reinterpret_cast<std::uintptr_t>(region.kind));
}
unsigned length_class(const hull& where) noexcept {
  return static_cast<unsigned>(std::bit_width(where.last - where.first)) - 1;
}

}  // namespace

flow_record::flow_record(const region_view& region, std::uint64_t h)
    : where(region.where), kind(region.kind), hash(h) {
  if (kind != nullptr) data.copy(*region.data, *kind);
}

flow_record::~flow_record() {
  if (kind != nullptr) data.end(*kind);
}

bool flow_record::is(const region_view& region) const {
  if (where.first != region.where.first || where.last != region.where.last || kind != region.kind)
    return false;
  if (kind == nullptr) return true;
  return kind->contains != nullptr && kind->contains(data.get(), region.data->get()) &&
         kind->contains(region.data->get(), data.get());
}

bool flow_record::shares_data_with(const flow_record& other) const {
  if (where.first >= other.where.last || other.where.first >= where.last) return false;
  return kind == nullptr || kind != other.kind || kind->interferes(data.get(), other.data.get());
}

// Whether all its tasks have finished. Forgets those that have.
bool flow_record::idle() noexcept {
  const auto finished = [](const flow_reference& r) { return r.is_finished(); };
  std::erase_if(before, finished);
  std::erase_if(current, finished);
  std::erase_if(holders, finished);
  return before.empty() && current.empty() && holders.empty();
}

flow_records::flow_records() : table_(256) {}

flow_records::~flow_records() {
  for (flow_record* const r : table_) delete r;
}

const std::vector<flow_task*>& flow_records::find_predecessors(const effects& fx, flow_task& task) {
  found_.clear();
  if (used_ >= looked_over_at_ && numbers_ == nullptr) [[unlikely]]
    remove_idle(task.number);
  const std::uint32_t count = effects_access::size(fx);
  named_.resize(fx.is_everything() ? 1 : count);
  if (fx.is_everything()) [[unlikely]] {
    named_[0] = {&find_or_make({{0, UINTPTR_MAX}, true, nullptr, nullptr}), access::write};
  } else {
    for (std::uint32_t i = 0; i < count; ++i)
      named_[i] = {&find_or_make(effects_access::region(fx, i)), effects_access::how(fx, i)};
  }
  bool excludes = false;
  for (const use& u : named_) {
    flow_record& r = *u.record;
    excludes = excludes || u.how == access::exclude;
    gather(r, u.how, task);
    for (flow_record* const other : r.overlapping) gather(*other, u.how, task);
    if (r.current.size() == r.current.capacity()) reserve_one(r.current);
    if (r.before.capacity() == 0) r.before.reserve(1);
  }
  task.color = no_flow_color;
  if (colors_ > 1) [[unlikely]]
    task.color = find_color();
  task.excludes = excludes;
  if (excludes) [[unlikely]]
    find_exclusions(task);
  return found_;
}

// Of the first region that the task writes, by its first page.
std::uint8_t flow_records::find_color() {
  if (named_.empty() || named_.front().how == access::read) return no_flow_color;
  flow_record& r = *named_.front().record;
  // A page has no node until a task has touched it.
  if (r.color == no_flow_color) r.color = flow_color_at(r.where.first, colors_);
  return r.color;
}

// Those of its regions, and of regions that overlap them and were used before: so of any two tasks whose regions overlap, the later
// one holds an exclusion of the earlier one.
void flow_records::find_exclusions(flow_task& task) {
  if (task.more == nullptr) task.more = std::make_unique<flow_task_more>();
  std::vector<flow_exclusion*>& all = task.more->exclusions;
  all.clear();
  for (const use& u : named_) {
    if (u.how != access::exclude) continue;
    flow_record& r = *u.record;
    if (r.exclusion == nullptr) r.exclusion = std::make_unique<flow_exclusion>();
    all.push_back(r.exclusion.get());
    for (flow_record* const other : r.overlapping) {
      if (other->exclusion == nullptr) continue;
      all.push_back(other->exclusion.get());
      if (other->holders.size() == other->holders.capacity()) reserve_one(other->holders);
      other->holders.push_back({&task, task.number});
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

void flow_records::note(flow_task& task) noexcept {
  const flow_reference self{&task, task.number};
  for (const use& u : named_) {
    flow_record& r = *u.record;
    if (u.how == access::write) {
      r.current.clear();
    } else if (u.how != r.how) {
      r.before.swap(r.current);
      r.current.clear();
    }
    r.how = u.how;
    r.used = task.number;
    // A task may name a region twice.
    if (r.current.empty() || r.current.back().number != self.number) r.current.push_back(self);
  }
}

SENNIT_INLINE void flow_records::gather(flow_record& from, access how, flow_task& task) {
  std::vector<flow_reference>& list = how == from.how && how != access::write ? from.before : from.current;
  if (!list.empty()) gather(list, task);
}

// Forgets those that have finished.
void flow_records::gather(std::vector<flow_reference>& from, flow_task& task) {
  std::size_t kept = 0;
  for (const flow_reference r : from) {
    if (numbers_ != nullptr) [[unlikely]]
      numbers_->push_back(r.number);
    if (r.is_finished()) {
      if (numbers_ != nullptr) from[kept++] = r;
      continue;
    }
    from[kept++] = r;
    if (r.task->gathered != task.number) found_.push_back(r.task);
    r.task->gathered = task.number;
  }
  from.resize(kept);
}

// A list with many tasks is rid of those that have finished, before it grows.
void flow_records::reserve_one(std::vector<flow_reference>& list) {
  if (list.capacity() >= 16 && numbers_ == nullptr)
    std::erase_if(list, [](const flow_reference& r) { return r.is_finished(); });
  if (list.size() >= list.capacity() / 2) list.reserve(std::max<std::size_t>(4, 2 * list.capacity()));
}

flow_record& flow_records::find_or_make(const region_view& region) {
  const std::uint64_t hash = hash_of(region);
  flow_record* const found = find(region, hash);
  return found != nullptr ? *found : make(region, hash);
}

flow_record* flow_records::find(const region_view& region, std::uint64_t hash) const {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = hash & mask; table_[i] != nullptr; i = (i + 1) & mask) {
    if (table_[i]->hash == hash && table_[i]->is(region)) return table_[i];
  }
  return nullptr;
}

flow_record& flow_records::make(const region_view& region, std::uint64_t hash) {
  if (2 * (used_ + 1) > table_.size()) {
    std::vector<flow_record*> old(2 * table_.size());
    old.swap(table_);
    for (flow_record* const r : old) {
      if (r != nullptr) put(r);
    }
  }
  auto made = std::make_unique<flow_record>(region, hash);
  made->current.reserve(1);
  made->before.reserve(1);
  connect(*made);
  put(made.get());
  ++used_;
  return *made.release();
}

void flow_records::put(flow_record* record) noexcept {
  const std::size_t mask = table_.size() - 1;
  std::size_t i = record->hash & mask;
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
  for (flow_record* const other : overlapping) other->overlapping.push_back(&made);
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
  const std::uint64_t recent = number - std::min<std::uint64_t>(number, used_ / 2);
  std::vector<flow_record*> old(table_.size());
  old.swap(table_);
  used_ = 0;
  for (flow_record* const r : old) {
    if (r == nullptr) continue;
    if (r->used < recent && r->idle()) {
      remove(*r);
    } else {
      put(r);
      ++used_;
    }
  }
  looked_over_at_ = std::max(least, 2 * used_);
}

}  // namespace sennit::detail
