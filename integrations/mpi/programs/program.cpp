#include "integrations/mpi/programs/program.hpp"

#include "tools/output.hpp"

#include <sennit/mpi.hpp>
#include <sennit/sennit.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace programs {
namespace {

using nlohmann::json;
using sennit::mpi::notes;

json times_of(const std::vector<notes::stretch>& all, std::int64_t begin) {
  json list = json::array();
  for (const auto& s : all) list.push_back({s.begin - begin, s.end - begin});
  return list;
}

json messages_of(const std::vector<notes::message>& all, std::int64_t begin) {
  json list = json::array();
  for (const auto& m : all) list.push_back({m.at - begin, m.peer, m.tag, m.bytes});
  return list;
}

json page_part(const notes& taken, const std::string& name, unsigned workers, std::int64_t begin,
               std::int64_t end) {
  return {{"program", name},
          {"rank", rank()},
          {"workers", workers},
          {"length", end - begin},
          {"computing", times_of(taken.computing(), begin)},
          {"waiting", times_of(taken.waiting(), begin)},
          {"sent", messages_of(taken.sent(), begin)},
          {"received", messages_of(taken.received(), begin)}};
}

int run_on_ranks(program& of, const std::string& name, unsigned workers, const std::string& file) {
  namespace mpi = sennit::mpi;
  sennit::runtime_options options;
  options.workers = workers;
  sennit::runtime runtime(options);
  of.prepare();
  std::optional<notes> taken;
  if (!file.empty()) taken.emplace();
  mpi::barrier();
  // All ranks count from rank 0's begin.
  std::int64_t begin = taken ? taken->now() : 0;
  mpi::bcast(std::span(&begin, 1), 0);
  const double before = MPI_Wtime();
  runtime.run([&] { of.compute(); });
  const std::int64_t end = taken ? taken->now() : 0;
  mpi::barrier();
  const double seconds = MPI_Wtime() - before;
  if (taken) {
    const std::int64_t last = mpi::allreduce(end, MPI_MAX);
    tools::write_file(fmt::format("{}.{}.json", file, rank()),
                      page_part(*taken, name, runtime.workers(), begin, last).dump());
    taken.reset();
  }

  const outcome made = of.check();
  const std::uint64_t sum = mpi::allreduce(made.sum, MPI_SUM);
  const int wrong = mpi::allreduce(made.complaint.empty() ? 0 : 1, MPI_SUM);
  if (!made.complaint.empty()) fmt::print(stderr, "{}: rank {}: {}\n", name, rank(), made.complaint);
  if (rank() == 0) {
    fmt::print("{}: {} rank{} in {:.3f} s; checksum {:016x}, {}\n", name, ranks(), ranks() == 1 ? "" : "s",
               seconds, sum, wrong == 0 ? "right" : "WRONG");
    std::fflush(stdout);
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int run(program& of, const std::string& name, const std::string& summary, int argc, char** argv) {
  const sennit::mpi::session mpi(argc, argv);
  CLI::App app(summary + ", on the ranks of MPI", name);
  unsigned workers = 0;
  std::string file;
  app.add_option("--workers", workers, "workers of each rank; 0: SENNIT_WORKERS, or one for each processor")
      ->capture_default_str();
  app.add_option("--notes", file, "write what each rank did, and when, to FILE.RANK.json");
  of.add_arguments(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // All ranks have the same arguments; one of them says what is wrong.
    return rank() == 0 ? app.exit(e) : e.get_exit_code();
  }
  try {
    return run_on_ranks(of, name, workers, file);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: rank {}: {}\n", name, rank(), e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

}  // namespace programs
