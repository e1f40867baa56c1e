// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/build.hpp"

#include "tools/output.hpp"
#include "tools/tpal/emit.hpp"
#include "tools/tpal/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace tpal {
namespace {

class temporary_folder {
 public:
  temporary_folder() : path_((std::filesystem::temp_directory_path() / "tpal-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) {
      throw std::runtime_error(
          fmt::format("cannot make a folder like {}: {}; set TMPDIR to one that has room", path_,
                      std::generic_category().message(errno)));
    }
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string quoted(const std::string& word) {
  std::string q = "'";
  for (const char c : word) q += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return q + "'";
}

void shell(const std::string& command) {
  if (std::system(command.c_str()) != 0) throw std::runtime_error(fmt::format("this failed: {}", command));
}

// Returns the object file.
std::string compile(const std::string& code, const temporary_folder& folder, const toolchain& with) {
  const std::string source = folder.file("program.cpp");
  const std::string object = folder.file("program.o");
  tools::write_file(source, code);
  shell(fmt::format("{} --compile {} -std=c++20 {} -c {} -o {}", with.rollforward, with.compiler, with.cflags,
                    quoted(source), quoted(object)));
  return object;
}

}  // namespace

void build(const program& p, const std::string& output, const toolchain& with) {
  const std::string code = emit(p);
  const temporary_folder folder;
  const std::string object = compile(code, folder, with);
  const std::string linked = folder.file("program");
  std::string files;
  for (const std::string& file : with.files) files += quoted(file) + ' ';
  shell(fmt::format("{} {} {}-o {} {}", with.compiler, quoted(object), files, quoted(linked), with.libs));
  tools::write_file(output, contents(linked), true);
}

std::string header_for(const std::string& object) {
  return std::filesystem::path(object).replace_extension(".hpp").string();
}

void build_function(const program& p, const std::string& name, const std::string& output,
                    const toolchain& with) {
  const function_code f = emit_function(p, name);
  const temporary_folder folder;
  tools::write_file(folder.file(function_header), f.header);
  tools::write_file(output, contents(compile(f.source, folder, with)));
  tools::write_file(header_for(output), f.header);
}

}  // namespace tpal
