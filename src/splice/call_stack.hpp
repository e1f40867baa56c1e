// Stacks that spliced functions run on. Their steps do not: they run on the stack of whoever splices.
#pragma once

#include "stack/stack.hpp"

#include <sennit/detail/config.hpp>
#include <sennit/detail/splice/spliced_call.hpp>
#include <sennit/splice.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

namespace sennit::detail {

// A function's stack, and what it last said. It is left at its constructs, and goes on from there.
class call_stack {
 public:
  enum class saying : std::uint8_t { step, slices, sequence, end };

  // One that is free, or a new one. Throws std::bad_alloc.
  static call_stack& take();
  // To be taken again. The function has ended.
  static void put_back(call_stack& s) noexcept;
  // Of the free ones, which are kept for as long as a splice may need them again, few are left. At its end.
  static void keep_some() noexcept;
  // That whose function the calling thread runs; null if it runs none.
  SENNIT_EXPORT static call_stack* running() noexcept;
  const stack& memory() const noexcept { return stack_; }

  call_stack();
  call_stack(const call_stack&) = delete;
  call_stack& operator=(const call_stack&) = delete;
  ~call_stack();

  // Begins or goes on with the function, until it says something. Called from outside.
  // `all`: where the effects go that it declares.
  saying begin(const void* object, void (*run)(const void*), effects& all) noexcept;
  saying go_on(std::exception_ptr& failure) noexcept;  // takes it
  // Unwinds it.
  void give_up() noexcept;

  // What the function says; called on the stack itself. All but the first return when it is to go on, and
  // throw the failure.
  void say_effects(const effects& of_call);
  // They are gone, and nothing may follow.
  void end_effects(const effects& of_call) noexcept;
  void say_step(const effects& fx, action body);
  void say_slices(sliced_step& step);
  void say_sequence(std::span<const sequence_item> items, const effects* afterwards);

  const effects* fx = nullptr;  // the step's, or of what follows the sequence
  const action* body = nullptr;
  sliced_step* slices = nullptr;
  std::span<const sequence_item> items{};
  bool declared = false;
  bool whole_step = false;       // the step has the very effects that the call has
  std::exception_ptr escaped{};  // from the function
  call_stack* next_free = nullptr;

 private:
  struct given_up {};
  friend struct call_stack_entry;

  void refuse_after_last() const;
  void leave(saying what);
  void enter() noexcept;
  void run() noexcept;

  stack stack_;
  void* context_ = nullptr;
  void* outside_ = nullptr;
  const void* object_ = nullptr;
  void (*run_)(const void*) = nullptr;
  saying said_ = saying::end;
  bool last_ = false;  // it has said something that nothing may follow
  bool giving_up_ = false;
  effects* all_ = nullptr;                // where the call's go
  const effects* declared_as_ = nullptr;  // the function's own, while there
  std::exception_ptr failure_{};
  [[maybe_unused]] void* inside_fake_ = nullptr;  // ASan: the fake stacks; TSan: the fibers
  [[maybe_unused]] void* outside_fake_ = nullptr;
  [[maybe_unused]] const void* outside_bottom_ = nullptr;
  [[maybe_unused]] std::size_t outside_size_ = 0;
};

}  // namespace sennit::detail
