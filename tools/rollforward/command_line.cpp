#include "tools/rollforward/command_line.hpp"

#include "tools/rollforward/compile.hpp"
#include "tools/rollforward/fault.hpp"
#include "tools/rollforward/files.hpp"
#include "tools/rollforward/rewrite.hpp"

#include <sennit/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace rollforward {
namespace {

constexpr int usage_status = 2;

int rewrite_file(const std::string& in, const std::string& out, bool list) {
  const std::string source = read_file(in);
  rewritten result;
  try {
    result = rewrite(source);
  } catch (const fault& f) {
    throw located(in, f);
  }
  if (list) {
    for (const marked_function& f : result.functions)
      fmt::print("{}: {} promotion points, {} instructions copied\n", f.name, f.markers, f.instructions);
  }
  if (!out.empty()) {
    write_file(out, result.text);
  } else if (!list) {
    std::fwrite(result.text.data(), 1, result.text.size(), stdout);
  }
  return 0;
}

int with_options(int argc, char** argv) {
  CLI::App app{"Gives each function with promotion points a second copy, in which they are jumps, and a "
               "table of address "
               "pairs: what SENNIT_PROMOTION_POINT needs to cost nothing.\n"
               "As a compiler launcher: rollforward --compile COMPILER ARGUMENT...",
               "rollforward"};
  app.set_version_flag("--version", fmt::format("rollforward {}.{}.{}", SENNIT_VERSION_MAJOR,
                                                SENNIT_VERSION_MINOR, SENNIT_VERSION_PATCH));
  std::string in;
  std::string out;
  bool list = false;
  app.add_option("assembly", in, "x86-64 assembly, as g++ -S or clang++ -S writes it")->required();
  app.add_option("-o,--output", out, "file to write; standard output if neither it nor --list is given");
  app.add_flag("--list", list, "say which functions have promotion points, and what was copied");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : usage_status;
  }
  return rewrite_file(in, out, list);
}

}  // namespace

int command_line(int argc, char** argv) {
  try {
    // All that follows is the compiler's: CLI11 is not to look at it.
    if (argc > 1 && std::string_view(argv[1]) == "--compile")
      return compile(std::vector<std::string>(argv + 2, argv + argc));
    return with_options(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "rollforward: {}\n", e.what());
    return 1;
  }
}

}  // namespace rollforward
