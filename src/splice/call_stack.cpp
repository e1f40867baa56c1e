// SPDX-License-Identifier: Apache-2.0
#include "splice/call_stack.hpp"

#include "diagnosis/stack_overflow.hpp"
#include "stack/float_environment.hpp"
#include "system/sanitizers.hpp"
#include "system/text.hpp"

#include <sennit/detail/failure.hpp>

#include <boost/context/detail/fcontext.hpp>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace sennit::detail {

namespace context = boost::context::detail;

namespace {

constexpr std::size_t stack_bytes = 64 * 1024;

// Initial-exec, because a signal handler reads it.
constinit thread_local call_stack* running_stack [[gnu::tls_model("initial-exec")]] = nullptr;

// Not inlined: the strand may be on another thread at each call.
[[gnu::noinline]] call_stack*& running_on_this_thread() noexcept {
  call_stack** here = &running_stack;
  asm volatile("" : "+r"(here));
  return *here;
}

const char* overflow(const void* address) noexcept {
  const call_stack* const s = running_on_this_thread();
  return s != nullptr && s->memory().guards(address) ? "sennit: stack overflow: a spliced function needed "
                                                       "more than 64 KiB of stack outside its steps.\n"
                                                       "sennit: do the work in a step(), which runs on a "
                                                       "larger one, and divide calls by sequence().\n"
                                                     : nullptr;
}

}  // namespace

namespace {

// Whether the process has as many mappings as the system allows, or almost.
bool mappings_are_used_up() noexcept {
  std::size_t most = SIZE_MAX;
  attempt<std::bad_alloc>([&] {
    most = text::parse<std::size_t>(text::read_text("/proc/sys/vm/max_map_count").value_or(""))
               .value_or(SIZE_MAX);
  });
  // The list has megabytes, and there may be no mapping for them.
  const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return false;
  std::size_t now = 0;
  char some[4096];
  for (ssize_t bytes = 1; bytes > 0;) {
    bytes = read(maps, some, sizeof some);
    if (bytes > 0) now += static_cast<std::size_t>(std::count(some, some + bytes, '\n'));
  }
  close(maps);
  return most != SIZE_MAX && now + 16 >= most;
}

}  // namespace

no_stack::no_stack() noexcept
    : why_(mappings_are_used_up()
               ? "sennit: no stack for a spliced function: the process has as many memory mappings as the "
                 "system "
                 "allows (vm.max_map_count): raise this limit, or give splicing::most_bytes a smaller value"
               : "sennit: no stack for a spliced function: the system gives no memory: see RLIMIT_AS and the "
                 "limits "
                 "of the process's cgroup, or give splicing::most_bytes a smaller value") {}

call_stack* call_stack::running() noexcept { return running_on_this_thread(); }

// Inlined, as its caller is: after a switch of stacks the processor predicts returns wrongly, so there
// should be few of them.
SENNIT_INLINE void call_stack::leave(saying what) {
  said_ = what;
#if SENNIT_ASAN
  __sanitizer_start_switch_fiber(&inside_fake_, outside_bottom_, outside_size_);
#elif SENNIT_TSAN
  __tsan_switch_to_fiber(outside_fake_, 0);
#endif
  {
    const kept_float_environment kept;
    outside_ = context::jump_fcontext(outside_, nullptr).fctx;
  }
#if SENNIT_ASAN
  __sanitizer_finish_switch_fiber(inside_fake_, &outside_bottom_, &outside_size_);
#endif
  if (what == saying::end) return;
#if SENNIT_EXCEPTIONS
  if (giving_up_) throw given_up();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
#endif
}

SENNIT_INLINE void call_stack::enter() noexcept {
  // The function comes back on the thread on which it is continued.
  call_stack*& running_here = running_on_this_thread();
  running_here = this;
#if SENNIT_ASAN
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, stack_.bottom(), stack_.size());
#elif SENNIT_TSAN
  outside_fake_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(inside_fake_, 0);
#endif
  {
    const kept_float_environment kept;
    context_ = context::jump_fcontext(context_, this).fctx;
  }
#if SENNIT_ASAN
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
  running_here = nullptr;
}

struct call_stack_entry {
  static void start(context::transfer_t from) noexcept {
    call_stack& s = *static_cast<call_stack*>(from.data);
    s.outside_ = from.fctx;
#if SENNIT_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &s.outside_bottom_, &s.outside_size_);
#endif
    s.run();
  }
};

call_stack::call_stack() : stack_(stack::reserve(stack_bytes)) {
  if (!stack_) fail_with(no_stack());
  // Relaxed: a handler on a thread that runs a call's stack has seen this store.
  overflow_of_calls.store(&overflow, std::memory_order_relaxed);
  // The distances between stacks are powers of two. Without the offset, the first lines of all stacks would
  // be in the same few sets of the cache.
  static std::atomic<std::size_t> made{0};
  // Relaxed: any number is correct.
  const std::size_t set = made.fetch_add(1, std::memory_order_relaxed) % 28;
  const std::size_t apart = set * 2 * 64;
  context_ = context::make_fcontext(static_cast<std::byte*>(stack_.top()) - apart, stack_.size() - apart,
                                    &call_stack_entry::start);
#if SENNIT_TSAN
  inside_fake_ = __tsan_create_fiber(0);
#endif
}

call_stack::~call_stack() {
#if SENNIT_TSAN
  __tsan_destroy_fiber(inside_fake_);
#endif
}

// Runs one function after the other, for ever.
void call_stack::run() noexcept {
  for (;;) {
#if SENNIT_EXCEPTIONS
    try {
      run_(object_);
    } catch (const given_up&) {
    } catch (...) {
      escaped = std::current_exception();
    }
#else
    run_(object_);
#endif
    leave(saying::end);
  }
}

call_stack::saying call_stack::begin(const void* object, void (*run)(const void*), effects& all) noexcept {
  object_ = object;
  run_ = run;
  declared = last_ = giving_up_ = false;
  all_ = &all;
  declared_as_ = fx = nullptr;
  escaped = nullptr;
  enter();
  constexpr std::size_t page = 4096;
  const auto used =
      static_cast<std::size_t>(static_cast<std::byte*>(stack_.top()) - static_cast<std::byte*>(context_));
  touched_bytes_ = std::max(touched_bytes_, static_cast<std::uint32_t>((used + page - 1) / page * page));
  return said_;
}

call_stack::saying call_stack::go_on(std::exception_ptr& failure) noexcept {
  if (failure) failure_ = std::exchange(failure, nullptr);
  enter();
  return said_;
}

void call_stack::give_up() noexcept {
  if (said_ == saying::end) return;
#if SENNIT_EXCEPTIONS
  // If the function catches it and uses another construct, that construct throws again.
  giving_up_ = true;
  while (said_ != saying::end) enter();
#endif
}

SENNIT_INLINE void call_stack::refuse_after_last() const {
  if (!last_) return;
  fail<std::logic_error>(
      "sennit: a spliced function goes on after its sequence(), its sliced step() or the end of its "
      "call_effects, and has not said so: make what follows a part of the sequence, or say "
      "sequence(followed_by(...), ...)");
}

void call_stack::refuse_undeclared() {
  fail<std::logic_error>("sennit: a step() without effects has those of its call, and the call has none: "
                         "begin the function with a "
                         "call_effects, or say step(effects, body)");
}

// The function runs on up to its first construct, without a turn: until then it touches only its own
// variables.
SENNIT_INLINE void call_stack::say_effects(const effects& of_call) {
  // The effects of a function called directly are part of those that the call has declared.
  if (declared || last_) return refuse_after_last();
  *all_ = of_call;
  declared = true;
  declared_as_ = &of_call;
}

void call_stack::end_effects(const effects& of_call) noexcept {
  if (declared_as_ != &of_call) return;
  declared_as_ = nullptr;
  last_ = true;
}

SENNIT_INLINE void call_stack::say_step(const effects* step_fx, action step_body) {
  refuse_after_last();
  if (step_fx == nullptr && declared_as_ == nullptr) refuse_undeclared();
  fx = step_fx != nullptr ? step_fx : declared_as_;
  whole_step = fx == declared_as_ ||
               (declared_as_ != nullptr && fx->contains(*declared_as_) && declared_as_->contains(*fx));
  body = &step_body;
  leave(saying::step);
}

SENNIT_INLINE void call_stack::say_slices(sliced_step& step) {
  refuse_after_last();
  slices = &step;
  last_ = true;  // only the rest of the step is known of the call
  leave(saying::slices);
}

SENNIT_INLINE void call_stack::say_sequence(std::span<const sequence_item> list, const effects* afterwards) {
  refuse_after_last();
  items = list;
  fx = afterwards;
  last_ = afterwards == nullptr;  // also if it throws, and the function continues
  leave(saying::sequence);
}

bool in_spliced_call() noexcept { return call_stack::running() != nullptr; }

void declare_effects(const effects& all) {
  if (call_stack* const s = running_on_this_thread()) s->say_effects(all);
}

void end_effects(const effects& all) noexcept {
  if (call_stack* const s = running_on_this_thread()) s->end_effects(all);
}

bool run_step(const effects* fx, action body) {
  call_stack* const s = running_on_this_thread();
  if (s == nullptr) return false;
  s->say_step(fx, body);
  return true;
}

bool run_sliced_step(sliced_step& step) {
  call_stack* const s = running_on_this_thread();
  if (s == nullptr) return false;
  s->say_slices(step);
  return true;
}

void run_sequence(std::span<const sequence_item> items, const effects* afterwards) {
  if (call_stack* const s = running_on_this_thread()) return s->say_sequence(items, afterwards);
  for (const sequence_item& i : items) i.run(i.object);
}

namespace {

// The free stacks. A thread takes its own free stacks without a lock.
class stack_pool {
 public:
  call_stack& take() {
    if (free_ == nullptr) [[unlikely]]
      return made();
    --count_;
    return *std::exchange(free_, free_->next_free);
  }
  void put_back(call_stack& s) noexcept {
    if (free_ == nullptr) [[unlikely]]
      free_at_end_of_thread();
    s.next_free = std::exchange(free_, &s);
    ++count_;
  }
  void keep(std::size_t most) noexcept {
    for (; count_ > most; --count_) delete std::exchange(free_, free_->next_free);
  }

 private:
  static call_stack& made() { return *new call_stack; }
  static void free_at_end_of_thread() noexcept;

  call_stack* free_ = nullptr;
  std::size_t count_ = 0;
};

// Without a destructor, so that nothing is asked when it is used.
constinit thread_local stack_pool free_stacks [[gnu::tls_model("initial-exec")]];

[[gnu::noinline]] stack_pool& pool_of_this_thread() noexcept {
  stack_pool* here = &free_stacks;
  asm volatile("" : "+r"(here));
  return *here;
}

[[gnu::noinline]] void stack_pool::free_at_end_of_thread() noexcept {
  static thread_local const struct at_end_of_thread {
    at_end_of_thread() = default;
    at_end_of_thread(const at_end_of_thread&) = delete;
    ~at_end_of_thread() { pool_of_this_thread().keep(0); }
  } ending;
  static_cast<void>(&ending);
}

}  // namespace

call_stack& call_stack::take() { return pool_of_this_thread().take(); }
void call_stack::put_back(call_stack& s) noexcept { pool_of_this_thread().put_back(s); }
void call_stack::keep_some() noexcept { pool_of_this_thread().keep(1024); }

}  // namespace sennit::detail
