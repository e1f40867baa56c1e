// SPDX-License-Identifier: Apache-2.0
// What a report reads of a program that goes on meanwhile.
#include "diagnosis/inspection.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using sennit::detail::name_of_place;
using sennit::detail::peek;

// Catches a report that ends the program where a strand has given back its memory, and one that takes a part for the whole.
TEST(inspection, reads_memory_that_may_be_gone) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const pages =
      static_cast<char*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  auto* const last = reinterpret_cast<int*>(pages + page - sizeof(int));
  *last = 42;
  ASSERT_EQ(munmap(pages + page, page), 0);
  int found = 0;
  EXPECT_TRUE(peek(found, last));
  EXPECT_EQ(found, 42);
  EXPECT_FALSE(peek(found, last + 1));
  char both[2 * sizeof(int)];
  EXPECT_FALSE(peek(both, last, sizeof both));
  ASSERT_EQ(munmap(pages, page), 0);
  EXPECT_FALSE(peek(found, last));
}

// Catches a place without the file that addr2line is to be given, and a crash at an address that is in none.
TEST(inspection, names_places) {
  const std::string name = name_of_place(dlsym(RTLD_DEFAULT, "getpid"));
  EXPECT_NE(name.find("getpid"), std::string::npos) << name;
  EXPECT_NE(name.find("+0x"), std::string::npos) << name;
  EXPECT_EQ(name_of_place(reinterpret_cast<const void*>(std::uintptr_t{16})), "(0x10)");
}

}  // namespace
