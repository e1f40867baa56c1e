// SPDX-License-Identifier: Apache-2.0
#include "program/traced_program.hpp"

#include "program/doubts.hpp"
#include "program/told_graph.hpp"
#include "program/trace_forest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace sennit::sim {
namespace {

// A piece of a body's series, and whether a cut of the iterations that it is part of may come before it.
struct piece {
  node_number node;
  bool construct;
};

class builder {
 public:
  builder(const trace& t, std::span<const std::string> names) : trace_(t), all_(t), names_(names) {}

  traced_program build() {
    nodes_.resize(all_.size(), no_node);
    look_at_graphs();
    for (const std::uint32_t e : all_.upward())
      if (nodes_[e] == no_node) nodes_[e] = node_of(e);
    set_root();
    made_.estimated.resize(p().sites());
    doubts_.unfinished_bodies = all_.unfinished();
    made_.remarks = trace_.remarks;
    if (trace_.events.empty())
      made_.remarks.emplace_back("The trace has no construct: the program opened no region.");
    for (std::string& each : sentences_of(doubts_, p())) made_.remarks.push_back(std::move(each));
    return std::move(made_);
  }

 private:
  program& p() { return made_.what; }

  // Sites ---------------------------------------------------------------------------------------------------

  std::string place_of(std::uint32_t site) const {
    if (site < names_.size() && !names_[site].empty()) return names_[site];
    const trace_site& s = trace_.sites[site];
    if (!s.function.empty()) return s.function;
    const std::string file = s.module.substr(s.module.rfind('/') + 1);
    return site == 0 ? "" : fmt::format("{}+{:#x}", file.empty() ? "?" : file, s.offset);
  }

  // In the program.
  std::uint32_t site_of(const trace_event& e) {
    return site_of(e.what == traced::named ? e.name : 0, e.site);
  }
  std::uint32_t site_of(std::uint32_t name, std::uint32_t site) {
    if (site == 0 && name == 0) return 0;
    const auto [at, is_new] = sites_.try_emplace(std::pair(name, site), 0);
    if (is_new) {
      const std::string& user = trace_.names[name];
      const std::string place = place_of(site);
      made_.origins.push_back({name, site});
      at->second = p().site(user.empty()    ? place
                            : place.empty() ? user
                                            : fmt::format("{} ({})", user, place));
    }
    return at->second;
  }

  // What a construct in a construct does without a place of its own is at the place of the one around.
  std::uint32_t site_in(const trace_event& e, const trace_event& around) {
    if (e.what == traced::node && names_of_nodes_[around.site].size() <= most_names)
      return site_of(e.name, around.site);
    const std::uint32_t own = site_of(e);
    return own != 0 ? own : site_of(around);
  }

  // Strands ---------------------------------------------------------------------------------------------------

  std::vector<touch> touches_of(const trace_event& e) {
    std::vector<touch> found;
    constexpr std::uint64_t most = std::uint64_t{1} << 30;  // of one touch, whose bytes have 32 bits
    for (std::uint32_t i = e.first_touch; i < e.first_touch + e.touches; ++i) {
      const trace_touch& t = trace_.touches[i];
      const auto block =
          blocks_.try_emplace(t.region, static_cast<std::uint32_t>(blocks_.size())).first->second;
      constexpr std::uint64_t most_parts = 64;
      std::uint64_t left = std::min(t.bytes, most * most_parts);
      do {
        found.push_back({block, static_cast<std::uint32_t>(std::min(left, most)), t.writes});
        left -= std::min(left, most);
      } while (left > 0);
    }
    return found;
  }

  // What a strand does from `begin` to `end`: its own work, and these constructs, which are sorted by time.
  std::vector<piece> series_of(std::uint32_t number, picoseconds begin, picoseconds end,
                               std::span<const std::uint32_t> constructs, std::uint32_t site) {
    const trace_event& body = all_.at(number);
    std::vector<piece> parts;
    std::vector<touch> touched = touches_of(body);
    picoseconds now = begin;
    const auto work_until = [&](picoseconds until) {
      const picoseconds time = until > now ? until - now : 0;
      if (time > 0 || !touched.empty()) parts.push_back({p().work(time, touched, site), false});
      touched.clear();
      now = std::max(now, until);
    };
    std::span<const std::uint32_t> within = all_.within(number);
    // Work until then, except what others took.
    const auto advance = [&](picoseconds until) {
      until = std::min(until, end);
      for (; !within.empty() && all_.at(within.back()).begin < until;
           within = within.first(within.size() - 1)) {
        const trace_event& e = all_.at(within.back());
        if (e.begin >= now) work_until(e.begin);
        now = std::max(now, e.end());
      }
      work_until(until);
    };
    for (std::size_t i = 0; i < constructs.size(); ++i) {
      const std::uint32_t c = constructs[i];
      const trace_event& e = all_.at(c);
      if (const std::size_t count = overlapping(constructs.subspan(i)); count > 1) {
        advance(e.begin);
        const auto some = constructs.subspan(i, count);
        parts.push_back({together(some), true});
        for (const std::uint32_t each : some) now = std::max(now, std::min(all_.at(each).end(), end));
        i += count - 1;
        continue;
      }
      if (e.what == traced::child) {
        advance(e.b);
        parts.push_back({p().spawn(nodes_[c], site_in(e, body)), true});
        continue;
      }
      advance(e.begin);
      // On one worker, nobody waits: what is told of no child, children did that were too brief.
      if (e.what == traced::wait && trace_.workers == 1) {
        parts.push_back({nodes_[c], true});
        continue;
      }
      if (const auto open = open_.find(c); open != open_.end()) {
        parts.insert(parts.end(), open->second.begin(), open->second.end());
        open_.erase(open);
      } else if (nodes_[c] != no_node) {
        parts.push_back({nodes_[c], true});
      }
      now = std::max(now, std::min(e.end(), end));
    }
    advance(end);
    return parts;
  }

  // How many regions begin before the ones before them have ended: those of several threads, in a section.
  std::size_t overlapping(std::span<const std::uint32_t> constructs) const {
    picoseconds end = 0;
    std::size_t count = 0;
    for (const std::uint32_t c : constructs) {
      const trace_event& e = all_.at(c);
      if (e.what != traced::region || (count > 0 && e.begin >= end)) break;
      end = std::max(end, e.end());
      ++count;
    }
    return count;
  }

  node_number node_of_parts(const std::vector<piece>& parts, std::uint32_t site, bool is_construct = false) {
    if (parts.empty()) return p().work(0, {}, site);
    if (parts.size() == 1 && !is_construct) return parts.front().node;
    std::vector<node_number> all;
    all.reserve(parts.size());
    for (const piece& each : parts) all.push_back(each.node);
    return p().series(all, site);
  }

  node_number body(std::uint32_t e, std::uint32_t site, bool is_construct = false) {
    const trace_event& b = all_.at(e);
    return colored(b,
                   node_of_parts(series_of(e, b.begin, b.end(), all_.children(e), site), site, is_construct));
  }

  // A series waits for its children at its end. So a section is none that leaves its children to what is around it.
  node_number section(std::uint32_t e) {
    const trace_event& b = all_.at(e);
    const std::uint32_t site = site_of(b);
    std::vector<piece> parts = series_of(e, b.begin, b.end(), all_.children(e), site);
    bool leaves_children = false;
    for (const piece& each : parts) {
      const part what = p().at(each.node).what;
      leaves_children = what == part::spawn || (leaves_children && what != part::wait);
    }
    const node_number n = node_of_parts(parts, site, true);
    if (leaves_children && all_.body(e) != trace_forest::nobody) open_.emplace(e, std::move(parts));
    return colored(b, n);
  }

  node_number colored(const trace_event& e, node_number n) {
    return e.color == no_color ? n : p().colored(n, e.color);
  }

  // Constructs ------------------------------------------------------------------------------------------------

  node_number node_of(std::uint32_t e) {
    const trace_event& b = all_.at(e);
    const trace_event& around = all_.body(e) == trace_forest::nobody ? b : all_.at(all_.body(e));
    switch (b.what) {
      case traced::region: return body(e, site_of(b), true);
      case traced::named: return section(e);
      case traced::child:
        if (runs_tasks(e)) return p().work(0, {}, site_in(b, around));
        return body(e, site_in(b, around));
      case traced::right:
      case traced::node: return body(e, site_in(b, around));
      case traced::leaf: return no_node;  // of the loop, which comes next
      case traced::wait: return p().wait(site_of(b));
      case traced::fork: return fork(e);
      case traced::loop: return loop(e);
      case traced::graph: return graph(e);
      case traced::brief: return brief(e, site_in(b, around));
    }
    return no_node;
  }

  // The constructs one after the other, all equal, with what lies between them.
  node_number brief(std::uint32_t e, std::uint32_t site) {
    const trace_event& b = all_.at(e);
    const trace_brief& all = trace_.briefs[b.a];
    const picoseconds one = all.took / all.count;
    node_number unit = no_node;
    if (all.is_fork) {
      const picoseconds left = all.left / all.count;
      unit = p().fork(p().work(left, {}, site), p().work(one - left, {}, site), site);
    } else {
      const node_number iterations = p().each(all.iterations, p().work(one, {}, site));
      unit = p().loop(std::span(&iterations, 1), site);
    }
    const std::uint32_t around = all_.body(e) == trace_forest::nobody ? 0 : site_of(all_.at(all_.body(e)));
    const auto work = [&](picoseconds time) { return p().work(time, {}, around); };
    const picoseconds between = (b.length - one * all.count) / all.count;
    if (between > 0) unit = p().series(std::array{work(between), unit}, around);
    const picoseconds rest = b.length - (one + between) * all.count;
    std::vector<node_number> parts = repeated(unit, all.count, around);
    if (rest > 0) parts.push_back(work(rest));
    if (made_.estimated.size() <= site) made_.estimated.resize(site + 1);
    made_.estimated[site] += one * all.count;
    doubts_.estimated += one * all.count;
    doubts_.brief_constructs += all.count;
    doubts_.brief_measured += all.seen;
    return parts.size() == 1 ? parts.front() : p().series(parts, around);
  }

  // A few nodes, however many times it is: a series of series.
  std::vector<node_number> repeated(node_number unit, std::uint64_t times, std::uint32_t site) {
    constexpr std::uint64_t row = 64;
    std::vector<node_number> parts;
    for (; times > 0; times /= row) {
      parts.insert(parts.end(), times % row, unit);
      if (times >= row) unit = p().series(std::vector<node_number>(row, unit), site);
    }
    return parts;
  }

  // A strand of a task flow: between tasks it looks for others.
  bool runs_tasks(std::uint32_t e) const {
    return std::ranges::any_of(all_.within(e), [&](std::uint32_t c) {
      if (all_.at(c).what != traced::node || all_.body(c) == trace_forest::nobody) return false;
      return trace_.names[all_.at(all_.body(c)).name] == "flow" && all_.body(all_.body(c)) != e;
    });
  }

  // Those of a kind among the children, and the others.
  void split(std::uint32_t e, traced kind) {
    chosen_.clear();
    others_.clear();
    for (const std::uint32_t c : all_.children(e)) (all_.at(c).what == kind ? chosen_ : others_).push_back(c);
  }

  // A right branch that takes less than this need not be in the file.
  static constexpr picoseconds brief_right = 100'000 * nanosecond;

  node_number fork(std::uint32_t e) {
    const trace_event& b = all_.at(e);
    const std::uint32_t site = site_of(b);
    split(e, traced::right);
    node_number n = node_of_parts(series_of(e, b.begin, b.begin + b.a, others_, site), site);
    if (chosen_.empty()) {
      const picoseconds rest = b.end() - b.begin - b.a;
      if (rest < brief_right) return p().fork(n, p().work(rest, {}, site), site);
      ++doubts_.forks_without_right;
      return n;
    }
    node_number right = nodes_[chosen_.back()];
    for (std::size_t i = chosen_.size() - 1; i > 0; --i)
      right = p().fork(nodes_[chosen_[i - 1]], right, site);
    return p().fork(n, right, site);
  }

  node_number loop(std::uint32_t e) {
    const trace_event& b = all_.at(e);
    const std::uint32_t site = site_of(b);
    split(e, traced::leaf);
    std::vector<node_number> before;
    for (const std::uint32_t c : others_)
      if (nodes_[c] != no_node) before.push_back(nodes_[c]);
    std::ranges::sort(chosen_, {},
                      [&](std::uint32_t c) { return std::tuple(all_.at(c).a, all_.at(c).b, c); });
    const std::vector<std::uint32_t> leaves = chosen_;
    look_for_held_up(leaves, site);
    std::vector<node_number> parts;
    std::uint64_t told = 0;
    for (const std::uint32_t c : leaves) {
      told += std::max<std::uint64_t>(1, all_.at(c).b - all_.at(c).a);
      add_leaf(c, site, parts);
    }
    if (leaves.empty() && before.empty())
      parts.push_back(p().each(std::max<std::uint64_t>(1, b.a), p().work(b.length, {}, site)));
    if (!leaves.empty() && told < b.a) ++doubts_.loops_without_iterations;
    if (parts.empty()) return p().series(before, site);
    const node_number n = p().loop(parts, site);
    if (before.empty()) return n;
    before.push_back(n);
    return p().series(before, site);
  }

  // Leaves without constructs that took far longer for an iteration than half of the loop's leaves did.
  void look_for_held_up(std::span<const std::uint32_t> leaves, std::uint32_t site) {
    constexpr std::size_t enough = 4;
    constexpr double far = 8;
    constexpr double worth_telling = 1e9;  // a millisecond
    if (leaves.size() < enough) return;
    const auto iterations = [&](std::uint32_t c) {
      return static_cast<double>(std::max<std::uint64_t>(1, all_.at(c).b - all_.at(c).a));
    };
    std::vector<double> each;
    for (const std::uint32_t c : leaves)
      each.push_back(static_cast<double>(all_.at(c).length) / iterations(c));
    const auto middle = each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2);
    std::ranges::nth_element(each, middle);
    for (const std::uint32_t c : leaves) {
      const auto took = static_cast<double>(all_.at(c).length);
      const double expected = *middle * iterations(c);
      if (!all_.children(c).empty() || took <= far * expected || took - expected < worth_telling) continue;
      doubts::held_up& at = doubts_.held_up_at[site];
      ++at.leaves;
      at.excess_ms += (took - expected) * 1e-9;
    }
  }

  // A leaf that is work is uniform. One with constructs is cut between them, as if each iteration had as many.
  void add_leaf(std::uint32_t e, std::uint32_t loop_site, std::vector<node_number>& to) {
    const trace_event& b = all_.at(e);
    const std::uint64_t iterations = std::max<std::uint64_t>(1, b.b - b.a);
    const std::uint32_t own = site_of(b);
    const std::uint32_t site = own != 0 ? own : loop_site;
    // In which of several iterations brief constructs were is not known. They are work, so that any iteration may be cut off.
    split(e, traced::brief);
    const std::span<const std::uint32_t> told = iterations > 1 ? others_ : all_.children(e);
    const std::vector<piece> parts = series_of(e, b.begin, b.end(), told, site);
    std::uint64_t constructs = 0;
    bool waits = false;
    for (const piece& each : parts) {
      if (!each.construct) continue;
      ++constructs;
      const part what = p().at(each.node).what;
      waits |= what == part::spawn || what == part::wait;
    }
    const std::uint64_t cuts = waits ? 1 : std::min(iterations, constructs);
    if (cuts <= 1) {
      to.push_back(p().each(iterations, colored(b, node_of_parts(parts, site))));
      return;
    }
    std::vector<piece> some;
    std::uint64_t seen = 0;
    std::uint64_t done = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      some.push_back(parts[i]);
      if (parts[i].construct) ++seen;
      const bool last = i + 1 == parts.size();
      if (!last && (!parts[i].construct || seen < constructs * (done + 1) / cuts || done + 1 == cuts))
        continue;
      const std::uint64_t here = iterations * (done + 1) / cuts - iterations * done / cuts;
      to.push_back(p().each(here, colored(b, node_of_parts(some, site))));
      some.clear();
      ++done;
    }
  }

  // Graphs ------------------------------------------------------------------------------------------------------

  // So many names of nodes are those of kinds of nodes.
  static constexpr std::size_t most_names = 32;

  // Of graphs of which no node is told, those at the same place tell what they are like: the one with most nodes.
  void look_at_graphs() {
    for (std::uint32_t e = 0; e < all_.size(); ++e) {
      const trace_event& b = all_.at(e);
      if (b.what == traced::node && all_.body(e) != trace_forest::nobody) {
        std::set<std::uint32_t>& names = names_of_nodes_[all_.at(all_.body(e)).site];
        if (names.size() <= most_names) names.insert(b.name);
      }
      if (b.what != traced::graph || b.a == 0) continue;
      const auto [at, is_new] = likes_.try_emplace(b.site, e);
      if (!is_new && b.a > all_.at(at->second).a) at->second = e;
    }
    edges_ = trace_.edges;
    std::ranges::sort(edges_, {}, &trace_edge::in);
  }

  told_graph& told_of(std::uint32_t e) {
    const auto [at, is_new] = told_.try_emplace(e);
    if (!is_new) return at->second;
    std::vector<std::uint32_t> inside(1, e);
    for (std::size_t i = 0; i < inside.size(); ++i)
      for (const std::uint32_t c : all_.children(inside[i])) inside.push_back(c);
    for (std::size_t i = inside.size(); i-- > 1;)
      if (nodes_[inside[i]] == no_node) nodes_[inside[i]] = node_of(inside[i]);
    told_graph& t = at->second;
    split(e, traced::node);
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    for (const std::uint32_t c : chosen_) {
      numbers.emplace(all_.at(c).a, static_cast<std::uint32_t>(t.tasks.size()));
      t.tasks.push_back(nodes_[c]);
      t.work += all_.at(c).length;
    }
    for (const trace_edge& edge : std::ranges::equal_range(edges_, all_.at(e).id, {}, &trace_edge::in)) {
      const auto before = numbers.find(edge.before);
      const auto after = numbers.find(edge.after);
      if (before != numbers.end() && after != numbers.end()) {
        t.edges.push_back({before->second, after->second});
      } else if (all_.at(e).b == 0) {
        ++doubts_.edges_without_node;
      }
    }
    if (const auto stuck = t.waits_for_itself())
      refuse_event(trace_, all_.at(chosen_[*stuck]), "the node waits for itself, by way of others");
    if (!t.tasks.empty()) t.as_it_was = p().graph(t.tasks, t.edges, site_of(all_.at(e)));
    return t;
  }

  node_number graph(std::uint32_t e) {
    const trace_event& b = all_.at(e);
    const std::uint32_t site = site_of(b);
    split(e, traced::node);
    const bool is_told = !chosen_.empty();
    std::vector<node_number> parts;
    for (const std::uint32_t c : others_)
      if (nodes_[c] != no_node) parts.push_back(nodes_[c]);
    if (is_told) {
      told_graph& own = told_of(e);
      parts.push_back(own.as_it_was);
      if (b.b > 0 && b.end() > static_cast<picoseconds>(b.b)) {
        ++doubts_.graphs_told_in_part;
        own.add_like(p(), false, b.end() - static_cast<picoseconds>(b.b), site, parts);
      }
    } else if (const auto known = likes_.find(b.site); known != likes_.end()) {
      ++doubts_.graphs_like_others;
      told_of(known->second).add_like(p(), all_.at(known->second).b == 0, b.length, site, parts);
    } else if (parts.empty()) {
      return p().work(b.length, {}, site);
    }
    return parts.size() == 1 ? parts.front() : p().series(parts, site);
  }

  // The program's own strand ------------------------------------------------------------------------------------

  // Roots that overlap are of several threads: a graph, in which each comes after those that ended before it began.
  node_number together(std::span<const std::uint32_t> some) {
    if (some.size() == 1) return nodes_[some.front()];
    std::vector<node_number> tasks;
    for (const std::uint32_t e : some) tasks.push_back(nodes_[e]);
    std::vector<program::edge> edges;
    std::vector<std::uint32_t> by_end(some.size());
    for (std::uint32_t i = 0; i < some.size(); ++i) by_end[i] = i;
    std::ranges::sort(by_end, {}, [&](std::uint32_t i) { return std::pair(all_.at(some[i]).end(), i); });
    std::size_t ended = 0;
    picoseconds latest = 0;               // beginning of those that have ended
    std::vector<std::uint32_t> frontier;  // those of them after which none of them begins
    for (std::uint32_t i = 0; i < some.size(); ++i) {
      const picoseconds begin = all_.at(some[i]).begin;
      // Sorted by their beginning, so one with no length comes before itself in by_end.
      for (; ended < by_end.size() && all_.at(some[by_end[ended]]).end() <= begin && by_end[ended] < i;
           ++ended) {
        frontier.push_back(by_end[ended]);
        latest = std::max(latest, all_.at(some[by_end[ended]]).begin);
      }
      std::erase_if(frontier, [&](std::uint32_t k) {
        const trace_event& e = all_.at(some[k]);
        return e.end() <= latest && e.begin < latest;
      });
      for (const std::uint32_t k : frontier) edges.push_back({k, i});
    }
    return p().graph(tasks, edges);
  }

  void set_root() {
    std::vector<node_number> parts;
    const std::span<const std::uint32_t> roots = all_.roots();
    std::uint32_t outside = 0;
    picoseconds now = 0;
    for (std::size_t first = 0; first < roots.size();) {
      const picoseconds begin = all_.at(roots[first]).begin;
      picoseconds end = all_.at(roots[first]).end();
      std::size_t last = first + 1;
      for (; last < roots.size() && all_.at(roots[last]).begin < end; ++last)
        end = std::max(end, all_.at(roots[last]).end());
      if (!parts.empty() && begin > now) {
        if (outside == 0) {
          outside = p().site("outside of regions");
          made_.origins.push_back({});
        }
        parts.push_back(p().work(begin - now, {}, outside));
        made_.outside += begin - now;
      }
      parts.push_back(together(roots.subspan(first, last - first)));
      now = std::max(now, end);
      first = last;
    }
    p().set_root(parts.size() == 1 ? parts.front() : p().series(parts));
  }

  const trace& trace_;
  const trace_forest all_;
  std::span<const std::string> names_;
  traced_program made_;
  std::vector<node_number> nodes_;  // of the events
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> sites_;
  std::unordered_map<std::uint64_t, std::uint32_t> blocks_;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> others_;
  std::unordered_map<std::uint32_t, std::vector<piece>>
      open_;  // sections that leave children to what is around them
  doubts doubts_;
  std::vector<trace_edge> edges_;                           // sorted by their graphs
  std::unordered_map<std::uint32_t, std::uint32_t> likes_;  // by sites
  std::unordered_map<std::uint32_t, told_graph> told_;
  std::unordered_map<std::uint32_t, std::set<std::uint32_t>> names_of_nodes_;  // by their graphs' sites
};

}  // namespace

traced_program program_of(const trace& t, std::span<const std::string> names) {
  return builder(t, names).build();
}

}  // namespace sennit::sim
