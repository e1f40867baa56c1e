// SPDX-License-Identifier: Apache-2.0
// The interface between the splicer and the calls that it interleaves.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/effects.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>

namespace sennit::detail {

class spliced_call;
class call_stack;

// What a call has arrived at.
enum class arrival : std::uint8_t {
  step,      // code that touches data: to be run, or delayed
  slice,     // part of a step; after it comes another slice, or the end of the call
  sequence,  // calls in order
  end,
};

// How to continue a call. There is one object for each kind of call; the data of the calls are in their
// rooms.
struct call_kind {
  // Continues the call up to its next construct. The call gets the failure of its last step or parts, and
  // may handle it.
  arrival (*advance)(spliced_call&) noexcept;
  // At arrival::sequence: makes the next call of the sequence in the room of `part`. Returns false if there
  // are no more.
  bool (*next_part)(spliced_call& whole, spliced_call& part, std::uint32_t index);
  // At arrival::step and arrival::slice: runs the step or slice. May throw.
  void (*run)(spliced_call&);
  // Moves the call to another place in memory, whose room is empty.
  void (*move)(spliced_call& from, spliced_call& to) noexcept;
  // The call will not continue: releases what it holds.
  void (*drop)(spliced_call&) noexcept;
  // At arrival::sequence: makes all parts from the index on, in order, into one step in the room of `part`. Returns
  // their number; 0 if there are none. Null: the parts cannot be run in this way.
  std::uint32_t (*rest)(spliced_call& whole, spliced_call& part, std::uint32_t index) noexcept = nullptr;
};

// A call in an iteration of a splice. The splicer's own class derives from it.
class spliced_call {
 public:
  static constexpr std::size_t room_bytes = 64;

  const call_kind* kind = nullptr;
  effects all;                          // of all that the call does
  const effects* rest = nullptr;        // of what is left of the call's only step, if that is sliced
  const effects* now = nullptr;         // of the step at which the call has arrived
  const effects* afterwards = nullptr;  // of what follows a sequence; null: nothing
  std::exception_ptr failure;           // what the call threw
  std::uint32_t iteration = 0;
  std::uint32_t switches = 0;  // switches between stacks to continue the call
  std::uint32_t index = 0;     // its position among the parts of the surrounding call
  std::uint32_t sequence_size =
      UINT32_MAX;  // the number of parts of the sequence at which it has arrived, if known
  std::uint32_t stack_bytes = 0;
  bool one_step = false;   // the call has a step that has all its effects
  bool last_step = false;  // and the call has nothing else to do

  // Constructs what make() returns in place, without a copy.
  template <class Make>
  void set_effects(Make&& make) {
    all.~effects();
#if SENNIT_EXCEPTIONS
    try {
      ::new (&all) effects(make());
    } catch (...) {
      ::new (&all) effects();
      throw;
    }
#else
    ::new (&all) effects(make());
#endif
  }
  template <class T, class... Args>
  T& put(Args&&... args) {
    static_assert(sizeof(T) <= room_bytes && alignof(T) <= 16 && std::is_trivially_destructible_v<T>);
    return *::new (static_cast<void*>(room_)) T{std::forward<Args>(args)...};
  }
  template <class T>
  T& get() noexcept {
    return *std::launder(reinterpret_cast<T*>(room_));
  }

 private:
  alignas(16) std::byte room_[room_bytes];
};

}  // namespace sennit::detail
