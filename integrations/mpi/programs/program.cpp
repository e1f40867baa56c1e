// SPDX-License-Identifier: Apache-2.0
#include "integrations/mpi/programs/program.hpp"

#include <sennit/mpi.hpp>
#include <sennit/sennit.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <exception>

namespace programs {
namespace {

int run_on_ranks(program& of, const std::string& name, unsigned workers) {
  namespace mpi = sennit::mpi;
  sennit::runtime_options options;
  options.workers = workers;
  sennit::runtime runtime(options);
  const auto section = [&](const char* title, auto body) {
    runtime.run([&] { sennit::named(title, body); });
  };
  section("prepare", [&] {
    of.prepare();
    mpi::barrier();
  });
  const double before = MPI_Wtime();
  section("compute", [&] {
    of.compute();
    mpi::barrier();
  });
  const double seconds = MPI_Wtime() - before;
  outcome made;
  std::uint64_t sum = 0;
  int wrong = 0;
  section("check", [&] {
    made = of.check();
    sum = mpi::allreduce(made.sum, MPI_SUM);
    wrong = mpi::allreduce(made.complaint.empty() ? 0 : 1, MPI_SUM);
  });
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
  app.add_option("--workers", workers, "workers of each rank; 0: SENNIT_WORKERS, or one for each processor")
      ->capture_default_str();
  of.add_arguments(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // All ranks have the same arguments; one of them says what is wrong.
    return rank() == 0 ? app.exit(e) : e.get_exit_code();
  }
  try {
    return run_on_ranks(of, name, workers);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: rank {}: {}\n", name, rank(), e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

}  // namespace programs
