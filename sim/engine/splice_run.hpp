// SPDX-License-Identifier: Apache-2.0
// The steps of one execution of a splice: which may run, which are delayed, and what releases these.
#pragma once

#include "engine/splice_graph.hpp"

#include <cstdint>
#include <vector>

namespace sennit::sim {

using splicer_number = std::uint32_t;

// A splicer is one strand's part of a splice. It knows what it has run, and what had been run before it was forked. What others
// run meanwhile, it sees when it is merged with them (000, section 6, "Tracking global dependences").
class splice_run {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  explicit splice_run(const splice_graph& of);
  const splice_graph& graph() const noexcept { return graph_; }

  // Whether the step may run. Otherwise it is delayed, as a part of the call `of`, which is made if it is none.
  bool visit(std::uint32_t step, splicer_number by, std::uint32_t& of);
  // The call has been walked. Returns whether some of its steps are left.
  bool close(std::uint32_t call);
  // Whether the steps [first, last) may all run, one after the other. Otherwise they wait as a whole.
  bool visit_whole(std::uint32_t first, std::uint32_t last, splicer_number by);

  // A step that waits no longer; none if there is none.
  std::uint32_t take_ready(splicer_number by) noexcept;
  // Looks again for calls that wait as a whole. Returns whether some wait no longer.
  bool release_wholes(splicer_number by);
  void done(std::uint32_t step, splicer_number by);

  // For what begins elsewhere, which knows of what has been run up to now.
  std::uint32_t now() const noexcept { return clock_; }
  splicer_number fork(splicer_number from, std::uint32_t at);
  // What `other` has run, and what it has left, becomes `into`'s.
  void merge(splicer_number into, splicer_number other);

  std::uint32_t left() const noexcept { return size_ - clock_; }
  // Calls that are delayed now, after they have been walked.
  std::uint32_t delayed() const noexcept { return delayed_; }
  std::uint32_t most_delayed() const noexcept { return most_delayed_; }
  std::uint64_t delayed_in_all() const noexcept { return delayed_in_all_; }
  std::uint64_t checks() const noexcept { return checks_; }

 private:
  enum class step_state : std::uint8_t { ahead, delayed, held, ready, done };
  // Steps [first, last) of a call, some of which are delayed.
  struct delayed_call {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t left = 0;
    splicer_number owner = 0;
    bool is_closed = false;
    bool is_whole = false;
  };
  struct splicer {
    splicer_number parent = none;
    std::uint32_t forked_at = 0;
    splicer_number merged_into = none;
    std::vector<std::uint32_t> ready{};    // the next one last
    std::vector<std::uint32_t> waiting{};  // calls
    std::vector<std::uint32_t> wholes{};
  };

  splicer_number now_of(splicer_number s) noexcept;
  bool sees(splicer_number s, std::uint32_t step) noexcept;
  bool is_free(std::uint32_t step, splicer_number by) noexcept;
  std::uint32_t make_call(std::uint32_t first, splicer_number by);
  void note_delayed() noexcept;
  void free_call(std::uint32_t call) { free_calls_.push_back(call); }

  const splice_graph& graph_;
  const std::uint32_t size_;
  std::vector<std::uint32_t> waits_;  // of each step, for how many
  std::vector<std::uint32_t> whose_;  // of a step that is delayed, the call; of one that is done, the splicer
  std::vector<std::uint32_t> when_;   // it was done
  std::vector<step_state> state_;
  std::vector<splicer> splicers_;
  std::vector<delayed_call> calls_;
  std::vector<std::uint32_t> free_calls_;
  std::uint32_t alive_ = 1;  // splicers
  std::uint32_t clock_ = 0;  // steps that are done
  std::uint32_t delayed_ = 0;
  std::uint32_t most_delayed_ = 0;
  std::uint64_t delayed_in_all_ = 0;
  std::uint64_t checks_ = 0;
};

}  // namespace sennit::sim
