// SPDX-License-Identifier: Apache-2.0
#include "tools/output.hpp"
#include "tools/rollforward/compile.hpp"
#include "tools/rollforward/response_file.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace {

using rollforward::compilation;
using rollforward::plan_compilation;
using testing::Contains;
using testing::ElementsAre;

using words = std::vector<std::string>;

// Catches a command as CMake gives it that would write its dependencies, or its object, elsewhere.
TEST(rollforward_compile, a_command_of_cmake) {
  compilation plan;
  ASSERT_TRUE(
      plan_compilation({"ccache", "/usr/bin/g++", "-DX=1", "-I", "a.cpp", "-O2", "-g", "-march=native", "-MD",
                        "-MT", "d/a.o", "-MF", "d/a.o.d", "-o", "d/a.o", "-c", "/s/a.cpp"},
                       plan));
  EXPECT_THAT(plan.to_assembly, ElementsAre("ccache", "/usr/bin/g++", "-DX=1", "-I", "a.cpp", "-O2", "-g",
                                            "-march=native", "-MD", "-MT", "d/a.o", "-MF", "d/a.o.d", "-S",
                                            "/s/a.cpp", "-o", "d/a.o.compiled.s"));
  EXPECT_THAT(plan.to_object, ElementsAre("/usr/bin/g++", "-march=native", "-x", "assembler", "-c",
                                          "d/a.o.rolled.s", "-o", "d/a.o"));
}

// Catches dependencies that are named after the assembly.
TEST(rollforward_compile, dependencies_without_names) {
  compilation plan;
  ASSERT_TRUE(plan_compilation({"g++", "-MMD", "-c", "a.cpp", "-o", "d/a.o"}, plan));
  EXPECT_THAT(plan.to_assembly, ElementsAre("g++", "-MMD", "-S", "a.cpp", "-MF", "d/a.d", "-MT", "d/a.o",
                                            "-o", "d/a.o.compiled.s"));
}

TEST(rollforward_compile, an_object_without_a_name) {
  compilation plan;
  ASSERT_TRUE(plan_compilation({"clang++-19", "-c", "s/a.cpp", "--target=x86_64-linux-gnu"}, plan));
  EXPECT_EQ(plan.object, "a.o");
  EXPECT_THAT(plan.to_object, Contains("--target=x86_64-linux-gnu"));
  EXPECT_THAT(plan.to_object, Contains("-Wa,--no-warn"));
}

// Catches a launcher that is in the way of what compiles nothing.
TEST(rollforward_compile, other_commands_are_left_alone) {
  compilation plan;
  for (const words& command :
       {words{"g++", "-E", "a.cpp"}, words{"g++", "-S", "a.cpp"}, words{"g++", "-M", "a.cpp"},
        words{"g++", "a.o", "-o", "a"}, words{"g++", "-c", "a.s"}, words{"g++", "-c", "a.S"},
        words{"g++", "--version"}, words{"g++", "-x", "c++-header", "-c", "a.hxx.cxx", "-o", "a.gch"},
        words{"g++", "-xc++-header", "-c", "a.hpp"},
        words{"clang++", "-Xclang", "-emit-pch", "-x", "c++", "-c", "a.hxx.cxx"}})
    EXPECT_FALSE(plan_compilation(command, plan)) << command.back();
}

TEST(rollforward_compile, what_leaves_no_assembly_is_refused) {
  compilation plan;
  EXPECT_THROW(plan_compilation({"g++", "-flto", "-c", "a.cpp"}, plan), std::runtime_error);
  EXPECT_THROW(plan_compilation({"clang++", "-flto=thin", "-c", "a.cpp"}, plan), std::runtime_error);
  EXPECT_THROW(plan_compilation({"g++", "-masm=intel", "-c", "a.cpp"}, plan), std::runtime_error);
  EXPECT_THROW(plan_compilation({}, plan), std::runtime_error);
}

// Catches a program in which no promotion point is ever taken, and nobody says so.
TEST(rollforward_compile, a_source_that_is_linked_at_once_is_refused) {
  compilation plan;
  EXPECT_THROW(plan_compilation({"g++", "-O2", "a.cpp", "-o", "a"}, plan), std::runtime_error);
}

// Catches a program without tables, and nobody says so.
TEST(rollforward_compile, a_response_file_is_read) {
  const std::string inner = testing::TempDir() + "inner.rsp";
  const std::string outer = testing::TempDir() + "outer.rsp";
  tools::write_file(inner, "-o 'a b.o'\n\t\"c\"d.cpp -DX=\\\"q\\\"");
  tools::write_file(outer, "-c @" + inner + " ''");
  EXPECT_THAT(rollforward::with_response_files({"g++", "@" + outer, "@no such file"}),
              ElementsAre("g++", "-c", "-o", "a b.o", "cd.cpp", "-DX=\"q\"", "", "@no such file"));
  tools::write_file(inner, "@" + outer);
  EXPECT_THROW(rollforward::with_response_files({"g++", "@" + outer}), std::runtime_error);
}

TEST(rollforward_compile, a_source_from_standard_input) {
  compilation plan;
  ASSERT_TRUE(plan_compilation({"g++", "-x", "c++", "-c", "-", "-o", "a.o"}, plan));
  EXPECT_THAT(plan.to_assembly, ElementsAre("g++", "-x", "c++", "-S", "-", "-o", "a.o.compiled.s"));
  EXPECT_THROW(plan_compilation({"g++", "-x", "c++", "-c", "-"}, plan), std::runtime_error);
}

TEST(rollforward_compile, what_cannot_be_rolled_forward_is_refused) {
  compilation plan;
  EXPECT_THROW(plan_compilation({"clang++", "-fbasic-block-sections=all", "-c", "a.cpp"}, plan),
               std::runtime_error);
  EXPECT_TRUE(plan_compilation({"clang++", "-fbasic-block-sections=none", "-c", "a.cpp"}, plan));
  EXPECT_THROW(plan_compilation({"g++", "-mcmodel=large", "-c", "a.cpp"}, plan), std::runtime_error);
}

// Catches flags of a distribution that a target cannot take back.
TEST(rollforward_compile, link_time_optimization_can_be_taken_back) {
  compilation plan;
  EXPECT_TRUE(plan_compilation({"g++", "-flto=auto", "-O2", "-fno-lto", "-c", "a.cpp"}, plan));
  EXPECT_THROW(plan_compilation({"g++", "-fno-lto", "-flto=auto", "-c", "a.cpp"}, plan), std::runtime_error);
  EXPECT_THROW(plan_compilation({"clang++", "-emit-llvm", "-fno-lto", "-c", "a.cpp"}, plan),
               std::runtime_error);
}

// Catches a failure that the build does not see.
TEST(rollforward_compile, the_status_is_the_compilers) {
  EXPECT_EQ(rollforward::compile({"false", "-c", "a.cpp"}), 1);
  EXPECT_EQ(rollforward::compile({"true", "a.o"}), 0);
  EXPECT_EQ(rollforward::compile({"./no such compiler", "-c", "a.cpp"}), 127);
}

}  // namespace
