// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/command_line.hpp"

#include "tools/manual_and_completion.hpp"
#include "tools/output.hpp"
#include "tools/rollforward/compile.hpp"
#include "tools/rollforward/fault.hpp"
#include "tools/rollforward/files.hpp"
#include "tools/rollforward/rewrite.hpp"

#include <sennit/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rollforward {
namespace {

constexpr int usage_status = 2;

using sizes = std::map<std::string, function_size>;

// The result of `of` for the file. Adds the place to a fault.
template <class Of>
auto read(const std::string& file, Of&& of) {
  const std::string source = read_file(file);
  try {
    return of(source);
  } catch (const fault& f) {
    throw located(file, f);
  }
}

void print(std::FILE* to, const marked_function& f) {
  if (f.markers == 0) {
    fmt::print(to, "{}: leads to a promotion point, {} instructions copied\n", f.name, f.size.instructions);
    return;
  }
  fmt::print(to, "{}: {} promotion point{}, {} instructions copied\n", f.name, f.markers,
             f.markers == 1 ? "" : "s", f.size.instructions);
}

// The difference includes the statements themselves, most of them in the cold part.
void print_difference(std::FILE* to, const marked_function& f, const sizes& without) {
  const auto show = [to](const char* what, const function_size& size) {
    fmt::print(to, "  {:8} {:5} instructions, {:5} cold\n", what, size.instructions, size.cold);
  };
  show("with", f.size);
  if (const auto plain = without.find(f.name); plain != without.end()) {
    show("without", plain->second);
    fmt::print(to, "  {:8} {:+5} instructions, {:+5} cold\n", "more",
               static_cast<long>(f.size.instructions) - static_cast<long>(plain->second.instructions),
               static_cast<long>(f.size.cold) - static_cast<long>(plain->second.cold));
  } else {
    fmt::print(to, "  without: no function of its own\n");
  }
}

// Otherwise its output would be its input, and a reader of --list would think that no function has a promotion point.
void refuse_aarch64(std::string_view assembly) {
  // What x86-64 does not have, and each function of AArch64 that calls another one.
  for (const std::string_view instruction : {"\tstp\t", "\tbl\t", "\tldr\t"}) {
    if (assembly.find(instruction) != std::string_view::npos)
      throw fault(0,
                  "this is assembly of AArch64, where a promotion point is no jump, but asks whether a beat "
                  "has come: "
                  "compile the source without rollforward, and begin sennit::beats with the source `polled`");
  }
}

int rewrite_file(const std::string& in, std::string out, bool list, const std::string& without) {
  if (out.empty() && !list) out = tools::standard_output;
  const tools::outputs to({out}, {in, without});
  const rewritten result = read(in, [](std::string_view source) {
    refuse_aarch64(source);
    return rewrite(source);
  });
  const sizes plain = without.empty() ? sizes{} : read(without, function_sizes);
  if (list) {
    for (const marked_function& f : result.functions) {
      print(to.messages(), f);
      if (!without.empty()) print_difference(to.messages(), f, plain);
    }
  }
  if (!out.empty()) tools::write_file(out, result.text);
  tools::check_printed();
  return 0;
}

int with_options(int argc, char** argv) {
  CLI::App app{"Gives each function with promotion points a second copy, in which they are jumps, and a "
               "table of address pairs: what SENNIT_PROMOTION_POINT needs to cost nothing.\n"
               "As a compiler launcher: rollforward --compile COMPILER ARGUMENT...",
               "rollforward"};
  app.set_version_flag("--version", fmt::format("rollforward {}.{}.{}", SENNIT_VERSION_MAJOR,
                                                SENNIT_VERSION_MINOR, SENNIT_VERSION_PATCH));
  tools::add_manual_and_completion(
      app, "rollforward",
      {.summary = "make promotion points cost nothing, from assembly to assembly",
       .exit_status = "0: all went well\n1: the assembly was not rewritten\n2: the arguments are wrong",
       .examples = "rollforward sum.s -o sum.rolled.s --list\nrollforward --compile c++ -O2 -c sum.cpp",
       .also = "sennit(1), tpal(1)"});
  std::string in;
  std::string out;
  bool list = false;
  std::string without;
  app.add_option("assembly", in, "x86-64 assembly, as g++ -S or clang++ -S writes it")->required();
  app.add_option("-o,--output", out,
                 "file to write, - for standard output, which it is if neither it nor --list is given")
      ->type_name("FILE");
  CLI::Option* const listing =
      app.add_flag("--list", list, "say which functions have promotion points, and what was copied");
  app.add_option("--without", without,
                 "assembly of the same source, compiled with -DSENNIT_NO_PROMOTION_POINTS: say how many "
                 "instructions each function has more with them")
      ->type_name("FILE")
      ->needs(listing);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (app.exit(e) != 0) return usage_status;
    tools::check_printed();
    return 0;
  }
  return rewrite_file(in, out, list, without);
}

}  // namespace

int command_line(int argc, char** argv) {
  try {
    // All later arguments belong to the compiler, so CLI11 must not see them.
    if (argc > 1 && std::string_view(argv[1]) == "--compile")
      return compile(std::vector<std::string>(argv + 2, argv + argc));
    return with_options(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "rollforward: {}\n", e.what());
    return 1;
  }
}

}  // namespace rollforward
