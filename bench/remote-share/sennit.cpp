// heat on a virtual machine with a NUMA node for each worker, of which there may be more than CPUs: nothing is timed that means
// anything, remote accesses are counted. The size is how many blocks of two rows there are, --work how wide they are.
#include "common/sennit.hpp"

#include "gallery/remote.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

class kernel {
 public:
  explicit kernel(bench::program& program)
      : runtime_(program), nodes_(program.workers()), width_(program.work()) {
    if (program.is("blocks")) way_ = gallery::remote_way::blocks;
    if (program.is("refine")) way_ = gallery::remote_way::refine;
    if (program.is("coarse")) way_ = gallery::remote_way::coarse;
    const std::string machine = "synthetic:numa:" + std::to_string(nodes_) + " core:1 pu:1";
    setenv("SENNIT_TOPOLOGY", machine.c_str(), 1);
  }

  void prepare(std::uint64_t blocks) { blocks_ = blocks; }
  void run() { result_ = gallery::remote_share_of_heat(way_, width_, blocks_, 2, 10, nodes_); }
  std::uint64_t check() const { return result_.right ? blocks_ : 0; }
  std::vector<std::pair<const char*, double>> figures() const {
    return {{"remote_share", result_.share}, {"nodes_at_work", static_cast<double>(result_.nodes_at_work)}};
  }

 private:
  bench::sennit_default_runtime runtime_;
  unsigned nodes_;
  std::size_t width_;
  gallery::remote_way way_ = gallery::remote_way::plain;
  std::uint64_t blocks_ = 0;
  gallery::remote_result result_{};
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return program.run(kernel(program));
}
