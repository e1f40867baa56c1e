// SPDX-License-Identifier: Apache-2.0
// Nothing of the standard library here: its inline functions may come from a file that uses vector
// registers.
#include "beat/address_pairs.hpp"

#include "beat/general_registers.hpp"

namespace sennit::detail {

namespace {

// The last procedure that begins at or before `address`, in a list sorted by `begin`.
SENNIT_GENERAL_REGISTERS const paired_procedure* last_before(const paired_procedure* list,
                                                             std::uint32_t count,
                                                             std::uintptr_t paired_procedure::* begin,
                                                             std::uintptr_t address) noexcept {
  const paired_procedure* found = nullptr;
  std::uint32_t low = 0;
  std::uint32_t high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (list[middle].*begin <= address) {
      found = &list[middle];
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return found;
}

// The first pair at or behind `offset`.
SENNIT_GENERAL_REGISTERS std::uint32_t first_at(const paired_procedure& p, std::uint32_t offset) noexcept {
  std::uint32_t low = 0;
  std::uint32_t high = p.count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (p.pairs[middle].first < offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

SENNIT_GENERAL_REGISTERS std::uintptr_t paired_at(const paired_procedure& p, std::uint32_t pair) noexcept {
  return p.second + (p.pairs[pair].second & ~flags_of_pair);
}

// Several pairs may have one address; they are in the order of the text. This one is the first that has these
// flags and no others.
SENNIT_GENERAL_REGISTERS std::uintptr_t first_with(const paired_procedure& p, std::uintptr_t address,
                                                   std::uint32_t flags) noexcept {
  const auto offset = static_cast<std::uint32_t>(address - p.first);
  for (std::uint32_t at = first_at(p, offset); at < p.count && p.pairs[at].first == offset; ++at) {
    if ((p.pairs[at].second & flags_of_pair) == flags) return paired_at(p, at);
  }
  return 0;
}

SENNIT_GENERAL_REGISTERS std::uintptr_t pair_of_return(const paired_procedure& p,
                                                       std::uintptr_t address) noexcept {
  const std::uintptr_t latent = first_with(p, address, behind_latent_call);
  return latent != 0 ? latent : first_with(p, address, behind_call);
}

SENNIT_GENERAL_REGISTERS std::uintptr_t pair_of_latent_return(const paired_procedure& p,
                                                              std::uintptr_t address) noexcept {
  return first_with(p, address, behind_latent_call);
}

// rollforward leaves out what is before the last label that code may have the address of.
SENNIT_GENERAL_REGISTERS std::uintptr_t pair_of_target(const paired_procedure& p,
                                                       std::uintptr_t address) noexcept {
  return first_with(p, address, 0);
}

// An interrupted thread is at the last of them: it may have jumped to a label that is behind a promotion point.
SENNIT_GENERAL_REGISTERS std::uintptr_t pair_of_instruction(const paired_procedure& p,
                                                            std::uintptr_t address) noexcept {
  const auto offset = static_cast<std::uint32_t>(address - p.first);
  const std::uint32_t behind = first_at(p, offset + 1);
  if (behind == 0) return 0;
  const address_pair& last = p.pairs[behind - 1];
  if (last.first == offset) return paired_at(p, behind - 1);
  const bool padding = (last.second & flags_of_pair) == padding_follows;
  return padding && behind < p.count ? paired_at(p, behind) : 0;
}

// `inside` is an address that is certainly within the procedure.
SENNIT_GENERAL_REGISTERS place_in_code find(std::uintptr_t inside, std::uintptr_t address,
                                            std::uintptr_t (*paired_with)(const paired_procedure&,
                                                                          std::uintptr_t) noexcept) noexcept {
  // ORD[D40] acquire: a module's index, before it is read; pairs with the release in publish().
  for (const paired_module* m = __atomic_load_n(&paired_modules, __ATOMIC_ACQUIRE); m != nullptr;
       m = m->next) {
    // Relaxed: a thread that runs the module's code has seen the module loaded.
    if (!__atomic_load_n(&m->live, __ATOMIC_RELAXED)) continue;
    const paired_procedure* p = last_before(m->by_first, m->count, &paired_procedure::first, inside);
    if (p != nullptr && inside < p->first_end) return {copy_of_code::first, paired_with(*p, address)};
    p = last_before(m->by_second, m->count, &paired_procedure::second, inside);
    if (p != nullptr && inside < p->second_end) return {copy_of_code::second, 0};
  }
  return {copy_of_code::none, 0};
}

}  // namespace

SENNIT_GENERAL_REGISTERS place_in_code find_instruction(std::uintptr_t address) noexcept {
  return find(address, address, pair_of_instruction);
}

SENNIT_GENERAL_REGISTERS place_in_code find_target(std::uintptr_t address) noexcept {
  return find(address, address, pair_of_target);
}

SENNIT_GENERAL_REGISTERS place_in_code find_return(std::uintptr_t address) noexcept {
  return find(address - 1, address, pair_of_return);
}

std::uintptr_t find_latent_return(std::uintptr_t address) noexcept {
  return find(address - 1, address, pair_of_latent_return).paired;
}

}  // namespace sennit::detail
