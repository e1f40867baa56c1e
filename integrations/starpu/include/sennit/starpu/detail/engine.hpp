// SPDX-License-Identifier: Apache-2.0
// StarPU in this process, and its communicator.
#pragma once

#include <sennit/mpi/error.hpp>

#include <mpi.h>
#include <starpu.h>
#include <starpu_mpi.h>

#include <cstdint>
#include <mutex>
#include <source_location>
#include <stdexcept>
#include <string>

namespace sennit::starpu::detail {

class engine {
 public:
  engine() {
    if (current_ != nullptr) throw std::runtime_error("sennit::starpu: there is a session already");
    int level = MPI_THREAD_SINGLE;
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized != 0) MPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE) {
      throw mpi::error("sennit::starpu: StarPU's thread calls MPI beside Sennit's; initialize MPI for "
                       "MPI_THREAD_MULTIPLE, or make "
                       "a sennit::mpi::session first",
                       MPI_ERR_OTHER);
    }
    const auto here = std::source_location::current();
    // StarPU receives whatever comes with its tags.
    mpi::detail::check(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "a communicator for StarPU", here);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &ranks_);
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = 1;
    if (const int code = starpu_init(&conf); code != 0) {
      MPI_Comm_free(&comm_);
      throw std::runtime_error("sennit::starpu: starpu_init: error " + std::to_string(code));
    }
    if (const int code = starpu_mpi_init_comm(nullptr, nullptr, 0, comm_); code != 0) {
      starpu_shutdown();
      MPI_Comm_free(&comm_);
      throw std::runtime_error("sennit::starpu: starpu_mpi_init_comm: error " + std::to_string(code));
    }
    starpu_pause();
    current_ = this;
  }
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  ~engine() {
    current_ = nullptr;
    starpu_resume();
    starpu_mpi_shutdown();
    starpu_shutdown();
    MPI_Comm_free(&comm_);
  }

  static engine& current() {
    if (current_ == nullptr)
      throw std::runtime_error("sennit::starpu: StarPU is not in use; make a sennit::starpu::session first");
    return *current_;
  }

  MPI_Comm comm() const noexcept { return comm_; }

  // A number that no other run of a graph has, whichever ranks take part, if one of them asks for it.
  std::int64_t next_run() {
    const std::lock_guard guard(counting_);
    return runs_++ * ranks_ + rank_;
  }

 private:
  static inline engine* current_ = nullptr;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
  std::mutex counting_;
  std::int64_t runs_ = 0;
};

}  // namespace sennit::starpu::detail
