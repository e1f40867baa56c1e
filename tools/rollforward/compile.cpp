// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/compile.hpp"

#include "tools/output.hpp"
#include "tools/rollforward/files.hpp"
#include "tools/rollforward/response_file.hpp"
#include "tools/rollforward/rewrite.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace rollforward {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Options whose argument is a separate word, which must not be taken for a source file.
bool takes_word(std::string_view option) {
  return is_one_of(option, {"-o",          "-x",
                            "-I",          "-D",
                            "-U",          "-L",
                            "-l",          "-include",
                            "-imacros",    "-isystem",
                            "-idirafter",  "-iquote",
                            "-iprefix",    "-isysroot",
                            "--sysroot",   "-MF",
                            "-MT",         "-MQ",
                            "-arch",       "-target",
                            "-Xclang",     "-Xpreprocessor",
                            "-Xassembler", "-Xlinker",
                            "-mllvm",      "--param",
                            "-aux-info",   "-B",
                            "-T",          "-u",
                            "-z",          "-A"});
}

// Options for the assembler, too. It does not need those for warnings, definitions and optimizations.
bool concerns_assembler(std::string_view option) {
  return option.starts_with("-Wa,") || option.starts_with("-m") || option.starts_with("-B") ||
         option.starts_with("--target=") || option.starts_with("--gcc-toolchain") ||
         option.starts_with("--sysroot=") ||
         is_one_of(option, {"-v", "-pipe", "-fno-integrated-as", "-fintegrated-as"});
}

constexpr std::string_view standard_input = "-";

bool is_compiler(const std::string& word) {
  const std::string name = std::filesystem::path(word).filename().string();
  for (const std::string_view known : {"g++", "gcc", "clang", "c++", "cc"}) {
    if (name.find(known) != std::string::npos && name.find("ccache") == std::string::npos) return true;
  }
  return false;
}

// The position of the compiler in the command: launchers such as ccache come before it.
std::size_t compiler_in(const std::vector<std::string>& command) {
  for (std::size_t i = 0; i < command.size() && !command[i].starts_with('-'); ++i) {
    if (is_compiler(command[i])) return i;
  }
  return 0;
}

int run(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  if (child == 0) {
    execvp(words[0], words.data());
    fmt::print(stderr, "rollforward: {}: {}\n", words[0], std::strerror(errno));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error(fmt::format("waitpid: {}", std::strerror(errno)));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Whether the compiler of this command writes code for x86-64, as far as it says.
bool is_for_x86_64(const std::vector<std::string>& to_object) {
  std::string ask;
  for (const std::string& word : to_object) {
    if (word == "-x") break;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    ask += quoted + "' ";
  }
  const std::unique_ptr<FILE, int (*)(FILE*)> answer(popen((ask + "-dumpmachine 2>/dev/null").c_str(), "r"),
                                                     &pclose);
  char machine[64] = "";
  if (!answer || std::fgets(machine, sizeof machine, answer.get()) == nullptr) return true;
  const std::string_view said = machine;
  return said.starts_with("x86_64") || said.starts_with("amd64") || said.starts_with("i686");
}

// A precompiled header has no code: GCC is given the language of headers, clang an option of its inner command.
bool is_of_header(const std::vector<std::string>& command) {
  for (std::size_t i = 0; i < command.size(); ++i) {
    const bool separate = i != 0 && command[i - 1] == "-x";
    if ((separate || command[i].starts_with("-x")) && command[i].ends_with("-header")) return true;
    if (command[i] == "-emit-pch") return true;
  }
  return false;
}

// Options with which the compiler writes code that cannot be rolled forward.
void refuse_option(const std::string& word) {
  if (word == "-masm=intel")
    throw std::runtime_error("-masm=intel: rollforward reads AT&T syntax; leave it out");
  if (word == "-mcmodel=large")
    throw std::runtime_error(
        "-mcmodel=large: rollforward's tables reach 2 GiB; leave it out for this target");
  constexpr std::string_view blocks = "-fbasic-block-sections=";
  if (word.starts_with(blocks) && !is_one_of(word.substr(blocks.size()), {"none", "labels"}))
    throw std::runtime_error(fmt::format(
        "{}: rollforward copies functions that are in one piece; leave it out for this target", word));
}

}  // namespace

bool plan_compilation(const std::vector<std::string>& command, compilation& plan) {
  if (command.empty()) throw std::runtime_error("--compile: give the compiler's command behind it");
  if (is_of_header(command)) return false;
  const std::size_t compiler = compiler_in(command);
  plan = {};
  plan.to_assembly.assign(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(compiler) + 1);
  plan.to_object.push_back(command[compiler]);
  bool compiles = false;
  bool depends = false;
  bool names_dependencies = false;
  bool names_target = false;
  std::string bitcode;  // the option that requests bitcode, unless a later option cancels it
  std::string& source = plan.source;
  for (std::size_t i = compiler + 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (is_one_of(word, {"-E", "-S", "-M", "-MM", "-fsyntax-only"})) return false;
    if (word == "-c") {
      compiles = true;
      plan.to_assembly.emplace_back("-S");
      continue;
    }
    if (word == "-o" && i + 1 < command.size()) {
      plan.object = command[++i];
      continue;
    }
    if (word.starts_with("-o") && word.size() > 2) {
      plan.object = word.substr(2);
      continue;
    }
    if (word.starts_with("-flto") || word == "-emit-llvm") bitcode = word;
    if (word == "-fno-lto" && bitcode.starts_with("-flto")) bitcode.clear();
    refuse_option(word);
    depends |= word == "-MD" || word == "-MMD";
    names_dependencies |= word.starts_with("-MF");
    names_target |= word.starts_with("-MT") || word.starts_with("-MQ");
    plan.to_assembly.push_back(word);
    if (concerns_assembler(word)) plan.to_object.push_back(word);
    if (takes_word(word) && i + 1 < command.size()) {
      const bool both = is_one_of(word, {"-B", "-target", "-arch", "-Xassembler"});
      if (both && plan.to_object.back() != word) plan.to_object.push_back(word);
      plan.to_assembly.push_back(command[++i]);
      if (both) plan.to_object.push_back(command[i]);
    } else if (!word.starts_with('-') || word == standard_input) {
      source = word;
    }
  }
  const std::string extension = std::filesystem::path(source).extension();
  if (!compiles && is_one_of(extension, {".cpp", ".cc", ".cxx", ".c++", ".C"}))
    throw std::runtime_error(
        fmt::format("{} is compiled and linked by one command, so that its promotion points would never be "
                    "taken; compile it with -c, and link in a command of its own",
                    source));
  if (!compiles || source.empty() || is_one_of(extension, {".s", ".S", ".sx", ".asm"})) return false;
  if (!bitcode.empty())
    throw std::runtime_error(
        fmt::format("{}: with it the compiler writes no assembly that could be rolled forward; leave it out "
                    "for this target (INTERPROCEDURAL_OPTIMIZATION OFF), or add -fno-lto behind it",
                    bitcode));
  if (plan.object.empty() && source == standard_input)
    throw std::runtime_error("the source is standard input: name the object, with -o");
  if (plan.object.empty()) plan.object = std::filesystem::path(source).stem().string() + ".o";

  plan.assembly = plan.object + ".compiled.s";
  plan.rolled = plan.object + ".rolled.s";
  // Otherwise the compiler would name dependencies after the assembly file.
  if (depends && !names_dependencies) {
    std::filesystem::path file = plan.object;
    plan.to_assembly.insert(plan.to_assembly.end(), {"-MF", file.replace_extension(".d").string()});
  }
  if (depends && !names_target) plan.to_assembly.insert(plan.to_assembly.end(), {"-MT", plan.object});
  plan.to_assembly.insert(plan.to_assembly.end(), {"-o", plan.assembly});
  // Clang's assembler warns about clang's own .file directives.
  if (command[compiler].find("clang") != std::string::npos) plan.to_object.emplace_back("-Wa,--no-warn");
  plan.to_object.insert(plan.to_object.end(), {"-x", "assembler", "-c", plan.rolled, "-o", plan.object});
  return true;
}

int compile(const std::vector<std::string>& words) {
  const std::vector<std::string> command = with_response_files(words);
  compilation plan;
  if (!plan_compilation(command, plan)) return run(command);
  // On other CPUs promotion points ask for beats: there is nothing to roll forward.
  if (!is_for_x86_64(plan.to_object)) return run(command);
  // The compiler would notice if its object were its source; the assembler, which writes the object here,
  // would not.
  std::vector<std::string> sources;
  if (plan.source != standard_input) sources.push_back(plan.source);
  const tools::outputs checked({plan.object, plan.assembly, plan.rolled}, sources);
  if (const int status = run(plan.to_assembly); status != 0) {
    std::remove(plan.assembly.c_str());
    return status;
  }
  try {
    tools::write_file(plan.rolled, rewrite(read_file(plan.assembly)).text);
  } catch (const fault& f) {
    throw located(plan.assembly, f);
  }
  const int status = run(plan.to_object);
  if (status == 0) {
    std::remove(plan.assembly.c_str());
    std::remove(plan.rolled.c_str());
  }
  return status;
}

}  // namespace rollforward
