#include "beat/roll_forward.hpp"

#include "beat/address_pairs.hpp"
#include "beat/pending.hpp"

#include <ucontext.h>
#include <unwind.h>

#include <cstdint>
#include <utility>

namespace sennit::detail {

constinit thread_local volatile bool beat_pending [[gnu::tls_model("initial-exec")]] = false;

namespace {

#if defined(__x86_64__)

greg_t& program_counter(void* context) noexcept {
  return static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
}

// A place that holds the address of code at which the thread will continue, now or later. Returns true if
// the beat will be handled there.
template <class Word>
bool move(Word& holder, const place_in_code& place) noexcept {
  if (place.copy == copy_of_code::second) return true;
  if (place.paired == 0) return false;
  holder = static_cast<Word>(place.paired);
  return true;
}

// Walks outward from this library's handler. It ends at frames of either copy of marked code.
class outward_walk {
 public:
  explicit outward_walk(void* context) noexcept : interrupted_(reinterpret_cast<std::uintptr_t>(context)) {}

  bool run() noexcept {
    _Unwind_Backtrace(&outward_walk::visit, this);
    return moved_;
  }

 private:
  static _Unwind_Reason_Code visit(_Unwind_Context* frame, void* self) noexcept {
    return static_cast<outward_walk*>(self)->step(frame) ? _URC_NO_REASON : _URC_NORMAL_STOP;
  }

  // Returns false at the end of the walk.
  bool step(_Unwind_Context* frame) noexcept {
    int signaled = 0;
    const std::uintptr_t address = _Unwind_GetIPInfo(frame, &signaled);
    // The called frame ends here, and the return address is directly below.
    const std::uintptr_t called_end = std::exchange(called_end_, _Unwind_GetCFA(frame));
    if (!beyond_handler_) {
      // A frame that a signal interrupted: it comes after the frame of the trampoline, which begins where
      // the kernel stored the context.
      beyond_handler_ = signaled != 0 && called_end == interrupted_;
      return true;
    }
    if (++frames_ > most_frames) return false;
    if (signaled != 0) return step_interrupted(address, reinterpret_cast<void*>(called_end));
    const place_in_code place = find_return(address);
    if (place.copy == copy_of_code::none) return true;
    // While a frame is being made or removed, the unwinder's answer may be wrong.
    auto& slot = *reinterpret_cast<volatile std::uintptr_t*>(called_end_ - sizeof(std::uintptr_t));
    moved_ = slot == address && move(slot, place);
    return false;
  }

  // Code that another handler has interrupted; `context` is the context of that handler.
  bool step_interrupted(std::uintptr_t address, void* context) noexcept {
    const place_in_code place = find_instruction(address);
    if (place.copy == copy_of_code::none) return true;
    greg_t& pc = program_counter(context);
    moved_ = static_cast<std::uintptr_t>(pc) == address && move(pc, place);
    return false;
  }

  const std::uintptr_t interrupted_;
  std::uintptr_t called_end_ = 0;
  bool beyond_handler_ = false;
  bool moved_ = false;
  int frames_ = 0;
};

bool place_beat(void* context) noexcept {
  greg_t& pc = program_counter(context);
  const place_in_code here = find_instruction(static_cast<std::uintptr_t>(pc));
  // The thread is in marked code, but inside a sequence that the linker may have changed. It will leave the
  // sequence soon.
  if (here.copy != copy_of_code::none) return move(pc, here);
  return outward_walk(context).run();
}

#else

// On this CPU nothing can be rolled forward: there are no tables and no counterparts.
bool place_beat(void*) noexcept { return false; }

#endif

}  // namespace

bool roll_forward(void* ucontext) noexcept {
  const bool placed = place_beat(ucontext);
  beat_pending = !placed;
  return placed;
}

// Relaxed: a thread that runs marked code has seen it loaded.
bool any_marked_code() noexcept { return __atomic_load_n(&paired_modules, __ATOMIC_RELAXED) != nullptr; }

bool beat_is_pending() noexcept { return beat_pending; }

void prepare_to_roll_forward() noexcept {
  _Unwind_Backtrace([](_Unwind_Context*, void*) noexcept { return _URC_NO_REASON; }, nullptr);
}

}  // namespace sennit::detail
