// SPDX-License-Identifier: Apache-2.0
// The stacks on which spliced functions run. Their steps run on the stack of the splicer.
#pragma once

#include "stack/stack.hpp"

#include <sennit/detail/config.hpp>
#include <sennit/detail/splice/spliced_call.hpp>
#include <sennit/splice.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <span>

namespace sennit::detail {

// The system has no room for another stack.
class no_stack : public std::bad_alloc {
 public:
  no_stack() noexcept;
  const char* what() const noexcept override { return why_; }

 private:
  const char* why_;
};

// A function's stack, and what the function said last. The stack is left at the function's constructs, and
// continued from there.
class call_stack {
 public:
  enum class saying : std::uint8_t { step, slices, sequence, end };

  // A free stack, or a new one. Throws no_stack, or std::bad_alloc.
  static call_stack& take();
  // Makes the stack free again. Precondition: its function has ended.
  static void put_back(call_stack& s) noexcept;
  // Frees most of the free stacks, which are kept while a splice may need them. Called at the end of a
  // splice.
  static void keep_some() noexcept;
  // The stack whose function the calling thread runs; null if the thread runs none.
  SENNIT_EXPORT static call_stack* running() noexcept;
  const stack& memory() const noexcept { return stack_; }
  // The memory that the stack takes, as far as functions were seen to touch it at their first constructs.
  std::uint32_t touched_bytes() const noexcept { return touched_bytes_; }

  call_stack();
  call_stack(const call_stack&) = delete;
  call_stack& operator=(const call_stack&) = delete;
  ~call_stack();

  // Begins or continues the function until it says something. Called from outside the stack. `all`: where
  // the effects go that the function declares.
  saying begin(const void* object, void (*run)(const void*), effects& all) noexcept;
  saying go_on(std::exception_ptr& failure) noexcept;  // takes the failure
  // Unwinds the function.
  void give_up() noexcept;

  saying said() const noexcept { return said_; }  // what it said last

  // What the function says; called on the stack itself. All but the first function return when the spliced
  // function continues, and throw its failure.
  void say_effects(const effects& of_call);
  // The declared effects are destroyed, and no construct may follow.
  void end_effects(const effects& of_call) noexcept;
  void say_step(const effects* fx, action body);  // null: the effects of the call
  void say_slices(sliced_step& step);
  void say_sequence(std::span<const sequence_item> items, const effects* afterwards);

  const effects* fx = nullptr;  // of the step, or of what follows the sequence
  const action* body = nullptr;
  sliced_step* slices = nullptr;
  std::span<const sequence_item> items{};
  bool declared = false;
  bool whole_step = false;       // the effects of the step are those of the call
  std::exception_ptr escaped{};  // what the function threw
  call_stack* next_free = nullptr;

 private:
  struct given_up {};
  friend struct call_stack_entry;

  void refuse_after_last() const;
  [[noreturn]] static void refuse_undeclared();
  void leave(saying what);
  void enter() noexcept;
  void run() noexcept;

  stack stack_;
  std::uint32_t touched_bytes_ = 0;
  void* context_ = nullptr;
  void* outside_ = nullptr;
  const void* object_ = nullptr;
  void (*run_)(const void*) = nullptr;
  saying said_ = saying::end;
  bool last_ = false;  // it has said something after which nothing may follow
  bool giving_up_ = false;
  effects* all_ = nullptr;                // where the call's effects go
  const effects* declared_as_ = nullptr;  // the function's own variable, while it exists
  std::exception_ptr failure_{};
  [[maybe_unused]] void* inside_fake_ = nullptr;  // ASan: the fake stacks; TSan: the fibers
  [[maybe_unused]] void* outside_fake_ = nullptr;
  [[maybe_unused]] const void* outside_bottom_ = nullptr;
  [[maybe_unused]] std::size_t outside_size_ = 0;
};

}  // namespace sennit::detail
