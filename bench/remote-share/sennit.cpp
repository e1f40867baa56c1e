// heat on a virtual machine with a NUMA node for each worker, of which there may be more than CPUs: nothing is timed that means
// anything, remote accesses are counted. The size is how many blocks there are.
#include "common/program.hpp"
#include "gallery/remote.hpp"

#include <sennit/runtime.hpp>
#include <sennit/version.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

class kernel {
 public:
  explicit kernel(bench::program& program)
      : nodes_(program.workers()),
        refined_(program.is("refine")),
        runtime_({.workers = nodes_, .topology = "synthetic:numa:" + std::to_string(nodes_) + " core:1 pu:1"}) {
    program.describe(std::string("Sennit ") + sennit::version());
  }

  void prepare(std::uint64_t blocks) { blocks_ = blocks; }
  void run() {
    runtime_.run([this] { shares_ = gallery::remote_shares_of_heat(1024, blocks_, 2, 20, nodes_); });
  }
  std::uint64_t check() const { return blocks_; }
  std::vector<std::pair<const char*, double>> figures() const {
    return {{"remote_share", refined_ ? shares_.refined : shares_.plain}};
  }

 private:
  unsigned nodes_;
  bool refined_;
  sennit::runtime runtime_;
  std::uint64_t blocks_ = 0;
  gallery::remote_shares shares_{};
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return program.run(kernel(program));
}
