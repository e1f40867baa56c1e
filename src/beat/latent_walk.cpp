#include "beat/latent_walk.hpp"

#include "beat/address_pairs.hpp"
#include "beat/outward_walk.hpp"

#include <ucontext.h>

namespace sennit::detail {

#if defined(__x86_64__)

namespace {

class latent_walk : public outward_walk {
 public:
  using outward_walk::outward_walk;

  latent_site oldest() noexcept {
    latent_site found;
    while (leave_frame() && is_return_address()) {
      const std::uintptr_t paired = find_latent_return(pc_);
      if (paired != 0 && knows_frame()) found = {slot_, paired, registers_};
    }
    return found;
  }

 private:
  bool knows_frame() const noexcept {
    for (const unsigned number : {3U, 6U, 12U, 13U, 14U, 15U}) {
      if (!registers_.knows(number)) return false;
    }
    return true;
  }
};

}  // namespace

// The registers that calls keep, as they are at one place of this function.
latent_site oldest_latent_site() noexcept {
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
  return latent_walk(here).oldest();
}

#else

latent_site oldest_latent_site() noexcept { return {}; }

#endif

}  // namespace sennit::detail
