// SPDX-License-Identifier: Apache-2.0
#include "process/launched_rank.hpp"

#include "process/environment.hpp"

#include <array>

namespace sennit::detail {

std::optional<launched_rank> rank_of_launcher() {
  struct names {
    const char* rank;
    const char* ranks;
  };
  constexpr std::array<names, 3> launchers{{{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                            {"PMI_RANK", "PMI_SIZE"},
                                            {"PMIX_RANK", "PMIX_SIZE"}}};
  for (const names& n : launchers) {
    const auto rank = variable(n.rank);
    if (rank && parse_number(*rank)) return launched_rank{std::string(*rank), variable(n.ranks) == "1"};
  }
  return std::nullopt;
}

}  // namespace sennit::detail
