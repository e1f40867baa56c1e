// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/command_line.hpp"

#include "tools/manual_and_completion.hpp"
#include "tools/output.hpp"
#include "tools/tpal/build.hpp"
#include "tools/tpal/c_functions.hpp"
#include "tools/tpal/check.hpp"
#include "tools/tpal/diagnostics.hpp"
#include "tools/tpal/emit.hpp"
#include "tools/tpal/explore.hpp"
#include "tools/tpal/machine.hpp"
#include "tools/tpal/parser.hpp"
#include "tools/tpal/picture.hpp"
#include "tools/tpal/report.hpp"
#include "tools/tpal/timeline.hpp"
#include "tools/tpal/workers.hpp"

#include <sennit/runtime.hpp>
#include <sennit/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tpal {
namespace {

struct arguments {
  std::string file;
  std::vector<std::string> inputs;
  std::uint64_t heart = 100;
  bool serial = false;
  settings how;
  unsigned workers = 0;
  bool quiet = false;
  std::string output = "trace.svg";
  std::string built;
  bool object = false;
  std::string function;
  std::vector<std::string> objects;
  exploration_bounds bounds;
  toolchain with;
};

// CLI11 lets numbers without a sign wrap around, and cuts those that are too large.
constexpr double most_number = 1e18;

void add_program(CLI::App& app, arguments& a) {
  app.add_option("PROGRAM", a.file, "file with a TPAL program")->required();
}

void add_inputs(CLI::App& app, arguments& a) {
  add_program(app, a);
  app.add_option("INPUT", a.inputs, "inputs: a=6, b=1.5, xs=1,2,5..9 or xs=@FILE");
  app.add_option("--load", a.objects, "shared objects that have the functions which the program calls")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void add_run_options(CLI::App& app, arguments& a) {
  add_inputs(app, a);
  const CLI::Option* const heart =
      app.add_option("--heart", a.heart, "instructions of a task between two beats")
          ->check(CLI::Range(0.0, most_number))
          ->capture_default_str();
  app.add_flag("--serial", a.serial, "ignore the annotations: no beat is taken")->excludes(heart->get_name());
  app.add_option("--fuel", a.how.fuel, "instructions after which to give up")
      ->check(CLI::Range(0.0, most_number))
      ->capture_default_str();
}

CLI::Option* add_seed(CLI::App& app, arguments& a) {
  return app.add_option("--seed", a.how.seed, "of the order in which tasks take turns")
      ->check(CLI::Range(0.0, most_number))
      ->capture_default_str();
}

settings settings_of(const arguments& a) {
  settings how = a.how;
  if (!a.serial) how.heart = a.heart;
  return how;
}

std::vector<std::string> files_read(const arguments& a) {
  std::vector<std::string> files{a.file};
  for (const std::string& word : a.inputs) {
    if (const std::size_t at = word.find("=@"); at != std::string::npos) files.push_back(word.substr(at + 2));
  }
  return files;
}

// Calls `body` with the loaded program; a run that fails is shown with its line.
template <class Body>
int with_program(const arguments& a, Body body) {
  image start = load(assemble_file(a.file), a.inputs);
  find_functions(start.code, a.objects);
  try {
    body(start);
    return success;
  } catch (const run_error& error) {
    fmt::print(stderr, "{}", show(start.code.file, start.code.lines, {error.at(), error.what()}));
    return failed_run;
  }
}

void run_program(const image& start, const arguments& a) {
  const result r =
      a.workers == 0 ? run(start, settings_of(a)) : run_on_workers(start, settings_of(a), a.workers);
  fmt::print("{}", outputs(start, r));
  if (!a.quiet) fmt::print("{}", statistics(r));
}

void trace_program(const image& start, const arguments& a, const tools::outputs& to) {
  timeline times;
  const result r = run(start, settings_of(a), &times);
  std::string numbers = statistics(r);
  numbers.pop_back();  // the end of the line
  const std::string drawn = picture(times, fmt::format("{}: {}", a.file, numbers));
  fmt::print(to.messages(), "{}{}\n", outputs(start, r), numbers);
  to.save(a.output, drawn);
}

int check_program(const arguments& a) {
  const program p = assemble_file(a.file);
  std::size_t instructions = 0;
  for (const block& b : p.blocks) instructions += b.code.size();
  fmt::print("{}: {} blocks, {} instructions, {} registers; no errors\n", a.file, p.blocks.size(),
             instructions, p.registers.size());
  for (const std::size_t b : unreached(p)) {
    fmt::print("{}:{}:{}: nothing leads to block '{}'\n", a.file, p.blocks[b].at.line, p.blocks[b].at.column,
               p.blocks[b].name);
  }
  return success;
}

int explore_program(const arguments& a) {
  int code = success;
  const int failed = with_program(a, [&](const image& start) {
    const exploration e = explore(start, a.bounds, [](const exploration& so_far) {
      fmt::print(stderr, "tpal: {} runs, {} states with a choice so far\n", so_far.runs, so_far.states);
    });
    fmt::print("{}", report(start, e));
    code = e.found ? failed_run : e.is_complete ? success : unfinished;
  });
  return failed == success ? code : failed;
}

void build_program(const arguments& a) {
  if (a.object && (a.built.empty() || tools::is_standard_output(a.built))) {
    throw std::invalid_argument(
        "--object needs a file for the object, -o FILE.o; the header is put beside it");
  }
  const tools::outputs checked(
      {a.built.empty() ? tools::standard_output : a.built, a.object ? header_for(a.built) : std::string()},
      {a.file});
  const program p = assemble_file(a.file);
  if (a.object) {
    build_function(p, a.function.empty() ? std::filesystem::path(a.file).stem().string() : a.function,
                   a.built, a.with);
  } else if (a.built.empty()) {
    tools::write_file(tools::standard_output, emit(p));
  } else {
    build(p, a.built, a.with);
  }
}

void add_build_options(CLI::App& app, arguments& a) {
  add_program(app, a);
  app.add_option("-o,--output", a.built,
                 "executable or object file to write; the C++ is printed if not given")
      ->type_name("FILE");
  CLI::Option* const link =
      app.add_option("--link", a.with.files,
                     "object files or libraries that have the functions which the program calls")
          ->type_name("FILE")
          ->allow_extra_args(false);
  CLI::Option* const object = app.add_flag(
      "--object", a.object, "write an object file with a function for C++, and a header beside it");
  app.add_option("--function", a.function, "name of the function; that of the program's file if not given")
      ->type_name("NAME")
      ->check(
          CLI::Validator([](const std::string& name) { return name.empty() ? "the name is empty" : ""; }, ""))
      ->needs(object);
  object->excludes(link);
  app.add_option("--compiler", a.with.compiler, "C++ compiler and its options")->capture_default_str();
  app.add_option("--rollforward", a.with.rollforward, "Sennit's rollforward")->capture_default_str();
  app.add_option("--cflags", a.with.cflags, "where Sennit's headers are")->capture_default_str();
  app.add_option("--libs", a.with.libs, "where Sennit's library is")->capture_default_str();
}

// What was printed may still be in a buffer, and the disk may be full.
int flush(int code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  fmt::print(stderr, "tpal: cannot write the output: {}; give it a place with room\n",
             std::generic_category().message(errno));
  return bad_usage;
}

int dispatch(int argc, const char* const* argv) {
  CLI::App app("Task Parallel Assembly Language: check programs, run them on the abstract machine, draw "
               "and explore their runs.",
               "tpal");
  app.set_version_flag("--version", std::string("tpal ") + sennit::version());
  app.require_subcommand(1);
  tools::add_manual_and_completion(
      app, "tpal",
      {.summary = "check, run, draw, explore and compile programs in the task parallel assembly language",
       .exit_status = "0: all went well\n1: the program did something that the machine does not have\n2: the "
                      "arguments, the inputs or the program's text do not allow what was asked for\n3: "
                      "an exploration was given up, and has found nothing",
       .examples = "tpal run prod.tpal a=6 b=7\ntpal build prod.tpal -o prod",
       .also = "sennit(1), rollforward(1)"});

  arguments a;
  CLI::App* const running =
      app.add_subcommand("run", "run a program, and print its outputs, work, span, tasks and promotions");
  add_run_options(*running, a);
  CLI::Option* const seed = add_seed(*running, a);
  running
      ->add_option(
          "--workers", a.workers,
          "run tasks on so many workers of Sennit's runtime; one processor takes them in turns if not given")
      ->check(CLI::Range(1U, sennit::runtime_options::most_workers))
      ->excludes(seed);
  running->add_flag("--quiet", a.quiet, "print the outputs only");
  CLI::App* const tracing = app.add_subcommand(
      "trace", "run a program, and draw when each task was at work, with promotions and joins");
  add_run_options(*tracing, a);
  add_seed(*tracing, a);
  tracing->add_option("-o,--output", a.output, "SVG picture to write")
      ->type_name("FILE")
      ->capture_default_str();
  CLI::App* const checking = app.add_subcommand("check", "look for errors without running the program");
  add_program(*checking, a);
  CLI::App* const exploring = app.add_subcommand(
      "explore",
      "run a small program in all ways that make a difference, and look for races and second answers");
  add_inputs(*exploring, a);
  exploring->add_option("--runs", a.bounds.runs, "runs after which to give up")
      ->check(CLI::Range(1.0, most_number))
      ->capture_default_str();
  exploring->add_option("--fuel", a.bounds.fuel, "instructions of a run after which to give up")
      ->check(CLI::Range(0.0, most_number))
      ->capture_default_str();
  CLI::App* const building =
      app.add_subcommand("build", "compile a program to native code that runs on Sennit's runtime");
  add_build_options(*building, a);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help or --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    const std::string of =
        app.get_subcommands().empty() ? "" : " " + app.get_subcommands().front()->get_name();
    fmt::print(stderr, "tpal: {}; see 'tpal{} --help'\n", error.what(), of);
    return bad_usage;
  }
  if (app.got_subcommand(checking)) return check_program(a);
  if (app.got_subcommand(exploring)) return explore_program(a);
  if (app.got_subcommand(building)) {
    build_program(a);
    return success;
  }
  if (!app.got_subcommand(tracing))
    return with_program(a, [&](const image& start) { run_program(start, a); });
  const tools::outputs to({a.output}, files_read(a));
  return with_program(a, [&](const image& start) { trace_program(start, a, to); });
}

}  // namespace

int command_line(int argc, const char* const* argv) {
  try {
    return flush(dispatch(argc, argv));
  } catch (const program_error& error) {
    fmt::print(stderr, "{}", error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "tpal: there is not enough memory; choose smaller inputs\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "tpal: {}\n", error.what());
  }
  return bad_usage;
}

}  // namespace tpal
