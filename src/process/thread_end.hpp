// SPDX-License-Identifier: Apache-2.0
// What is done at the end of a thread that is no worker.
#pragma once

#include <pthread.h>

namespace sennit::detail {

// A pthread key: a thread_local with a destructor would keep a shared object that holds this library from
// being unloaded, and would come before the destructors of some of the program's own thread_locals. Its
// objects must be static.
class thread_end {
 public:
  constexpr explicit thread_end(void (*call)(void*)) noexcept : call_(call) {}
  thread_end(const thread_end&) = delete;
  thread_end& operator=(const thread_end&) = delete;
  // Threads that outlive the library must not run its code at their end.
  ~thread_end();

  // The calling thread's end makes the call. Without memory for the key's value it does not.
  void expect() noexcept;

 private:
  enum class key_state { none, made, deleted };

  void (*const call_)(void*);
  // Under no_fork:
  pthread_key_t key_{};
  key_state state_ = key_state::none;
};

}  // namespace sennit::detail
