// SPDX-License-Identifier: Apache-2.0
// A kernel of the gallery: one algorithm, written once over an execution policy P (sennit/serial.hpp), run on
// the runtime and as its serial elision, with a check of the result.
//
// Each kernel is one file. It defines the algorithm, a program (a plain struct, described at `adapter` below)
// and a maker; gallery.cpp lists the makers.
#pragma once

#include <sennit/serial.hpp>

#include <any>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sennit {
class splice_schedule;
namespace graph {
class trace;
}
}  // namespace sennit

namespace gallery {

enum class policy { parallel, serial, counted };

// A number or a word the user may set. It refers to a member of the program. Where a kernel's algorithm has
// several forms, the word that chooses one is called "variant".
struct parameter {
  std::string_view name;
  std::string_view meaning;
  std::variant<std::int64_t*, double*, std::string*> value;
  double least = 0;  // of a number
  double most = 0;
  std::vector<std::string> words = {};  // what a word may be
};

// What is in a file that a kernel reads or writes.
enum class content { none, text, picture, matrix, graph, sequences };

struct description {
  std::string_view name;
  std::string_view summary;
  content reads = content::none;
  // What it reads if told nothing else, a file of gallery/data; empty: then it makes its input itself.
  std::string_view input = {};
  content writes = content::none;
};

class kernel {
 public:
  virtual ~kernel() = default;

  virtual const description& about() const = 0;
  // The first one is the size: what mostly decides how long a run takes.
  virtual std::vector<parameter> parameters() = 0;
  // Sets the parameters so that the serial elision lasts about half a second.
  virtual void choose_demo() = 0;
  // Makes everything a run needs from the parameters, and from the file unless the path is empty.
  // Throws input_error if that cannot be done.
  virtual void prepare(const std::filesystem::path& input) = 0;

  // Has later runs on the runtime fill the trace; null: no more. False: no form of the kernel is a graph.
  virtual bool trace_graph(sennit::graph::trace* to) = 0;

  // Has later runs on the runtime leave the order of their splice there; null: no more. False: no form of the kernel is a splice.
  virtual bool trace_splice(sennit::splice_schedule* to) = 0;

  virtual std::any run(policy p) const = 0;
  virtual bool same(const std::any& a, const std::any& b) const = 0;
  // What is wrong with a result; empty if nothing is. Does not rely on the elision.
  virtual std::string complaint(const std::any& result) const = 0;
  virtual std::string describe(const std::any& result) const = 0;
  // What a file with the result holds, of the kind that about() says; empty if that is none.
  virtual std::string encode(const std::any& result) const = 0;
};

// All kernels, in the order in which `sennit list` shows them.
std::vector<std::unique_ptr<kernel>> kernels();

// Where a file of gallery/data is, in the installed tree or in the source tree.
std::filesystem::path data_file(std::string_view name);

// What a kernel reads if told nothing else; empty if it reads no file then.
inline std::filesystem::path default_input(const description& about) {
  return about.input.empty() ? std::filesystem::path{} : data_file(about.input);
}

// Makes a kernel of a Program, which has
//   about                            a static description
//   parameters()                     a vector of parameters that refer to its members
//   choose_demo()
//   prepare(path)                    or prepare() if it reads nothing
//   run<P>() const                   the result, which is a value
//   same(a, b) const                 unless == says it
//   complaint(result) const, describe(result) const
//   encode(result) const             if about.writes something
template <class Program>
class adapter final : public kernel {
 public:
  const description& about() const override { return Program::about; }
  std::vector<parameter> parameters() override { return program_.parameters(); }
  void choose_demo() override { program_.choose_demo(); }

  void prepare(const std::filesystem::path& input) override {
    if constexpr (Program::about.reads == content::none) {
      program_.prepare();
    } else {
      program_.prepare(input);
    }
  }

  bool trace_graph([[maybe_unused]] sennit::graph::trace* to) override {
    constexpr bool has_graph = requires { program_.colors.trace; };
    if constexpr (has_graph) program_.colors.trace = to;
    return has_graph;
  }

  bool trace_splice([[maybe_unused]] sennit::splice_schedule* to) override {
    constexpr bool has_splice = requires { program_.spliced; };
    if constexpr (has_splice) program_.spliced = to;
    return has_splice;
  }

  std::any run(policy p) const override {
    switch (p) {
      case policy::parallel: return program_.template run<sennit::parallel>();
      case policy::serial: return program_.template run<sennit::serial>();
      case policy::counted: break;
    }
    return program_.template run<sennit::counted_serial>();
  }

  bool same(const std::any& a, const std::any& b) const override {
    if constexpr (requires { program_.same(value(a), value(b)); }) {
      return program_.same(value(a), value(b));
    } else {
      return value(a) == value(b);
    }
  }

  std::string complaint(const std::any& result) const override { return program_.complaint(value(result)); }
  std::string describe(const std::any& result) const override { return program_.describe(value(result)); }

  std::string encode([[maybe_unused]] const std::any& result) const override {
    if constexpr (Program::about.writes != content::none) {
      return program_.encode(value(result));
    } else {
      return {};
    }
  }

 private:
  using result_type = decltype(std::declval<const Program&>().template run<sennit::serial>());

  static const result_type& value(const std::any& result) {
    return std::any_cast<const result_type&>(result);
  }

  Program program_;
};

}  // namespace gallery
