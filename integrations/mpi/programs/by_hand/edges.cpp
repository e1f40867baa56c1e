// SPDX-License-Identifier: Apache-2.0
// edges: what an edge of a graph between two ranks costs, against MPI_Isend and MPI_Irecv of the same value. `chain`: each node
// needs the one before, on the other rank; `stream`: values go from one rank to the other, and none needs another.
#include <sennit/mpi.hpp>
#include <sennit/sennit.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

namespace mpi = sennit::mpi;
using key = std::array<int, 2>;

int rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}

// The other value: made anew from what came, as a node does.
void answer(const std::vector<double>& came, std::vector<double>& next) {
  next = came;
  next[0] += 1;
}

double plain_chain(int edges, std::size_t size) {
  std::vector<double> here(size);
  std::vector<double> there(size);
  const int count = static_cast<int>(size);
  for (int i = 0; i < edges; ++i) {
    MPI_Request request;
    if (i % 2 == rank())
      MPI_Isend(here.data(), count, MPI_DOUBLE, 1 - rank(), 0, MPI_COMM_WORLD, &request);
    else
      MPI_Irecv(there.data(), count, MPI_DOUBLE, 1 - rank(), 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (i % 2 != rank()) answer(there, here);
  }
  return here[0];
}

double plain_stream(int edges, std::size_t size) {
  const int count = static_cast<int>(size);
  const auto all = static_cast<std::size_t>(edges);
  std::vector<MPI_Request> requests(all);
  std::vector<std::vector<double>> values(all);
  for (std::size_t i = 0; i < all; ++i) {
    values[i].assign(size, static_cast<double>(i));
    if (rank() == 0)
      MPI_Isend(values[i].data(), count, MPI_DOUBLE, 1, static_cast<int>(i), MPI_COMM_WORLD, &requests[i]);
    else
      MPI_Irecv(values[i].data(), count, MPI_DOUBLE, 0, static_cast<int>(i), MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(edges, requests.data(), MPI_STATUSES_IGNORE);
  double sum = 0;
  for (const auto& value : values) sum += value[0];
  return sum;
}

double graph_chain(int edges, std::size_t size) {
  double last = 0;
  mpi::run(MPI_COMM_WORLD, std::vector<int>{edges},
           mpi::nodes{.predecessors = [](int i) { return std::vector<int>(i > 0 ? 1 : 0, i - 1); },
                      .compute = [&](int i, auto& node) -> std::vector<double> {
                        std::vector<double> next(size);
                        if (i > 0) answer(node.value(i - 1), next);
                        last = next[0];
                        return next;
                      },
                      .color = [](int i) { return i % 2; }});
  return last;
}

double graph_stream(int edges, std::size_t size) {
  std::vector<key> sinks;
  for (int i = 0; i < edges; ++i) sinks.push_back({i, 1});
  double sum = 0;
  mpi::run(MPI_COMM_WORLD, sinks,
           mpi::nodes{.predecessors = [](key k) { return std::vector<key>(k[1] == 1 ? 1 : 0, key{k[0], 0}); },
                      .compute = [&](key k, auto& node) -> std::vector<double> {
                        if (k[1] == 0) return std::vector<double>(size, static_cast<double>(k[0]));
                        sum += node.value(key{k[0], 0})[0];
                        return {};
                      },
                      .color = [](key k) { return k[1]; }});
  return sum;
}

// Of many brief runs, so that a busy machine is in the way of some only.
double least_us(int edges, std::size_t size, const std::function<double(int, std::size_t)>& run) {
  double least = 1e9;
  for (int i = 0; i < 100; ++i) {
    mpi::barrier();
    const double begin = MPI_Wtime();
    run(edges, size);
    least = std::min(least, (MPI_Wtime() - begin) / edges * 1e6);
  }
  return mpi::allreduce(least, MPI_MAX);
}

}  // namespace

int main(int argc, char** argv) {
  const sennit::mpi::session mpi(argc, argv);
  sennit::runtime_options options;
  options.workers = 1;
  sennit::runtime runtime(options);
  for (const std::size_t size : {std::size_t{1}, std::size_t{8192}}) {
    const int edges = size == 1 ? 1000 : 100;
    const auto compare = [&](const char* what, auto plain, auto graph) {
      const double by_hand = least_us(edges, size, plain);
      double by_graph = 0;
      runtime.run([&] { by_graph = least_us(edges, size, graph); });
      if (rank() == 0)
        fmt::print("{} of {} bytes: by hand {:.2f} us, graph {:.2f} us an edge, {:.2f} times\n", what,
                   size * 8, by_hand, by_graph, by_graph / by_hand);
    };
    compare("chain", plain_chain, graph_chain);
    compare("stream", plain_stream, graph_stream);
  }
}
