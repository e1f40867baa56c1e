// SPDX-License-Identifier: Apache-2.0
// Which worker has which role of a schedule that was made for another number of workers.
#pragma once

#include <cstdint>

namespace sennit::policy {

// Workers are placed in equal contiguous parts on the nodes of a machine. So if there are fewer workers than roles,
// neighboring roles go to one worker: a role stays on its node, where its data are. If there are more, each role is the
// worker's of the same number, as a schedule that names workers means these; the others steal, if they may.
constexpr std::uint32_t role_here(std::uint32_t role, std::uint32_t roles, std::uint32_t workers) noexcept {
  if (role >= roles) return role % workers;
  return roles <= workers ? role : static_cast<std::uint32_t>(std::uint64_t{role} * workers / roles);
}

}  // namespace sennit::policy
