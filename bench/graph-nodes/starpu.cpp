// SPDX-License-Identifier: Apache-2.0
#include "graph-nodes/shapes.hpp"

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

// A task for each node, with its predecessors declared; tasks are made, submitted and destroyed within the time taken. The
// calling thread submits and then waits; it is none of the workers.
class tasks {
 public:
  explicit tasks(bench::program& program) {
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
  }
  ~tasks() { starpu_shutdown(); }
  tasks(const tasks&) = delete;
  tasks& operator=(const tasks&) = delete;

  template <class Shape>
  void prepare(Shape&) {}
  template <class Shape>
  void run(Shape& shape) {
    starpu_codelet codelet;
    starpu_codelet_init(&codelet);
    codelet.cpu_funcs[0] = [](void**, void* given) {
      const auto* of = static_cast<const node<Shape>*>(given);
      of->shape->compute(of->number);
    };
    std::vector<starpu_task*> made(shape.numbers(), nullptr);
    std::vector<node<Shape>> nodes(shape.numbers());
    std::vector<starpu_task*> before;
    shape.each([&](const auto& k) {
      const graph_nodes::number n = shape.number_of(k);
      nodes[n] = {&shape, n};
      starpu_task* task = made[n] = starpu_task_create();
      task->cl = &codelet;
      task->cl_arg = &nodes[n];
      task->destroy = 0;
      before.clear();
      for (const auto& p : shape.predecessors(k)) before.push_back(made[shape.number_of(p)]);
      if (!before.empty())
        starpu_task_declare_deps_array(task, static_cast<unsigned>(before.size()), before.data());
      if (starpu_task_submit(task) != 0) {
        std::fputs("StarPU does not take a task\n", stderr);
        std::exit(1);
      }
    });
    starpu_task_wait_for_all();
    for (starpu_task* task : made)
      if (task != nullptr) starpu_task_destroy(task);
  }

 private:
  template <class Shape>
  struct node {
    Shape* shape;
    graph_nodes::number number;
  };
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return graph_nodes::run_with(program, tasks(program));
}
