// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/bookkeeping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tpal {

record_id bookkeeping::allocate(task& t, std::size_t continuation) {
  const block& b = program_.blocks[continuation];
  if (b.note.is != annotation::kind::join_target) {
    throw join_error(
        fmt::format("'{}' is no join target; its label needs an annotation [jtppt ...]", b.name));
  }
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(records_.size()));
    records_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  record& r = records_[slot];
  r.is_open = true;
  r.continuation = continuation;
  const record_id id{slot, r.generation};
  t.open.push_back({id, &r.members.emplace_back()});
  return id;
}

void bookkeeping::fork(task& parent, task& child, record_id id) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(parent.open.rbegin(), parent.open.rend(),
                                  [id](const open_record& o) { return o.id == id; });
  if (found == parent.open.rend()) {
    throw join_error("the task has no part in this join record, so that it cannot fork under it");
  }
  member& m = records_[id.slot].members.emplace_back();
  m.parent = found->part;
  found->part->children.push_back(&m);
  child.open.assign(1, {id, &m});
}

void bookkeeping::require_innermost(const task& t, record_id id) const {
  if (!t.open.empty() && t.open.back().id == id) return;
  const record& r = records_[id.slot];
  if (!r.is_open || r.generation != id.generation) {
    throw join_error("join on a record that has been left already: all its tasks have joined");
  }
  const bool takes_part =
      std::any_of(t.open.begin(), t.open.end(), [id](const open_record& o) { return o.id == id; });
  throw join_error(takes_part
                       ? "join on a record while a later one of the task is still open: join that first"
                       : "join on a record that the task has no part in");
}

std::unique_ptr<task> bookkeeping::join(std::unique_ptr<task> t, record_id id, combination* done) {
  const std::lock_guard lock(mutex_);
  require_innermost(*t, id);
  record& r = records_[id.slot];
  member& self = *t->open.back().part;
  const bool in_order = note(r).policy == join_policy::assoc;

  if (!self.children.empty()) {
    member* const latest = self.children.back();
    member* const partner = in_order ? (latest->ended ? latest : nullptr)
                                     : (self.arrived.empty() ? nullptr : self.arrived.front());
    if (partner != nullptr) return combine(r, self, *partner, std::move(t), done);
    self.joined = std::move(t);
    return nullptr;
  }
  if (self.parent == nullptr) {
    t->open.pop_back();
    t->block = r.continuation;
    t->next = 0;
    r.members.clear();
    r.is_open = false;
    ++r.generation;
    free_.push_back(id.slot);
    return t;
  }
  member& parent = *self.parent;
  self.joined = std::move(t);
  self.ended = true;
  parent.arrived.push_back(&self);
  if (parent.joined && (!in_order || parent.children.back() == &self)) {
    return combine(r, parent, self, std::move(parent.joined), done);
  }
  return nullptr;
}

bool bookkeeping::is_open(record_id id) const {
  const record& r = records_[id.slot];
  return r.is_open && r.generation == id.generation;
}

bool bookkeeping::is_unordered(record_id id) const {
  return is_open(id) && note(records_[id.slot]).policy == join_policy::assoc_comm;
}

void bookkeeping::for_each_waiting(const std::function<void(const task&)>& visit) const {
  for (const record& r : records_) {
    for (const member& m : r.members) {
      if (m.joined) visit(*m.joined);
    }
  }
}

void bookkeeping::describe(const std::vector<const task*>& ready, std::string& text) const {
  std::map<const member*, std::string> names;
  std::size_t slot = 0;
  for (const record& r : records_) {
    std::size_t number = 0;
    for (const member& m : r.members) names.emplace(&m, fmt::format("{}.{}", slot, number++));
    ++slot;
  }
  const auto add_all = [&](char before, const std::vector<member*>& members) {
    text += before;
    for (const member* const m : members) text += names[m] + ' ';
  };
  for (const record& r : records_) {
    if (!r.is_open) continue;
    text += fmt::format("{}:", r.continuation);
    for (const member& m : r.members) {
      text += fmt::format("{}{}", m.joined != nullptr, m.ended);
      add_all('c', m.children);
      add_all('a', m.arrived);
    }
  }
  const auto add_open = [&](const task& t) {
    text += 't';
    for (const open_record& o : t.open) text += names[o.part] + ' ';
  };
  for (const task* const t : ready) add_open(*t);
  for_each_waiting(add_open);
}

std::unique_ptr<task> bookkeeping::combine(record& r, member& parent, member& child, std::unique_ptr<task> t,
                                           combination* done) {
  const std::unique_ptr<task> other = std::move(child.joined);
  std::erase(parent.children, &child);
  std::erase(parent.arrived, &child);
  for (const transfer& x : note(r).transfers) t->registers[x.to] = other->registers[x.from];
  t->span = std::max(t->span, other->span);
  if (done != nullptr) *done = {t->id, other->id, t->span};
  t->block = note(r).block;
  t->next = 0;
  return t;
}

}  // namespace tpal
