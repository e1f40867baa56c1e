// SPDX-License-Identifier: Apache-2.0
// Executables and shared objects register and unregister their tables. Code that rollforward writes calls
// these functions.
#include "beat/address_pairs.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sennit::detail {

// Beside the functions that fill them, so that whoever reads the list links these functions, too. Otherwise the program's list
// could stay empty while a shared object with a copy of the library fills its own.
paired_module* paired_modules = nullptr;
bool any_latent_calls = false;

namespace {

// As rollforward writes it: distances are relative to the field itself.
struct table_head {
  std::int32_t first;
  std::int32_t second;
  std::uint32_t count;
};
static_assert(sizeof(table_head) == 12 && sizeof(address_pair) == 8);

std::uintptr_t address_from(const std::int32_t& field) noexcept {
  return reinterpret_cast<std::uintptr_t>(&field) + static_cast<std::uintptr_t>(std::intptr_t{field});
}

std::vector<paired_procedure> read_tables(const void* start, const void* stop) {
  std::vector<paired_procedure> procedures;
  const auto* at = static_cast<const unsigned char*>(start);
  while (at < stop) {
    const auto& head = *reinterpret_cast<const table_head*>(at);
    const auto* pairs = reinterpret_cast<const address_pair*>(at + sizeof(table_head));
    const address_pair& end = pairs[head.count - 1];
    const std::uintptr_t first = address_from(head.first);
    const std::uintptr_t second = address_from(head.second);
    procedures.push_back(
        {first, first + end.first, second, second + (end.second & ~flags_of_pair), pairs, head.count});
    at = reinterpret_cast<const unsigned char*>(pairs + head.count);
  }
  return procedures;
}

void note_latent_calls(const std::vector<paired_procedure>& procedures) noexcept {
  for (const paired_procedure& p : procedures) {
    const bool any = std::any_of(p.pairs, p.pairs + p.count, [](const address_pair& pair) {
      return (pair.second & flags_of_pair) == behind_latent_call;
    });
    if (any) __atomic_store_n(&any_latent_calls, true, __ATOMIC_RELAXED);
  }
}

const paired_procedure* kept(const std::vector<paired_procedure>& sorted) {
  auto* copy = new paired_procedure[sorted.size()];
  std::copy(sorted.begin(), sorted.end(), copy);
  return copy;
}

bool same_pair(const paired_procedure& a, const paired_procedure& b) noexcept {
  return a.first == b.first && a.first_end == b.first_end && a.second == b.second &&
         a.second_end == b.second_end && a.pairs == b.pairs && a.count == b.count;
}

// A plugin that is loaded at its old address needs no new index.
bool revived(const void* key, const std::vector<paired_procedure>& by_first) noexcept {
  // ORD[D40] acquire: as in find().
  for (paired_module* m = __atomic_load_n(&paired_modules, __ATOMIC_ACQUIRE); m != nullptr; m = m->next) {
    if (m->key != key || m->count != by_first.size()) continue;
    if (!std::equal(by_first.begin(), by_first.end(), m->by_first, same_pair)) continue;
    __atomic_store_n(&m->live, true, __ATOMIC_RELAXED);
    return true;
  }
  return false;
}

void publish(paired_module& m) noexcept {
  m.next = __atomic_load_n(&paired_modules, __ATOMIC_RELAXED);
  // ORD[D40] release: the index of m, before a handler finds it; pairs with the acquire in find().
  while (
      !__atomic_compare_exchange_n(&paired_modules, &m.next, &m, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

}  // namespace
}  // namespace sennit::detail

extern "C" {

// Called from the module's .init_array. `start` identifies the module from then on.
[[gnu::visibility("default")]] void sennit_rollforward_enter(const void* start, const void* stop,
                                                             const sennit::detail::point_record* points,
                                                             const sennit::detail::point_record* points_end) {
  using namespace sennit::detail;
  std::vector<paired_procedure> procedures = read_tables(start, stop);
  note_latent_calls(procedures);
  std::sort(procedures.begin(), procedures.end(),
            [](const paired_procedure& a, const paired_procedure& b) { return a.first < b.first; });
  if (revived(start, procedures)) return;
  auto* m = new paired_module{nullptr, start, kept(procedures), nullptr, 0, true, points, points_end};
  std::sort(procedures.begin(), procedures.end(),
            [](const paired_procedure& a, const paired_procedure& b) { return a.second < b.second; });
  m->by_second = kept(procedures);
  m->count = static_cast<std::uint32_t>(procedures.size());
  publish(*m);
}

// Called from the module's .fini_array. The index stays, because a handler may be reading it.
[[gnu::visibility("default")]] void sennit_rollforward_leave(const void* start) {
  using namespace sennit::detail;
  // ORD[D40] acquire: as in find().
  for (paired_module* m = __atomic_load_n(&paired_modules, __ATOMIC_ACQUIRE); m != nullptr; m = m->next) {
    if (m->key == start) __atomic_store_n(&m->live, false, __ATOMIC_RELAXED);
  }
}

}  // extern "C"
