// SPDX-License-Identifier: Apache-2.0
#include "common/openmp.hpp"

#include "graph-nodes/shapes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

// One thread makes a task for each node, which depends on the marks of its predecessors. A node that has more than three is
// the sink, before which it waits for all.
class depend {
 public:
  explicit depend(bench::program& program) : program_(program) { program.describe(bench::openmp_version()); }

  template <class Shape>
  void prepare(Shape&) {}
  template <class Shape>
  void run(Shape& shape) {
    bench::openmp_team(program_, [&] {
      shape.each([&](const auto& k) { task(shape, k); });
      return 0;
    });
  }

 private:
  template <class Shape, class Key>
  static void task(Shape& shape, const Key& k) {
    const graph_nodes::number n = shape.number_of(k);
    std::uint8_t* const own = shape.mark(n);
    std::array<std::uint8_t*, 3> p{};
    std::size_t count = 0;
    const auto found = shape.predecessors(k);
    if (found.size() <= p.size())
      for (const auto& before : found) p[count++] = shape.mark(shape.number_of(before));
    const auto [a, b, c] = p;
    if (found.size() > p.size()) {
#pragma omp taskwait
      shape.compute(n);
    } else if (count == 0) {
#pragma omp task default(none) firstprivate(n) shared(shape) depend(out : own[0])
      shape.compute(n);
    } else if (count == 1) {
#pragma omp task default(none) firstprivate(n) shared(shape) depend(in : a[0]) depend(out : own[0])
      shape.compute(n);
    } else if (count == 2) {
#pragma omp task default(none) firstprivate(n) shared(shape) depend(in : a[0], b[0]) depend(out : own[0])
      shape.compute(n);
    } else {
#pragma omp task default(none) firstprivate(n) shared(shape) depend(in : a[0], b[0], c[0])                   \
    depend(out : own[0])
      shape.compute(n);
    }
  }

  const bench::program& program_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return graph_nodes::run_with(program, depend(program));
}
