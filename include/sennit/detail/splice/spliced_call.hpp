// What the splicer sees of the calls that it interleaves, and what calls see of it.
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

// What a call has come to.
enum class arrival : std::uint8_t {
  step,      // code that touches data: to be run, or delayed
  slice,     // part of a step; what follows it is another one, or the end
  sequence,  // calls in order
  end,
};

// How a call is gone on with. One for each kind of call; the calls' own data are in their rooms.
struct call_kind {
  // Up to what it does next. Takes the failure of its last step or parts: it may handle that.
  arrival (*advance)(spliced_call&) noexcept;
  // Of arrival::sequence: makes the next call that it consists of, in the room given; false if there are no
  // more.
  bool (*next_part)(spliced_call& whole, spliced_call& part, std::uint32_t index);
  // Of arrival::step and arrival::slice: runs it. May throw.
  void (*run)(spliced_call&);
  // The call goes to another place in memory, in a room that nothing is in yet.
  void (*move)(spliced_call& from, spliced_call& to) noexcept;
  // It will not be gone on with: undoes what it holds.
  void (*drop)(spliced_call&) noexcept;
};

// A call in an iteration of a splice. The splicer has more to say of it.
class spliced_call {
 public:
  static constexpr std::size_t room_bytes = 64;

  const call_kind* kind = nullptr;
  effects all;                          // of all that it does
  const effects* rest = nullptr;        // of what is left of its one step, if that is sliced
  const effects* now = nullptr;         // of the step that it has come to
  const effects* afterwards = nullptr;  // of what follows a sequence; null: nothing
  std::exception_ptr failure;           // what escaped from it
  std::uint32_t iteration = 0;
  std::uint32_t switches = 0;  // between stacks, to go on with it
  std::uint32_t index = 0;     // among the parts of the call around it
  bool one_step = false;       // it has a step that has all its effects
  bool last_step = false;      // and nothing besides

  // What make() returns, without a copy.
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
