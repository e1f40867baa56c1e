// SPDX-License-Identifier: Apache-2.0
// The names of promotion points in a report.
#include "beat/point_name.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

std::string name(const char* symbol, unsigned line = 7) {
  const sennit::detail::point_name found = sennit::detail::name_of_point(symbol, line);
  return found.function + (found.line != 0 ? ":" + std::to_string(found.line) : "");
}

// Catches a name that a reader does not know from the source, and instances or copies of one function that are told apart.
TEST(unit_beat_point_name, is_that_of_the_source) {
  EXPECT_EQ(name("_Z3fibl"), "fib(long):7");
  EXPECT_EQ(name("_Z3fibl.constprop.0"), "fib(long):7");
  EXPECT_EQ(name("_ZN12_GLOBAL__N_13fibEl"), "fib(long):7");
  EXPECT_EQ(name("_Z3sumIiET_S0_"), "sum(int):7");
  EXPECT_EQ(name("_Z3addPKiS0_RSt6atomicIlE"), "add(int const*, int const*, std::atomic&):7");
  EXPECT_EQ(name("_ZNK5arrayIiEixEm"), "array::operator[](unsigned long) const:7");
  EXPECT_EQ(name("_ZNK4namelsERKS_"), "name::operator<<(name const&) const:7");
  EXPECT_EQ(name("_ZN3boxIiEcvT_IlEEv"), name("_ZN3boxIiEcvT_IlEEv"));  // whatever it is
  EXPECT_EQ(name("main"), "main:7");
  EXPECT_EQ(name("not mangled"), "not mangled:7");
}

// Catches a lambda by a number that nobody has given it.
TEST(unit_beat_point_name, of_a_lambda_is_its_function) {
  EXPECT_EQ(name("_ZZ6calledlENKUliE_clEi"), "a lambda in called(long):7");
  EXPECT_EQ(name("_ZZ6calledlENK3$_0clEi"), "a lambda in called(long):7");
}

// Catches the inside of the library, and lines of it.
TEST(unit_beat_point_name, of_a_latent_loop_is_the_construct) {
  EXPECT_EQ(name("_ZN6sennit6detail10run_latentINS0_19whole_latent_chunksINS0_12index_"
                 "chunksIlZ5scalelPdEUllE_EEEEEEv"
                 "PNS_6latentEmmRKT_"),
            "latent_for in scale(long, double*)");
  EXPECT_EQ(name("_ZN6sennit6detail13reduce_latentIiiEEvT_T0_"), "latent_reduce");
}

}  // namespace
