// SPDX-License-Identifier: Apache-2.0
// What a strand of any kind of work pool does with its local queue.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/local_queue.hpp>
#include <sennit/detail/graph/work_pool_state.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <cstddef>

namespace sennit::detail {

// One strand's part in the work. Pool: a kind of work pool.
template <class Pool, class Item>
class pool_session {
 public:
  pool_session(const pool_session&) = delete;
  pool_session& operator=(const pool_session&) = delete;

  // Whether the strand itself makes the call, and not a branch of it that another strand runs.
  bool is_here() const noexcept { return stack_ == Pool::stack_here(); }

  // What another strand had.
  void begin_part(const item_range& range) { todo.add_all(range); }

  local_queue<Item> todo;
  std::uint64_t since_ns = 0;  // of the item that the strand does, if a trace tells of it

 protected:
  explicit pool_session(Pool& whole) noexcept : todo(whole), whole_(whole) {
    if (whole.is_told()) [[unlikely]]
      since_ns = told_now_ns();
  }
  // However the work ends, nothing is left for others.
  ~pool_session() {
    todo.abandon();
    todo.retire();
    while (queue_part* const part = todo.take_back()) {
      whole_.took_back();
      part->let_go();
    }
  }

  // `least`: fewer items are not worth being given away. But after some items with nothing to give, whoever shut the gate
  // before the strand began gets an answer: otherwise each item of a long chain would meet the gate.
  SENNIT_COLD void share(std::size_t least) noexcept {
    constexpr unsigned long_chain = 16;
    if (whole_.cancelled()) return;
    if (todo.is_hidden()) todo.expose();
    if ((todo.size() >= least || ++unanswered_ == long_chain) && any_gate_shut()) whole_.answer();
  }
  // After a claim that found nothing, or a shut gate.
  bool claim_slowly() {
    if (!todo.claim_slowly()) return false;
    if (any_gate_shut()) share(1);
    return true;
  }
  // Takes back what nobody has begun.
  SENNIT_COLD bool take_back() {
    while (queue_part* const part = todo.take_back()) {
      const struct taken {
        queue_part& back;
        ~taken() { back.let_go(); }
      } last{*part};
      whole_.took_back();
      todo.add_all(part->range());
      if (todo.next()) return true;
    }
    return false;
  }

  Pool& whole_;

 private:
  unsigned unanswered_ = 0;  // meetings with the gate
  const void* const stack_ = Pool::stack_here();
};

}  // namespace sennit::detail
