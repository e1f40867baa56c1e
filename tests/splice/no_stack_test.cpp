// SPDX-License-Identifier: Apache-2.0
// Splices of functions in a process that has used up its memory mappings, of which each stack needs two.
#include "wide_programs.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <string>

namespace sennit_test {
namespace {

// Takes all mappings that the system allows: each second page of a range is another mapping.
class no_mappings {
 public:
  no_mappings() {
    pages_ = static_cast<char*>(
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (pages_ == MAP_FAILED) return;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    for (std::size_t at = 0; at < bytes; at += 2 * page) {
      if (mprotect(pages_ + at, page, PROT_READ) == 0) continue;
      used_up_ = true;
      break;
    }
  }
  no_mappings(const no_mappings&) = delete;
  no_mappings& operator=(const no_mappings&) = delete;
  ~no_mappings() { munmap(pages_, bytes); }
  bool used_up() const { return used_up_; }

 private:
  static constexpr std::size_t bytes = std::size_t{1} << 30;
  char* pages_ = nullptr;
  bool used_up_ = false;
};

// Catches an exception that does not say what is lacking.
TEST(no_stack, is_said_with_the_cause) {
  runtime_of(1).run([] {});
  const no_mappings all;
  if (!all.used_up()) GTEST_SKIP() << "the system allows more mappings than this test makes";
  std::string said;
  try {
    sweep_in_a_list(100, {}, 1);
  } catch (const std::bad_alloc& e) {
    said = e.what();
  }
  EXPECT_NE(said.find("vm.max_map_count"), std::string::npos) << said;
}
// Catches a list of calls that ends in std::bad_alloc where its rest could run without stacks.
TEST(no_stack, for_some_calls_leaves_them_unspliced) {
  // The stacks that a small splice leaves are enough to begin another one, and for no list of calls.
  EXPECT_EQ(sweep_in_a_list(1, {}, 1).wrong, "");
  const no_mappings all;
  if (!all.used_up()) GTEST_SKIP() << "the system allows more mappings than this test makes";
  const outcome o = sweep_in_a_list(100, {}, 1);
  EXPECT_EQ(o.wrong, "");
  EXPECT_GT(o.report.unspliced, 0U);
}

}  // namespace
}  // namespace sennit_test
