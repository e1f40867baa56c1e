// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/on_ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace command {
namespace {

constexpr std::array<std::string_view, 6> programs{"cholesky",  "fdtd-2d",  "heat",
                                                   "jacobi-2d", "pagerank", "sw"};
constexpr std::string_view flag = "--ranks";

}  // namespace

bool is_on_ranks(std::string_view kernel) { return std::ranges::find(programs, kernel) != programs.end(); }

bool runs_on_ranks(int argc, const char* const* argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  return argc > 2 && std::string_view(words[1]) == "run" && words[2][0] != '-' &&
         std::ranges::find(words.subspan(3), flag, [](const char* w) { return std::string_view(w); }) !=
             words.subspan(3).end();
}

void become_program_on_ranks(int argc, const char* const* argv) {
  const std::string kernel = argv[2];
  if (!is_on_ranks(kernel)) {
    throw std::runtime_error(fmt::format("there is no program on ranks for '{}'; there is one for {}", kernel,
                                         fmt::join(programs, ", ")));
  }
  std::vector<char*> words;
  for (int i = 2; i < argc; ++i)
    if (argv[i] != flag) words.push_back(const_cast<char*>(argv[i]));
  words.push_back(nullptr);
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::filesystem::path installed = (here / SENNIT_RANKS_FOLDER / kernel).lexically_normal();
  const std::filesystem::path built = here.parent_path() / "integrations/mpi/programs" / kernel;
  for (const std::filesystem::path& program : {installed, built}) {
    execv(program.c_str(), words.data());
    if (errno != ENOENT) {
      throw std::runtime_error(
          fmt::format("cannot run {}: {}", program.native(), std::generic_category().message(errno)));
    }
  }
  throw std::runtime_error(
      fmt::format("there is neither {} nor {}: programs on ranks are bound to one MPI, so they are built and "
                  "installed only if that is asked for; install libopenmpi-dev, build the target "
                  "sennit_mpi_programs, and "
                  "'cmake --install BUILD --component ranks'",
                  installed.native(), built.native()));
}

}  // namespace command
