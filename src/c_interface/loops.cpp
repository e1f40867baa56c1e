// SPDX-License-Identifier: Apache-2.0
// Loops and reductions of C programs.
#include "c_interface/status.hpp"

#include <sennit/detail/code_of.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/for_positions.hpp>
#include <sennit/detail/loop/run.hpp>
#include <sennit/parallel_reduce.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#if SENNIT_CHECKED
#include <source_location>

// The line of a program in C is not known.
#define SENNIT_SITE_OF_C(function) const construct_site site(function, std::source_location::current(), {})
#else
#define SENNIT_SITE_OF_C(function) static_cast<void>(0)
#endif

namespace sennit::detail {

namespace {

std::int64_t index_at(std::int64_t first, position at) noexcept {
  return static_cast<std::int64_t>(static_cast<position>(first) + at);
}

struct body_of_loop {
  static constexpr bool whole_chunks = true;
  sennit_loop_body body;
  void* context;
  std::int64_t first;

  template <class Gate>
  position operator()(position from, position to, Gate) const {
    body(context, index_at(first, from), index_at(first, to));
    rethrow_failure_of_body();
    return to;
  }
  std::uintptr_t code() const noexcept { return code_of(body); }
};

// A value of a reduction: the caller's result, or one that is made and ended here.
class reduced {
 public:
  reduced(const sennit_reduction& what, void* context, void* result) noexcept
      : what_(&what), context_(context), value_(result) {}
  reduced(const sennit_reduction& what, void* context)
      : reduced(what, context, ::operator new(what.size, alignment)) {
    own_ = true;
    if (what_->make != nullptr) {
      what_->make(context_, value_);
      rethrow_failure_of_body();
    } else {
      std::memcpy(value_, what_->identity, what_->size);
    }
    made_ = true;
  }
  reduced(reduced&& other) noexcept
      : what_(other.what_),
        context_(other.context_),
        value_(other.value_),
        own_(std::exchange(other.own_, false)),
        made_(std::exchange(other.made_, false)) {}
  reduced& operator=(reduced&&) = delete;
  ~reduced() {
    if (made_ && what_->end != nullptr) what_->end(context_, value_);
    if (own_) ::operator delete(value_, alignment);
  }

  void* value() const noexcept { return value_; }
  void append(const reduced& right) {
    what_->combine(context_, value_, right.value_);
    rethrow_failure_of_body();
  }

 private:
  static constexpr auto alignment = std::align_val_t{64};

  const sennit_reduction* what_;
  void* context_;
  void* value_;
  bool own_ = false;   // the memory
  bool made_ = false;  // the value in it
};

struct body_of_reduction {
  using value = reduced;
  static constexpr bool whole_chunks = true;
  const sennit_reduction& what;
  void* context;
  std::int64_t first;

  value make() const { return {what, context}; }
  template <class Gate>
  position run(value& sum, position from, position to, Gate) const {
    what.add(context, sum.value(), index_at(first, from), index_at(first, to));
    rethrow_failure_of_body();
    return to;
  }
  void run_one(value& sum, position at) const { run(sum, at, at + 1, no_gate()); }
  void merge(value& left, value&& right) const { left.append(right); }
  // For a fixed tree.
  value fold(position from, position to) const {
    value sum = make();
    run(sum, from, to, no_gate());
    return sum;
  }
  value combined(value&& left, value&& right) const {
    left.append(right);
    return std::move(left);
  }
  std::uintptr_t code() const noexcept { return code_of(what.add); }
};

// NULL: there is nothing to say against it.
const char* complaint_about(const sennit_loop_options* how, bool reduces) noexcept {
  if (how == nullptr) return nullptr;
  if (how->grain < 0)
    return "how->grain is below zero; give the iterations of a chunk, or 0: by measured time";
  if (how->deterministic == 0) return nullptr;
  if (!reduces) return "how->deterministic is for reductions; set it to 0";
  if (how->grain != 0 || how->static_partition != 0)
    return "how->deterministic chooses the chunks itself; set how->grain and how->static_partition to 0";
  return nullptr;
}

loop_options options_of(const sennit_loop_options* how) noexcept {
  if (how == nullptr) return {};
  return {.grain = static_cast<position>(how->grain), .fixed_parts = how->static_partition != 0};
}

// One type of body has the code of all programs' loops: what is remembered by the type says nothing of a loop.
template <class Body>
typename Body::value run_loop_of_any_body(typename Body::value sum, position n, Body body,
                                          const loop_options& how) {
  return run_shared<Body>(std::move(sum), 0, n, body, how);
}

void reduce(const body_of_reduction& body, position n, void* result, const sennit_loop_options* how) {
  reduced first(body.what, body.context, result);
  if (how != nullptr && how->deterministic != 0) {
    first.append(reduction_tree<in_parallel, reduced, body_of_reduction>(body, n).fold(0, n));
    return;
  }
  const reduced sum =
      run_loop_of_any_body(reduced(body.what, body.context, result), n, body, options_of(how));
  // A region that is observed begins with a value of its own.
  if (sum.value() != result) first.append(sum);
}

}  // namespace
}  // namespace sennit::detail

using namespace sennit::detail;

extern "C" {

sennit_status sennit_for(int64_t first, int64_t last, sennit_loop_body body, void* context,
                         const sennit_loop_options* how) {
  if (body == nullptr) return refuse_argument("sennit_for", "body is NULL; give the function of a chunk");
  if (const char* complaint = complaint_about(how, false)) return refuse_argument("sennit_for", complaint);
  if (last <= first) return SENNIT_OK;
  return status_of([=] {
    SENNIT_SITE_OF_C("sennit_for");
    run_loop_of_any_body<plain_body<body_of_loop>>({}, count(first, last), {{body, context, first}},
                                                   options_of(how));
    return SENNIT_OK;
  });
}

sennit_status sennit_reduce(int64_t first, int64_t last, const sennit_reduction* what, void* context,
                            void* result, const sennit_loop_options* how) {
  constexpr const char* here = "sennit_reduce";
  if (what == nullptr) return refuse_argument(here, "what is NULL; say how values are made and combined");
  if (what->size == 0) return refuse_argument(here, "what->size is 0; give the bytes of a value");
  if (what->add == nullptr || what->combine == nullptr)
    return refuse_argument(here, "what->add or what->combine is NULL; give both functions");
  if (what->make == nullptr && what->identity == nullptr)
    return refuse_argument(here, "what->make and what->identity are NULL; give a function or a value");
  if (result == nullptr)
    return refuse_argument(here, "result is NULL; give the value that iterations are added to");
  if (const char* complaint = complaint_about(how, true)) return refuse_argument(here, complaint);
  if (last <= first) return SENNIT_OK;
  return status_of([=] {
    SENNIT_SITE_OF_C("sennit_reduce");
    reduce({*what, context, first}, count(first, last), result, how);
    return SENNIT_OK;
  });
}
}
