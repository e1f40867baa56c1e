// SPDX-License-Identifier: Apache-2.0
#include "task-flow/kernel.hpp"

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

using task_flow::tile;
using task_flow::tiles;

// A handle for each tile, made before the time is taken; StarPU finds the dependences from how the tasks use the handles. The
// calling thread submits and then waits; it is none of the workers.
class handles {
 public:
  explicit handles(bench::program& program) {
    // It keeps a folder of its own, else in the user's home.
    setenv("STARPU_HOME", std::filesystem::read_symlink("/proc/self/exe").parent_path().c_str(), 0);
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = static_cast<int>(program.workers());
    conf.ncuda = 0;
    conf.nopencl = 0;
    if (starpu_init(&conf) != 0) {
      std::fputs("StarPU does not start\n", stderr);
      std::exit(1);
    }
    int major = 0;
    int minor = 0;
    int release = 0;
    starpu_get_version(&major, &minor, &release);
    program.describe("StarPU " + std::to_string(major) + "." + std::to_string(minor) + "." +
                     std::to_string(release));
    prepare(factorize_, 1, [](void** a, void*) { tiles::factorize(in(a[0])); });
    prepare(solve_, 2, [](void** a, void*) { tiles::solve(in(a[0]), in(a[1])); });
    prepare(update_, 2, [](void** a, void*) { tiles::update(in(a[0]), in(a[1])); });
    prepare(update_both_, 3, [](void** a, void*) { tiles::update(in(a[0]), in(a[1]), in(a[2])); });
  }
  ~handles() {
    drop();
    starpu_shutdown();
  }
  handles(const handles&) = delete;
  handles& operator=(const handles&) = delete;

  void prepare(tiles& all) {
    drop();
    first_ = all.at(0, 0);
    handles_.resize(all.side() * all.side());
    for (std::size_t i = 0; i < handles_.size(); ++i)
      starpu_variable_data_register(&handles_[i], STARPU_MAIN_RAM,
                                    reinterpret_cast<std::uintptr_t>(first_ + i), sizeof(tile));
  }
  void run(tiles& all) {
    all.each(submission{*this});
    starpu_task_wait_for_all();
  }
  // So that the program may read the tiles.
  void finish() { drop(); }

 private:
  struct submission {
    handles& to;
    void operator()(tile* a) const { check(starpu_task_insert(&to.factorize_, STARPU_RW, to.of(a), 0)); }
    void solve(const tile* factor, tile* a) const {
      check(starpu_task_insert(&to.solve_, STARPU_R, to.of(factor), STARPU_RW, to.of(a), 0));
    }
    void update(const tile* left, tile* a) const {
      check(starpu_task_insert(&to.update_, STARPU_R, to.of(left), STARPU_RW, to.of(a), 0));
    }
    void operator()(const tile* left, const tile* right, tile* a) const {
      check(starpu_task_insert(&to.update_both_, STARPU_R, to.of(left), STARPU_R, to.of(right), STARPU_RW,
                               to.of(a), 0));
    }
  };

  static tile* in(void* buffer) { return reinterpret_cast<tile*>(STARPU_VARIABLE_GET_PTR(buffer)); }
  static void prepare(starpu_codelet& codelet, int buffers, void (*call)(void**, void*)) {
    starpu_codelet_init(&codelet);
    codelet.cpu_funcs[0] = call;
    codelet.nbuffers = buffers;
    for (int i = 0; i < buffers; ++i) codelet.modes[i] = i + 1 == buffers ? STARPU_RW : STARPU_R;
  }
  static void check(int result) {
    if (result == 0) return;
    std::fputs("StarPU does not take a task\n", stderr);
    std::exit(1);
  }
  starpu_data_handle_t of(const tile* t) const { return handles_[static_cast<std::size_t>(t - first_)]; }
  void drop() {
    for (starpu_data_handle_t h : handles_) starpu_data_unregister(h);
    handles_.clear();
  }

  starpu_codelet factorize_;
  starpu_codelet solve_;
  starpu_codelet update_;
  starpu_codelet update_both_;
  const tile* first_ = nullptr;
  std::vector<starpu_data_handle_t> handles_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return task_flow::run_with(program, handles(program));
}
