// SPDX-License-Identifier: Apache-2.0
#include "ranks/simulate_ranks.hpp"

#include "ranks/port.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace sennit::sim {

namespace {

class rank_simulation {
 public:
  rank_simulation(const rank_graph& graph, const machine& on, const rank_options& how)
      : graph_(graph), net_(on.network), how_(how), ranks_(on.network.ranks), waits_(graph.size()) {
    unsigned workers = how.workers == 0 ? on.where.cores() : how.workers;
    if (how.progress_thread && workers > 1) --workers;
    for (rank_state& r : ranks_) r.idle = workers;
    for (std::size_t n = 0; n < graph.size(); ++n) {
      const rank_node& node = graph.at(n);
      if (node.rank >= ranks_.size())
        throw std::invalid_argument(
            fmt::format("sennit: node {} is of rank {}, and the machine {} has {}; name a rank below that", n,
                        node.rank, on.name, ranks_.size()));
      if (node.pieces == 0)
        throw std::invalid_argument(
            fmt::format("sennit: node {} has a loop of no pieces; give it one at least", n));
    }
    find_successors();
    submit();
  }

  rank_result run() {
    while (!events_.empty()) {
      const event e = events_.top();
      events_.pop();
      now_ = e.time;
      switch (e.what) {
        case kind::submitted: arrived(e.id); break;
        case kind::computed: computed(e.id); break;
        case kind::freed: free_workers(e.id, e.extra); break;
        case kind::leaves: leaves(e.id); break;
        case kind::comes: comes(e.id); break;
        case kind::port: port_event(e.id, e.extra); break;
        case kind::landed: half(e.id); break;
        case kind::late: late(e.id); break;
        case kind::received: received(e.id); break;
      }
    }
    return result_;
  }

 private:
  enum class kind : std::uint8_t { submitted, computed, freed, leaves, comes, port, landed, late, received };
  struct event {
    picoseconds time;
    std::uint64_t order;  // of equal times, the one that was made first
    kind what;
    std::uint32_t id;
    std::uint32_t extra;
    bool operator>(const event& other) const noexcept {
      return std::tie(time, order) > std::tie(other.time, other.order);
    }
  };
  struct rank_state {
    unsigned idle = 0;
    std::deque<std::uint32_t> ready;
    std::deque<std::uint32_t> unreceived;
    picoseconds scheduler_free = 0;
    picoseconds progress_free = 0;
    port ports[2];  // out, in
    std::uint32_t version[2] = {0, 0};
  };
  struct message {
    std::uint32_t node;
    unsigned to;
    std::size_t first;  // of the nodes that wait for it
    std::size_t end;
    std::uint8_t halves = 0;  // of two: it has left, it has come
    bool received = false;
  };

  void at(picoseconds time, kind what, std::uint32_t id, std::uint32_t extra = 0) {
    events_.push({time, order_++, what, id, extra});
  }

  void find_successors() {
    first_.assign(graph_.size() + 1, 0);
    for (std::size_t n = 0; n < graph_.size(); ++n)
      for (const std::uint32_t p : graph_.predecessors(n)) ++first_[p + 1];
    for (std::size_t n = 0; n < graph_.size(); ++n) first_[n + 1] += first_[n];
    successors_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t n = 0; n < graph_.size(); ++n)
      for (const std::uint32_t p : graph_.predecessors(n))
        successors_[next[p]++] = static_cast<std::uint32_t>(n);
  }

  void submit() {
    std::vector<std::uint64_t> own(ranks_.size());
    for (std::size_t n = 0; n < graph_.size(); ++n) {
      const unsigned rank = graph_.at(n).rank;
      const std::uint64_t mine = ++own[rank];
      const picoseconds known = mine * how_.submit_own + (n + 1 - mine) * how_.submit_other;
      waits_[n] = static_cast<std::uint32_t>(graph_.predecessors(n).size());
      if (known == 0 && waits_[n] != 0) continue;
      ++waits_[n];
      at(known, kind::submitted, static_cast<std::uint32_t>(n));
    }
  }

  void arrived(std::uint32_t n) {
    if (--waits_[n] != 0) return;
    const unsigned rank = graph_.at(n).rank;
    ranks_[rank].ready.push_back(n);
    use_idle(rank);
  }

  // Messages first: others may wait for what they bring.
  void use_idle(unsigned rank) {
    rank_state& r = ranks_[rank];
    while (r.idle != 0 && !r.unreceived.empty()) {
      const std::uint32_t m = r.unreceived.front();
      r.unreceived.pop_front();
      if (messages_[m].received) continue;
      messages_[m].received = true;
      --r.idle;
      at(now_ + net_.receive, kind::received, m);
      at(now_ + net_.receive, kind::freed, rank, 1);
    }
    while (r.idle != 0 && !r.ready.empty()) {
      const std::uint32_t n = r.ready.front();
      const rank_node& node = graph_.at(n);
      const auto each = static_cast<unsigned>(std::max<std::size_t>(1, r.idle / r.ready.size()));
      r.ready.pop_front();
      const unsigned takers = how_.loops_in_nodes ? std::min(node.pieces, each) : 1;
      const picoseconds piece = (node.work + node.pieces - 1) / node.pieces;
      const picoseconds work = takers == 1 ? node.work : (node.pieces + takers - 1) / takers * piece;
      picoseconds begin = now_;
      if (how_.central != 0) begin = r.scheduler_free = std::max(now_, r.scheduler_free) + how_.central;
      r.idle -= takers;
      if (takers > 1) at(begin + how_.task + work, kind::freed, rank, takers - 1);
      at(begin + how_.task + work, kind::computed, n);
      result_.work += node.work;
    }
  }

  void computed(std::uint32_t n) {
    const rank_node& node = graph_.at(n);
    const std::span<const std::uint32_t> next =
        std::span(successors_).subspan(first_[n], first_[n + 1] - first_[n]);
    readers_.clear();
    for (const std::uint32_t s : next) {
      if (graph_.at(s).rank == node.rank)
        arrived(s);
      else
        readers_.emplace_back(graph_.at(s).rank, s);
    }
    std::ranges::sort(readers_);
    picoseconds sent = now_;
    rank_state& r = ranks_[node.rank];
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      waiting_.push_back(readers_[i].second);
      if (i != 0 && readers_[i - 1].first == readers_[i].first) {
        messages_.back().end = waiting_.size();
        continue;
      }
      ++count;
      if (how_.progress_thread)
        sent = r.progress_free = std::max(sent, r.progress_free) + net_.send;
      else
        sent += net_.send;
      messages_.push_back({n, readers_[i].first, waiting_.size() - 1, waiting_.size()});
      at(sent, kind::leaves, static_cast<std::uint32_t>(messages_.size() - 1));
    }
    result_.messages += count;
    result_.bytes += node.bytes * count;
    result_.makespan = std::max(result_.makespan, now_);
    if (sent == now_ || how_.progress_thread)
      free_workers(node.rank, 1);
    else
      at(sent, kind::freed, node.rank, 1);
  }

  void free_workers(std::uint32_t rank, std::uint32_t count) {
    ranks_[rank].idle += count;
    use_idle(rank);
  }

  void leaves(std::uint32_t m) {
    begin(graph_.at(messages_[m].node).rank, 0, m);
    at(now_ + net_.latency, kind::comes, m);
  }
  void comes(std::uint32_t m) { begin(messages_[m].to, 1, m); }

  void begin(unsigned rank, unsigned side, std::uint32_t m) {
    ranks_[rank].ports[side].begin(now_, net_.bandwidth, graph_.at(messages_[m].node).bytes, m);
    plan(rank, side);
  }
  void plan(unsigned rank, unsigned side) {
    rank_state& r = ranks_[rank];
    const std::uint32_t version = ++r.version[side];
    if (!r.ports[side].empty()) at(r.ports[side].next(net_.bandwidth), kind::port, rank * 2 + side, version);
  }
  void port_event(std::uint32_t id, std::uint32_t version) {
    const unsigned rank = id / 2;
    const unsigned side = id % 2;
    rank_state& r = ranks_[rank];
    if (r.version[side] != version) return;
    const std::uint32_t m = r.ports[side].end(now_, net_.bandwidth);
    plan(rank, side);
    if (side == 0)
      at(now_ + net_.latency, kind::landed, m);
    else
      half(m);
  }

  void half(std::uint32_t m) {
    if (++messages_[m].halves != 2) return;
    const unsigned rank = messages_[m].to;
    rank_state& r = ranks_[rank];
    if (how_.progress_thread) {
      messages_[m].received = true;
      r.progress_free = std::max(now_, r.progress_free) + net_.receive;
      at(r.progress_free, kind::received, m);
      return;
    }
    r.unreceived.push_back(m);
    use_idle(rank);
    if (!messages_[m].received) at(now_ + net_.progress_delay, kind::late, m);
  }
  void late(std::uint32_t m) {
    if (messages_[m].received) return;
    messages_[m].received = true;
    at(now_ + net_.receive, kind::received, m);
  }
  void received(std::uint32_t m) {
    const message got = messages_[m];
    for (std::size_t at = got.first; at < got.end; ++at) arrived(waiting_[at]);
  }

  const rank_graph& graph_;
  const machine_network& net_;
  const rank_options& how_;
  std::vector<rank_state> ranks_;
  std::vector<std::uint32_t> waits_;
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> successors_;
  std::vector<message> messages_;
  std::vector<std::pair<unsigned, std::uint32_t>> readers_;  // rank, node
  std::vector<std::uint32_t> waiting_;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  picoseconds now_ = 0;
  rank_result result_;
};

}  // namespace

rank_result simulate(const rank_graph& graph, const machine& on, const rank_options& how) {
  return rank_simulation(graph, on, how).run();
}

}  // namespace sennit::sim
