// SPDX-License-Identifier: Apache-2.0
#include "schedule/steal_tree.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sennit::detail {
namespace {

using kind = steal::kind;

bool same(const steal& a, const steal& b) {
  const auto always = [](const steal& s) {
    return std::tuple(s.what, s.taken, s.waited, s.at, s.size, s.cut, s.inside.size());
  };
  const bool same_nodes = a.nodes == b.nodes || (a.nodes && b.nodes && *a.nodes == *b.nodes);
  return always(a) == always(b) && same_nodes && (!a.taken || a.begun == b.begun) &&
         (!a.waited || a.resumed == b.resumed);
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
  return {.what = node.what,
          .taken = node.taken,
          .waited = node.waited,
          .at = node.at,
          .size = node.size,
          .site = node.site,
          .cut = node.cut,
          .begun = node.begun,
          .resumed = node.resumed,
          .ran = node.ran,
          .paused = node.paused,
          .nodes = node.nodes};
}

// Makes a tree node by node, in serial order.
class builder {
 public:
  struct list {
    std::vector<steal>* nodes;
    bool has_taken_child = false;  // among the nodes that are closed
  };

  explicit builder(std::vector<steal>& root) : lists_{{&root}} {}

  steal& open(steal node) {
    lists_.back().nodes->push_back(std::move(node));
    steal& added = lists_.back().nodes->back();
    lists_.push_back({&added.inside});
    return added;
  }
  // Closes the node that was opened last; returns the list that has the node.
  const list& close() {
    lists_.pop_back();
    list& here = lists_.back();
    const steal& closed = here.nodes->back();
    here.has_taken_child |= closed.taken && closed.what == kind::child;
    return here;
  }

 private:
  std::vector<list> lists_;
};

bool can_be_taken(kind what) { return what == kind::fork || what == kind::child; }
bool can_wait(kind what) { return what != kind::child && what != kind::loop; }

// Of what the node has that one of its kind has not.
std::string complaint_of_kind(const steal& node) {
  if ((node.what == kind::loop) != (node.size > 0))
    return "has a loop without a size, or a size without a loop";
  if (node.cut > 0 && node.what != kind::fork) return "cuts a loop with what is no fork";
  if (node.taken && !can_be_taken(node.what)) return "has a thief where nothing can be taken";
  if (node.waited && !can_wait(node.what)) return "has a wait where nothing is waited for";
  if (node.nodes && node.what != kind::graph) return "has nodes of a graph in what is none";
  if (node.what == kind::wait && !node.inside.empty()) return "has something inside of what holds nothing";
  return {};
}

bool names_no_worker(const steal& node, std::uint32_t roles) {
  const auto unknown = [&](const graph_record::node& n) { return n.role >= roles; };
  return (node.taken && node.begun.role >= roles) || (node.waited && node.resumed.role >= roles) ||
         (node.nodes && std::ranges::any_of(node.nodes->nodes, unknown));
}

// As it may stand on its own, and before the next in its list.
std::string complaint_of(const visit& at, std::uint32_t roles) {
  const steal& node = at.node;
  if (node.at >= most_constructs || node.size >= most_constructs || node.cut >= most_constructs)
    return "has a position that no program gets to";
  if (std::string found = complaint_of_kind(node); !found.empty()) return found;
  if (names_no_worker(node, roles)) return "names a worker beyond the number of its workers";
  if (at.next != nullptr && node.at >= at.next->at) return "has a list out of order";
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

std::shared_ptr<const graph_record> without_times(const graph_record& of) {
  auto copy = std::make_shared<graph_record>(of);
  for (graph_record::node& n : copy->nodes) n.ran = {};
  return copy;
}

// Whether the strand that runs the last node of the list may still have to wait at its end.
bool still_waits(const builder::list& list) {
  const steal& node = list.nodes->back();
  if (node.what == kind::graph) return node.nodes != nullptr;
  return node.what == kind::fork ? node.taken : list.has_taken_child;
}

}  // namespace

bool steal::operator==(const steal& other) const { return same(*this, other) && same(inside, other.inside); }

bool steal_tree::operator==(const steal_tree& other) const {
  return roles == other.roles && same(root, other.root);
}

// Needs no memory: while it visits the inside of a node, the node's own list stores the list above.
void take_apart(std::vector<steal>&& list) noexcept {
  std::vector<steal> here = std::move(list);
  std::vector<steal> above;
  while (true) {
    if (here.empty()) {
      if (above.empty()) return;
      here = std::move(above);
      above = std::move(here.back().inside);
      here.pop_back();
    } else if (here.back().inside.empty()) {
      here.pop_back();
    } else {
      std::vector<steal> inside = std::exchange(here.back().inside, std::move(above));
      above = std::exchange(here, std::move(inside));
    }
  }
}

void dismantle::operator()(steal_tree* tree) const noexcept {
  take_apart(std::move(tree->root));
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

void number_events(steal_tree& tree) {
  // With its number in serial order. Not by std::stable_sort, which uses an allocation that clang reports as
  // deprecated.
  struct numbered {
    event* at;
    std::size_t order;
  };
  std::vector<numbered> events;
  const auto add = [&](event& e) { events.push_back({&e, events.size()}); };
  walk(tree.root, [&](const visit& at) {
    auto& node = const_cast<steal&>(at.node);
    if (node.taken) add(node.begun);
    if (node.waited) add(node.resumed);
  });
  std::sort(events.begin(), events.end(), [](const numbered& a, const numbered& b) {
    return *a.at != *b.at ? *a.at < *b.at : a.order < b.order;
  });
  event next{0, 1};
  for (const numbered& e : events) {
    if (e.at->role != next.role) next = {e.at->role, 0};
    *e.at = next;
    ++next.sequence;
  }
}

std::vector<bool> outermost(const steal_tree& tree, std::size_t kept) {
  std::vector<std::pair<std::size_t, std::size_t>> found;  // depth and number of each steal
  walk(tree.root, [&](const visit& at) {
    if (at.node.taken) found.emplace_back(at.level, found.size());
  });
  std::vector<bool> stays(found.size());
  std::sort(found.begin(), found.end());
  for (std::size_t i = 0; i < std::min(kept, found.size()); ++i) stays[found[i].second] = true;
  return stays;
}

steal_tree prune(const steal_tree& tree, std::size_t kept) {
  const std::vector<bool> stays = outermost(tree, kept);
  std::size_t number = 0;
  steal_tree pruned{tree.roles, tree.length, {}, tree.modules};
  builder made(pruned.root);
  walk(
      tree.root,
      [&](const visit& at) {
        steal& node = made.open(copy_of(at.node));
        if (node.taken) node.taken = stays[number++];
        if (!node.taken) node.begun = {}, node.ran = {};
      },
      [&](const steal&) {
        const builder::list& list = made.close();
        steal& node = list.nodes->back();
        node.waited = node.waited && still_waits(list);
        if (!node.waited) node.resumed = {}, node.paused = {};
        // What follows in a loop is counted from its cuts on.
        if (!node.taken && !node.waited && node.inside.empty() && node.cut == 0) list.nodes->pop_back();
      });
  number_events(pruned);
  return pruned;
}

steal_tree without_times(const steal_tree& tree) {
  steal_tree copy{tree.roles, 0, {}, tree.modules};
  builder made(copy.root);
  walk(
      tree.root,
      [&](const visit& at) {
        steal& node = made.open(copy_of(at.node));
        node.ran = node.paused = {};
        if (node.nodes) node.nodes = without_times(*node.nodes);
      },
      [&](const steal&) { made.close(); });
  return copy;
}

}  // namespace sennit::detail
