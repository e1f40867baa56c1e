// SPDX-License-Identifier: Apache-2.0
#include "tools/splicec/command_line.hpp"

#include "tools/manual_and_completion.hpp"
#include "tools/output.hpp"
#include "tools/splicec/translate.hpp"

#include <sennit/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace splicec {
namespace {

constexpr int usage_status = 2;

std::string escaped(const std::string& path) {
  std::string result;
  for (const char c : path) {
    if (c == ' ' || c == '#') result += '\\';
    if (c == '$') result += '$';
    result += c;
  }
  return result;
}

struct options {
  std::string in{};
  std::string out = tools::standard_output;
  std::string depfile{};
  bool strict = false;
};

int run(const options& asked, const std::vector<std::string>& arguments) {
  const tools::outputs to({asked.out, asked.depfile}, {asked.in});
  const translation made = translate(asked.in, arguments);
  for (const message& m : made.messages) fmt::print(stderr, "{}\n", to_string(m));
  if (!made.good() || (asked.strict && !made.messages.empty())) return 1;
  to.must_not_be(made.files);  // headers
  tools::write_file(asked.out, made.text);
  if (!asked.depfile.empty()) {
    std::string rule = escaped(asked.out) + ":";
    for (const std::string& f : made.files) rule += " \\\n  " + escaped(f);
    tools::write_file(asked.depfile, rule + "\n");
  }
  return 0;
}

int parse(int argc, char** argv) {
  // What follows -- is clang's: CLI11 is not to look at it.
  char** const all = argv + argc;
  char** const dashes = std::find_if(argv, all, [](const char* a) { return std::string_view(a) == "--"; });
  std::vector<std::string> arguments;
  if (dashes != all) arguments.assign(dashes + 1, all);

  CLI::App app{
      "Translates a C or C++ program with '#pragma splice' to C++ that uses Sennit.\n"
      "What clang needs to read the program comes last: sennit splicec FILE -o OUT -- -I include -D NAME",
      "sennit splicec"};
  app.set_version_flag("--version", fmt::format("splicec {}.{}.{}", SENNIT_VERSION_MAJOR,
                                                SENNIT_VERSION_MINOR, SENNIT_VERSION_PATCH));
  tools::add_manual_and_completion(
      app, "sennit-splicec",
      {.summary = "translate C and C++ programs with '#pragma splice'",
       .exit_status = "0: all went well\n1: the program was not translated\n2: the arguments are wrong",
       .examples = "sennit splicec heat.c -o heat.cpp -- -I include -D NDEBUG",
       .also = "sennit(1)"});
  options asked;
  app.add_option("file", asked.in, "C or C++")->required()->type_name("FILE");
  CLI::Option* const output = app.add_option("-o,--output", asked.out,
                                             "file to write; - for standard output, which it is if not given")
                                  ->type_name("FILE");
  app.add_option("--depfile", asked.depfile, "write what was read, as a rule of make for the output")
      ->type_name("FILE")
      ->needs(output);
  app.add_flag("--strict", asked.strict, "take warnings for errors");
  try {
    app.parse(static_cast<int>(dashes - argv), argv);
  } catch (const CLI::ParseError& e) {
    if (app.exit(e) != 0) return usage_status;
    tools::check_printed();
    return 0;
  }
  const bool c = asked.in.ends_with(".c");
  const auto gives = [&](std::string_view option) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](const std::string& a) { return std::string_view(a).starts_with(option); });
  };
  if (!gives("-x") && !gives("-std")) arguments.emplace_back(c ? "-std=gnu17" : "-std=c++20");
  return run(asked, arguments);
}

}  // namespace

int command_line(int argc, char** argv) {
  try {
    return parse(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "sennit splicec: {}\n", e.what());
    return 1;
  }
}

}  // namespace splicec
