#include "schedule/steal_tree.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace sennit::detail {
namespace {

using kind = steal::kind;

bool same(const steal& a, const steal& b) {
  return a.what == b.what && a.taken == b.taken && a.waited == b.waited && a.at == b.at && a.size == b.size &&
         (!a.taken || a.begun == b.begun) && (!a.waited || a.resumed == b.resumed) &&
         a.inside.size() == b.inside.size();
}

bool same(const std::vector<steal>& a, const std::vector<steal>& b) {
  if (a.size() != b.size()) return false;
  std::vector<std::pair<const std::vector<steal>*, const std::vector<steal>*>> left{{&a, &b}};
  while (!left.empty()) {
    const auto [x, y] = left.back();
    left.pop_back();
    for (std::size_t i = 0; i < x->size(); ++i) {
      if (!same((*x)[i], (*y)[i])) return false;
      if (!(*x)[i].inside.empty()) left.emplace_back(&(*x)[i].inside, &(*y)[i].inside);
    }
  }
  return true;
}

steal copy_of(const steal& node) {
  return {node.what,  node.taken,   node.waited, node.at,     node.size,
          node.begun, node.resumed, node.ran,    node.paused, {}};
}

// Makes a tree node by node, in serial order.
class builder {
 public:
  explicit builder(std::vector<steal>& root) : lists_{&root} {}

  steal& open(steal node) {
    lists_.back()->push_back(std::move(node));
    steal& added = lists_.back()->back();
    lists_.push_back(&added.inside);
    return added;
  }
  // The list that the node which was opened last is in.
  std::vector<steal>& close() {
    lists_.pop_back();
    return *lists_.back();
  }

 private:
  std::vector<std::vector<steal>*> lists_;
};

// As it may stand on its own, and in a list of `parent`.
std::string complaint_of(const visit& at, std::uint32_t roles) {
  const steal& node = at.node;
  const bool of_loop = node.what == kind::piece || node.what == kind::iteration;
  const bool in_loop = at.parent != nullptr && at.parent->what == kind::loop;
  if (of_loop != in_loop) return "has a part of a loop outside a loop, or something else in one";
  if (in_loop && node.at >= at.parent->size) return "has an iteration beyond its loop's end";
  if (node.at >= most_constructs || node.size >= most_constructs)
    return "has a position that no program gets to";
  if ((node.what == kind::loop) != (node.size > 0))
    return "has a loop without a size, or a size without a loop";
  if (node.taken && (node.what == kind::wait || node.what == kind::loop || node.what == kind::iteration)) {
    return "has a thief where nothing can be taken";
  }
  if (node.waited && (node.what == kind::child || of_loop)) return "has a wait where nothing is waited for";
  if ((node.what == kind::wait || node.what == kind::piece) && !node.inside.empty()) {
    return "has something inside of what holds nothing";
  }
  if ((node.taken && node.begun.role >= roles) || (node.waited && node.resumed.role >= roles)) {
    return "names a worker beyond the number of its workers";
  }
  if (at.next == nullptr || node.at < at.next->at) return {};
  const bool may_share = node.what == kind::wait || at.next->what == kind::wait ||
                         (node.what == kind::piece && at.next->what == kind::iteration);
  if (node.at > at.next->at || !may_share) return "has a list out of order";
  return {};
}

bool numbered_from_zero(std::vector<event>& events) {
  std::sort(events.begin(), events.end());
  event expected;
  for (const event& e : events) {
    if (e.role != expected.role) expected = {e.role, 0};
    if (e != expected) return false;
    ++expected.sequence;
  }
  return true;
}

std::size_t depth_of(const visit& at) {
  if (at.node.what != kind::piece) return at.level;
  const std::uint64_t end = at.parent->size;
  std::uint64_t next = end;
  for (const steal* later = at.next; later != nullptr && next == end; ++later) {
    if (later->what == kind::piece) next = later->at;
    if (later == &at.parent->inside.back()) break;
  }
  const std::uint64_t size = next > at.node.at ? next - at.node.at : 1;
  return at.level + static_cast<std::size_t>(std::bit_width(end / size)) - 1;
}

// Which of the steals, in serial order, stay.
std::vector<bool> outermost(const steal_tree& tree, std::size_t kept) {
  std::vector<std::pair<std::size_t, std::size_t>> found;  // depth and number
  walk(tree.root, [&](const visit& at) {
    if (at.node.taken) found.emplace_back(depth_of(at), found.size());
  });
  std::vector<bool> stays(found.size());
  std::sort(found.begin(), found.end());
  for (std::size_t i = 0; i < std::min(kept, found.size()); ++i) stays[found[i].second] = true;
  return stays;
}

// Whether the strand that runs this may still have to wait at its end. The list is what there is before it,
// too.
bool still_waits(const steal& node, const std::vector<steal>& list) {
  const auto taken = [](const steal& other) { return other.taken; };
  switch (node.what) {
    case kind::fork: return node.taken;
    case kind::loop: return std::any_of(node.inside.begin(), node.inside.end(), taken);
    case kind::wait:
      return std::any_of(list.begin(), list.end(),
                         [](const steal& other) { return other.taken && other.what == kind::child; });
    default: return false;
  }
}

bool says_nothing(const steal& node, const std::vector<steal>& list, bool was_taken) {
  if (node.taken || node.waited || !node.inside.empty()) return false;
  if (node.what != kind::piece || was_taken) return true;
  // Taken back: it ends the part before it, if that is another worker's.
  for (auto before = std::next(list.rbegin()); before != list.rend(); ++before) {
    if (before->what == kind::piece) return !before->taken;
  }
  return true;
}

void number_events(steal_tree& tree) {
  std::vector<event*> events;
  walk(tree.root, [&](const visit& at) {
    auto& node = const_cast<steal&>(at.node);
    if (node.taken) events.push_back(&node.begun);
    if (node.waited) events.push_back(&node.resumed);
  });
  std::sort(events.begin(), events.end(), [](const event* a, const event* b) { return *a < *b; });
  event next{0, 1};
  for (event* e : events) {
    if (e->role != next.role) next = {e->role, 0};
    *e = next;
    ++next.sequence;
  }
}

}  // namespace

bool steal::operator==(const steal& other) const { return same(*this, other) && same(inside, other.inside); }

bool steal_tree::operator==(const steal_tree& other) const {
  return roles == other.roles && same(root, other.root);
}

void dismantle::operator()(steal_tree* tree) const noexcept {
  std::vector<std::vector<steal>> open;
  open.push_back(std::move(tree->root));
  while (!open.empty()) {
    std::vector<steal>& list = open.back();
    if (list.empty()) {
      open.pop_back();
      continue;
    }
    std::vector<steal> inside = std::move(list.back().inside);
    list.pop_back();
    if (!inside.empty()) open.push_back(std::move(inside));
  }
  delete tree;
}

std::shared_ptr<const steal_tree> hold(steal_tree&& tree) {
  return deep_tree(new steal_tree(std::move(tree)));
}

std::string complaint(const steal_tree& tree) {
  if (tree.roles == 0 || tree.roles > most_roles) {
    return "says that it has " + std::to_string(tree.roles) + " workers";
  }
  std::string found;
  std::vector<event> events{event{}};
  walk(tree.root, [&](const visit& at) {
    if (found.empty()) found = complaint_of(at, tree.roles);
    if (at.node.taken) events.push_back(at.node.begun);
    if (at.node.waited) events.push_back(at.node.resumed);
  });
  if (found.empty() && !numbered_from_zero(events)) found = "does not number each worker's events from 0";
  return found;
}

std::size_t steals(const steal_tree& tree) {
  std::size_t count = 0;
  walk(tree.root, [&](const visit& at) { count += at.node.taken ? 1 : 0; });
  return count;
}

std::size_t depth(const steal_tree& tree) {
  std::size_t deepest = 0;
  walk(tree.root, [&](const visit& at) { deepest = std::max(deepest, at.level + 1); });
  return deepest;
}

bool has_times(const steal_tree& tree) {
  bool found = tree.length > 0;
  walk(tree.root, [&](const visit& at) {
    const steal& node = at.node;
    found |= (node.ran.begin | node.ran.end | node.paused.begin | node.paused.end) > 0;
  });
  return found;
}

steal_tree prune(const steal_tree& tree, std::size_t kept) {
  const std::vector<bool> stays = outermost(tree, kept);
  std::size_t number = 0;
  steal_tree pruned{tree.roles, tree.length, {}};
  builder made(pruned.root);
  walk(
      tree.root,
      [&](const visit& at) {
        steal& node = made.open(copy_of(at.node));
        if (node.taken) node.taken = stays[number++];
        if (!node.taken) node.begun = {}, node.ran = {};
      },
      [&](const steal& was) {
        std::vector<steal>& list = made.close();
        steal& node = list.back();
        node.waited = node.waited && still_waits(node, list);
        if (!node.waited) node.resumed = {}, node.paused = {};
        if (says_nothing(node, list, was.taken)) list.pop_back();
      });
  number_events(pruned);
  return pruned;
}

steal_tree without_times(const steal_tree& tree) {
  steal_tree copy{tree.roles, 0, {}};
  builder made(copy.root);
  walk(
      tree.root,
      [&](const visit& at) {
        steal& node = made.open(copy_of(at.node));
        node.ran = node.paused = {};
      },
      [&](const steal&) { made.close(); });
  return copy;
}

}  // namespace sennit::detail
