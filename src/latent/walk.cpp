// SPDX-License-Identifier: Apache-2.0
#include "latent/walk.hpp"

#include "beat/address_pairs.hpp"
#include "beat/frame_row.hpp"
#include "beat/outward_walk.hpp"
#include "beat/unwind_entry.hpp"

#include <ucontext.h>

#include <array>
#include <cstdint>

namespace sennit::detail {

#if defined(__x86_64__)

namespace {

constexpr unsigned rsp = 7;

// What is the same for all frames that return to one address: recursion has many, and looks them up once.
struct known_return {
  std::uintptr_t address = 0;
  std::uintptr_t paired = 0;  // behind a latent call: the counterpart
  unwind_entry function;
  frame_row row;
  bool good = false;
};

class latent_walk : public outward_walk {
 public:
  using outward_walk::outward_walk;

  latent_site oldest(std::uintptr_t above, std::uintptr_t below) noexcept {
    latent_site found;
    bool on = leave_frame();
    while (on && reinterpret_cast<std::uintptr_t>(slot_) < below) {
      const known_return& at = known(pc_);
      function_ = at.function;
      if (!at.good || !is_return_address()) break;
      const bool is_site = at.paired != 0 && knows_frame() && reinterpret_cast<std::uintptr_t>(slot_) > above;
      const latent_site site{slot_, at.paired, registers_, 0, 0};
      on = leave_frame(at.row);
      if (on && is_site) take(site, found);
    }
    return found;
  }

 private:
  // A frame that is larger would take long to copy.
  static constexpr std::uintptr_t most_bytes = 16384;
  static constexpr std::uintptr_t arguments = 256;

  void take(const latent_site& site, latent_site& found) noexcept {
    const std::uintptr_t begin = site.registers.value[rsp];
    const std::uintptr_t end = registers_.value[rsp];
    if (end - begin > most_bytes) return;
    found = site;
    found.end = end;
    found.arguments_end = memory_.has(begin, end - begin + arguments) ? end + arguments : end;
  }

  bool knows_frame() const noexcept {
    for (const unsigned number : {3U, 6U, 12U, 13U, 14U, 15U}) {
      if (!registers_.knows(number)) return false;
    }
    return true;
  }

  const known_return& known(std::uintptr_t address) noexcept {
    known_return& at = known_[address % known_.size()];
    if (at.address != address) {
      at.address = address;
      at.function = find_unwind_entry(address - 1);
      at.good = at.function && at.function.trust != unwind_trust::never && !at.function.signal_frame &&
                find_row(at.function, address - 1, at.row);
      at.paired = at.good ? find_latent_return(address) : 0;
    }
    return at;
  }

  std::array<known_return, 7> known_;
};

}  // namespace

// The registers that calls keep, as they are at one place of this function.
latent_site oldest_latent_site(const void* above, std::uintptr_t below) noexcept {
  ucontext_t here;
  auto& registers = here.uc_mcontext.gregs;
  asm volatile("leaq 0f(%%rip), %%rax\n"
               "0:\tmovq %%rax, %0\n\tmovq %%rsp, %1\n\tmovq %%rbx, %2\n\tmovq %%rbp, %3\n\t"
               "movq %%r12, %4\n\tmovq %%r13, %5\n\tmovq %%r14, %6\n\tmovq %%r15, %7"
               : "=m"(registers[REG_RIP]), "=m"(registers[REG_RSP]), "=m"(registers[REG_RBX]),
                 "=m"(registers[REG_RBP]), "=m"(registers[REG_R12]), "=m"(registers[REG_R13]),
                 "=m"(registers[REG_R14]), "=m"(registers[REG_R15])
               :
               : "rax");
  return latent_walk(here).oldest(reinterpret_cast<std::uintptr_t>(above), below);
}

#else

latent_site oldest_latent_site(const void*, std::uintptr_t) noexcept { return {}; }

#endif

}  // namespace sennit::detail
