// SPDX-License-Identifier: Apache-2.0
// Values of nodes as data handles, moved by StarPU-MPI.
#pragma once

#include <sennit/event.hpp>
#include <sennit/mpi/collectives.hpp>
#include <sennit/mpi/detail/plain_messages.hpp>
#include <sennit/mpi/detail/value_messages.hpp>
#include <sennit/starpu/detail/engine.hpp>
#include <sennit/starpu/detail/value_handle.hpp>

#include <mpi.h>
#include <starpu.h>
#include <starpu_mpi.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <stdexcept>
#include <unordered_set>
#include <utility>
#include <vector>

namespace sennit::starpu::detail {

// The transport of a run (mpi/detail/plain_messages.hpp). A rank awaits the values of all nodes that it has asked for, and they
// cannot be taken back. So if the graph fails, a rank sends for each node that it has not computed that there is no value.
class handles {
  using reader = mpi::detail::reader;

  // The last byte says whether there is a value.
  struct parcel {
    parcel(handles& h, int n, std::size_t count) noexcept : of(h), number(n), left(count) {}
    handles& of;
    int number;
    std::size_t left;  // calls of StarPU
    byte_buffer bytes;
    starpu_data_handle_t handle = nullptr;
  };

 public:
  explicit handles(MPI_Comm comm) : engine_(engine::current()), news_(comm) {
    MPI_Comm_rank(comm, &rank_);
    std::int64_t run = rank_ == 0 ? engine_.next_run() : 0;
    mpi::bcast(std::span(&run, 1), 0, comm);
    first_tag_ = run << 31;
    std::vector<int> ours(mpi::detail::ranks_of(comm));
    std::iota(ours.begin(), ours.end(), 0);
    ranks_.resize(ours.size());
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Comm_group(comm, &group);
    MPI_Comm_group(engine_.comm(), &all);
    MPI_Group_translate_ranks(group, static_cast<int>(ours.size()), ours.data(), all, ranks_.data());
    MPI_Group_free(&group);
    MPI_Group_free(&all);
  }

  void expect(const std::vector<int>& sources, mpi::detail::value_receiver& receiver) {
    receiver_ = &receiver;
    news_.expect({rank_}, all_is_computed_);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const int number = static_cast<int>(i);
      parcel& p = make_parcel(number, 1);
      p.handle = register_value(p.bytes);
      const int code = starpu_mpi_irecv_detached(p.handle, world_rank(sources[i]), first_tag_ + number,
                                                 engine_.comm(), &has_come, &p);
      if (code != 0) fewer_left(p, 1);
      require(code);
    }
  }

  void send(std::span<const std::byte> bytes, const std::shared_ptr<const void>&,
            const std::vector<reader>& to) {
    if (bytes.size() >= INT_MAX)
      throw std::length_error(
          "sennit::starpu: the value of a node has 2 GiB or more, which StarPU-MPI does not send; "
          "make smaller nodes, or use sennit::mpi::run");
    send(bytes, to, true);
  }

  bool receive_all() { return news_.receive_all(); }
  void tell_failure() { news_.tell_failure(); }
  void computed() {
    {
      const std::lock_guard guard(counting_);
      if (broken_ != nullptr) std::rethrow_exception(broken_);
    }
    news_.send({}, nullptr, {{rank_, 0}});
    news_.computed();
  }

  std::exception_ptr settle(bool failed, const mpi::detail::all_readers& readers) {
    for (const std::vector<reader>* const r : readers) {
      if (failed && !sent_to_.contains(r)) send({}, *r, false);
    }
    one_fewer_under_way();
    done_.wait();
    return news_.settle(failed, readers);
  }

 private:
  static constexpr std::byte no_value{0};
  static constexpr std::byte a_value{1};

  // Receives nothing.
  struct no_values final : mpi::detail::value_receiver {
    std::byte* room(int, std::size_t) override { return nullptr; }
    void has_come(int) noexcept override {}
  };

  void send(std::span<const std::byte> bytes, const std::vector<reader>& to, bool there_is_one) {
    byte_buffer sent;
    sent.reserve(bytes.size() + 1);
    sent.assign(bytes.begin(), bytes.end());
    sent.push_back(there_is_one ? a_value : no_value);
    {
      const std::lock_guard guard(counting_);
      sent_to_.insert(&to);
    }
    parcel& p = make_parcel(0, to.size());
    p.bytes = std::move(sent);
    p.handle = register_value(p.bytes);
    for (std::size_t i = 0; i < to.size(); ++i) {
      const int code = starpu_mpi_isend_detached(p.handle, world_rank(to[i].rank), first_tag_ + to[i].number,
                                                 engine_.comm(), &was_sent, &p);
      if (code != 0) fewer_left(p, to.size() - i);
      require(code);
    }
  }

  parcel& make_parcel(int number, std::size_t calls) {
    const std::lock_guard guard(counting_);
    parcel& made = parcels_.emplace_back(*this, number, calls);
    ++under_way_;
    return made;
  }

  static void require(int code) {
    if (code != 0)
      throw std::runtime_error("sennit::starpu: StarPU-MPI takes no value: error " + std::to_string(code));
  }

  int world_rank(int r) const { return ranks_[static_cast<std::size_t>(r)]; }

  // On StarPU's thread, as is the next one.
  static void has_come(void* which) {
    parcel& p = *static_cast<parcel*>(which);
    starpu_data_unregister_submit(p.handle);
    const bool there_is_one = p.bytes.back() == a_value;
    p.bytes.pop_back();
    if (there_is_one) p.of.take(p);
    p.bytes = {};
    p.of.one_fewer_under_way();
  }

  void take(const parcel& p) noexcept {
    try {
      receive_copy(*receiver_, p.number, p.bytes);
    } catch (...) {
      {
        const std::lock_guard guard(counting_);
        if (broken_ == nullptr) broken_ = std::current_exception();
      }
      news_.tell_failure();
    }
  }

  static void was_sent(void* which) {
    parcel& p = *static_cast<parcel*>(which);
    p.of.fewer_left(p, 1);
  }

  // Of the calls of StarPU for a value that is sent, so many are over, or never began.
  void fewer_left(parcel& p, std::size_t calls) {
    {
      const std::lock_guard guard(counting_);
      p.left -= calls;
      if (p.left != 0) return;
    }
    starpu_data_unregister_submit(p.handle);
    p.bytes = {};
    one_fewer_under_way();
  }

  void one_fewer_under_way() {
    bool last = false;
    {
      const std::lock_guard guard(counting_);
      last = --under_way_ == 0;
    }
    if (last) done_.set();
  }

  engine& engine_;
  mpi::detail::plain_messages news_;  // of failures, and that all is computed
  int rank_ = 0;
  std::int64_t first_tag_ = 0;
  std::vector<int> ranks_;  // as StarPU has them
  mpi::detail::value_receiver* receiver_ = nullptr;
  no_values all_is_computed_;
  std::mutex counting_;        // of all below
  std::exception_ptr broken_;  // what went wrong on StarPU's thread
  std::deque<parcel> parcels_;
  std::unordered_set<const std::vector<reader>*> sent_to_;
  std::size_t under_way_ = 1;  // and settle()
  sennit::event done_;
};

}  // namespace sennit::starpu::detail
